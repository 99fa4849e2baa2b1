// open: the desktop on an experiment, a preset or a result.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "experiments/batch/sweep_folder.h"
#include "experiments/batch/sweep_spec.h"
#include "experiments/cli/commands.h"
#include "experiments/data/file.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* desktop_name = "orrery-desktop";

/// Beside this program, where the build puts it, or wherever the PATH says.
std::string desktop_program() {
  std::error_code failure;
  const fs::path here = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const fs::path& path : {here / desktop_name, here / ".." / "app" / desktop_name})
    if (fs::exists(path, failure)) return path.string();
  return desktop_name;
}

/// The view and the settings of one combination.
std::vector<std::string> words_of(const SweepSpec& spec) {
  std::vector<std::string> words{"--view", spec.experiment->info().name};
  const Combinations all = combinations_of(spec);
  if (all.points.size() > 1)
    throw UsageError(spec.name, fmt::format("has {} points", all.points.size()),
                     "fix the values that are swept: open NAME key=value");
  for (const std::string& word : all.points.front().params.overrides()) words.push_back(word);
  return words;
}

std::vector<std::string> words_of_result(const fs::path& folder) try {
  constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 30;
  const auto json = nlohmann::ordered_json::parse(read_file(folder / "result.json", max_bytes));
  const auto& provenance = json.at("provenance");
  std::vector<std::string> words{"--view", provenance.at("experiment").get<std::string>()};
  for (const auto& [key, value] : provenance.at("params").items())
    words.push_back(key + "=" + value.get<std::string>());
  return words;
} catch (const nlohmann::json::exception& error) {
  throw DataError(folder.string(), fmt::format("holds a damaged result.json ({})", error.what()),
                  "run the experiment again");
}

std::vector<std::string> desktop_words(const OpenOptions& options) {
  if (options.name.empty()) return {};
  std::error_code failure;
  if (fs::is_directory(options.name, failure)) {
    if (is_sweep_folder(options.name))
      throw UsageError(options.name, "is a sweep, and a window shows one point",
                       fmt::format("open a point: {}/points/ID", options.name));
    return words_of_result(options.name);
  }
  SweepSpec spec = sweep_spec_named(options.name);
  apply_words(spec, options.words);
  return words_of(spec);
}

}  // namespace

int open_command(const OpenOptions& options) {
  std::vector<std::string> words{desktop_program()};
  for (const std::string& word : desktop_words(options)) words.push_back(word);
  if (!options.render.empty()) {
    words.emplace_back("--render");
    words.push_back(options.render);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw IoError(words.front(), "cannot be started",
                "build it with ORRERY_DESKTOP=ON, or install it beside orrery");
}

}  // namespace orrery::cli
