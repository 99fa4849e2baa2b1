#include "experiments/setup/plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/files/mapped_file.h"

namespace orrery::setup {
namespace {

constexpr const char* plugins_key = "ORRERY_PLUGINS";
constexpr const char* plugin_option = "--plugin";

std::vector<Plugin>& plugins() {
  static std::vector<Plugin> all;
  return all;
}

std::string library_path(const std::string& file) {
  std::error_code failure;
  const std::filesystem::path path = std::filesystem::canonical(file, failure);
  if (failure)
    throw IoError(fmt::format("--plugin {}", file), failure.message(),
                  "name a shared library that exists");
  if (path.string().find(':') != std::string::npos)
    throw UsageError(fmt::format("--plugin {}", path.string()),
                     fmt::format("has a colon in it, which separates files in {}", plugins_key),
                     "rename it");
  return path.string();
}

/// A function of a shared library; null where it has none of that name.
template <class Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Its encodings, none of them registered yet. The library stays: what was made of them lives on.
std::vector<EncodingEntry> entries_of(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw DataError(file, fmt::format("cannot be loaded as a plug-in ({})", dlerror()),
                    "build it as a MODULE that links orrery::plugin: see orrery help plugins");
  const auto built_for = function_of<const char*()>(library, "orrery_plugin_built_for");
  const auto encodings =
      function_of<void(std::vector<EncodingEntry>&)>(library, "orrery_plugin_encodings");
  if (built_for == nullptr || encodings == nullptr)
    throw DataError(file, "is a shared library, but no plug-in",
                    "end one of its sources with ORRERY_PLUGIN(…): see orrery help plugins");
  if (std::string_view(built_for()) != ORRERY_PLUGIN_ABI)
    throw DataError(
        file,
        fmt::format("was built for Orrery {}, and this is {}", built_for(), ORRERY_PLUGIN_ABI),
        "build it again with the headers of this one");
  std::vector<EncodingEntry> entries;
  encodings(entries);
  return entries;
}

std::vector<std::string> files_in_environment() {
  const char* const text = std::getenv(plugins_key);
  std::istringstream list(text == nullptr ? "" : text);
  std::vector<std::string> files;
  for (std::string file; std::getline(list, file, ':');)
    if (!file.empty()) files.push_back(file);
  return files;
}

std::vector<std::string> files_in_words(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  const std::string with_equals = fmt::format("{}=", plugin_option);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == plugin_option && i + 1 < words.size()) files.push_back(words[++i]);
    if (words[i].starts_with(with_equals)) files.push_back(words[i].substr(with_equals.size()));
  }
  return files;
}

}  // namespace

void load_plugin(const std::string& file) {
  Plugin plugin{.file = library_path(file)};
  for (const Plugin& loaded : plugins())
    if (loaded.file == plugin.file) return;
  plugin.sha256 = files::sha256_of(files::MappedFile(plugin.file));
  for (EncodingEntry& entry : entries_of(plugin.file)) {
    plugin.encodings.push_back(entry.info.name);
    register_encoding(std::move(entry));
  }
  plugins().push_back(std::move(plugin));
}

void load_plugins(const std::vector<std::string>& words) {
  for (const std::string& file : files_in_environment()) load_plugin(file);
  for (const std::string& file : files_in_words(words)) load_plugin(file);
  if (!plugins().empty()) setenv(plugins_key, plugin_variable().c_str(), 1);
}

const std::vector<Plugin>& loaded_plugins() { return plugins(); }

std::vector<std::string> plugin_words() {
  std::vector<std::string> words;
  for (const Plugin& plugin : plugins()) {
    words.emplace_back(plugin_option);
    words.push_back(plugin.file);
  }
  return words;
}

std::string plugin_variable() {
  std::vector<std::string> files;
  for (const Plugin& plugin : plugins()) files.push_back(plugin.file);
  return fmt::format("{}", fmt::join(files, ":"));
}

}  // namespace orrery::setup
