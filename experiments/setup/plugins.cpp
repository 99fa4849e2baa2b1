#include "experiments/setup/plugins.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/files/mapped_file.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

constexpr const char* plugins_key = "ORRERY_PLUGINS";
constexpr const char* plugin_option = "--plugin";

struct Loaded {
  std::mutex mutex{};
  std::vector<Plugin> plugins{};
};

Loaded& loaded() {
  static Loaded all;
  return all;
}

std::vector<Plugin> loaded_plugins() {
  const std::scoped_lock lock(loaded().mutex);
  return loaded().plugins;
}

std::string library_path(const std::string& file, std::string_view named_by) {
  const std::string name = named_by.empty() ? file : fmt::format("{} {}", named_by, file);
  std::error_code failure;
  std::string path = std::filesystem::canonical(file, failure).string();
  if (failure) throw IoError(name, failure.message(), "name a shared library that exists");
  if (path.find(':') != std::string::npos)
    throw UsageError(name,
                     fmt::format("has a colon in it, which separates files in {}", plugins_key),
                     "rename it");
  return path;
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
  try {
    std::vector<EncodingEntry> entries;
    encodings(entries);
    return entries;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw DataError(file, fmt::format("cannot describe its encodings ({})", error.what()),
                    "look at EncodingInfo::info() of each");
  }
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

std::vector<std::string> words_of(const std::vector<Plugin>& plugins) {
  std::vector<std::string> words;
  for (const Plugin& plugin : plugins) {
    words.emplace_back(plugin_option);
    words.push_back(plugin.file);
  }
  return words;
}

/// The loader maps what the headers say and ends the program where the file has less.
void require_whole_library(std::string_view bytes, const std::string& file) {
  const auto refuse_cut = [&] {
    throw DataError(file, "is cut off: its headers name more bytes than it has",
                    "build or copy the plug-in again");
  };
  Elf64_Ehdr header{};
  if (!bytes.starts_with(ELFMAG)) return;  // the loader refuses it
  if (bytes.size() < sizeof header) refuse_cut();
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto fits = [&](std::uint64_t at, std::uint64_t size) {
    return at <= bytes.size() && size <= bytes.size() - at;
  };
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return;
  if (!fits(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) ||
      !fits(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
    refuse_cut();
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (!fits(segment.p_offset, segment.p_filesz)) refuse_cut();
  }
}

/// Whether `name` is one of the values of "key=value+value,value".
bool names_among(const std::string& setting, const std::string& name) {
  std::istringstream values(setting.substr(setting.find('=') + 1));
  for (std::string some; std::getline(values, some, ',');) {
    std::istringstream joined(some);
    for (std::string value; std::getline(joined, value, '+');)
      if (value == name) return true;
  }
  return false;
}

}  // namespace

void load_plugin(const std::string& file, std::string_view named_by) {
  Plugin plugin{.file = library_path(file, named_by)};
  const std::scoped_lock lock(loaded().mutex);
  std::vector<Plugin>& plugins = loaded().plugins;
  for (const Plugin& before : plugins)
    if (before.file == plugin.file) return;
  const MappedFile library(plugin.file);
  require_whole_library(library.bytes(), plugin.file);
  plugin.sha256 = sha256_of(library);
  std::vector<EncodingEntry> entries = entries_of(plugin.file);
  for (const EncodingEntry& entry : entries) plugin.encodings.push_back(entry.info.name);
  register_encodings(std::move(entries));
  plugins.push_back(std::move(plugin));
  std::vector<std::string> all;
  for (const Plugin& one : plugins) all.push_back(one.file);
  setenv(plugins_key, fmt::format("{}", fmt::join(all, ":")).c_str(), 1);
}

void load_plugins(const std::vector<std::string>& words) {
  for (const std::string& file : files_in_environment()) load_plugin(file, plugins_key);
  for (const std::string& file : files_in_words(words)) load_plugin(file, plugin_option);
}

std::vector<Plugin> plugins_named_in(const std::vector<std::string>& settings) {
  std::vector<Plugin> named = loaded_plugins();
  const auto is_named = [&](const std::string& encoding) {
    return std::ranges::any_of(
        settings, [&](const std::string& word) { return names_among(word, encoding); });
  };
  std::erase_if(named, [&](const Plugin& plugin) {
    return std::ranges::none_of(plugin.encodings, is_named);
  });
  return named;
}

std::vector<std::string> plugin_words() { return words_of(loaded_plugins()); }

std::string command_line(std::vector<std::string> words) {
  for (std::string& word : words_of(plugins_named_in(words))) words.push_back(std::move(word));
  return shell_line(words);
}

}  // namespace orrery
