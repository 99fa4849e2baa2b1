#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/files/presence.h"
#include "experiments/reports/compare.h"
#include "experiments/results/result_json.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

struct CompareCommandOptions {
  std::string a{}, b{}, only{};
  double tolerance{0};
  bool json{false};
};

namespace fs = std::filesystem;

/// Of when, where and by which call, and what people have written there.
bool tells_of_the_run(const fs::path& file) {
  constexpr std::array<std::string_view, 4> names{"manifest.json", "journal.jsonl", "notes.json",
                                                  ".lock"};
  return std::ranges::find(names, file.filename().string()) != names.end();
}

/// Calls `visit` with every other file of a folder, by its path there.
template <class Visit>
void for_each_file(const fs::path& folder, Visit visit) {
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (is_file_at(entry->path()) && !tells_of_the_run(entry->path()))
      visit(entry->path().lexically_relative(folder));
  if (failure) throw io_error(folder.string(), "read", failure.value());
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  if (!is_file_at(b)) return false;
  const MappedFile one(a), other(b);
  const bool are_same = one.bytes() == other.bytes();
  one.require_whole();
  other.require_whole();
  return are_same;
}

struct FileComparison {
  std::size_t same{};
  std::vector<std::string> differing{};  ///< also those that only one side has
};

/// By what their manifests list and their SHA-256, which has been compared with the content.
FileComparison compare_listed(const SavedFolder& a, const SavedFolder& b) {
  std::map<std::string, std::array<std::string, 2>> sums;
  for (const WrittenFile& file : a.files()) sums[file.path][0] = file.sha256;
  for (const WrittenFile& file : b.files()) sums[file.path][1] = file.sha256;
  FileComparison found;
  for (const auto& [path, sum] : sums)
    if (sum[0] == sum[1])
      ++found.same;
    else
      found.differing.push_back(path);
  return found;
}

FileComparison compare_files(const fs::path& a, const fs::path& b) {
  if (ResultFiles(a).is_packed() || ResultFiles(b).is_packed())
    return compare_listed(SavedFolder(a), SavedFolder(b));
  FileComparison found;
  for_each_file(a, [&](const fs::path& file) {
    if (same_bytes(a / file, b / file))
      ++found.same;
    else
      found.differing.push_back(file.generic_string());
  });
  for_each_file(b, [&](const fs::path& file) {
    if (!is_file_at(a / file)) found.differing.push_back(file.generic_string());
  });
  std::ranges::sort(found.differing);
  return found;
}

std::string files_text(const FileComparison& files) {
  constexpr std::size_t most = 5;
  if (files.differing.empty())
    return fmt::format("All {} files beside the manifest are the same to the byte.\n", files.same);
  const std::size_t shown = std::min(most, files.differing.size());
  const std::vector<std::string> first(
      files.differing.begin(), files.differing.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format("Files that are not the same to the byte: {}{}\n", fmt::join(first, ", "),
                     shown < files.differing.size()
                         ? fmt::format(" and {} more", files.differing.size() - shown)
                         : "");
}

int compare_saved(const CompareCommandOptions& options) {
  Comparison comparison = compare_folders(options.a, options.b, options.tolerance);
  const bool same = comparison.same_numbers();
  if (!options.only.empty()) comparison.sweep.keep_scalars(options.only);
  // Files that are damaged are told below, and where numbers differ, so do files.
  FileComparison files;
  const bool whole = same && comparison.sweep.without_result.empty();
  if (whole) files = compare_files(options.a, options.b);
  if (options.json) {
    nlohmann::ordered_json json = to_json(comparison);
    json["same_bytes"] = whole && files.differing.empty();
    if (whole) json["differing_files"] = files.differing;
    print(json_text(json));
  } else {
    print(comparison_text(comparison) + (whole ? files_text(files) : ""));
  }
  warn_each(comparison.sweep.not_compared);
  for (const std::string& point : comparison.sweep.without_result)
    warn(fmt::format("point {} has a result neither in A nor in B", point));
  return whole ? exit_ok : exit_failed;
}

}  // namespace

Command compare_command() {
  const auto o = std::make_shared<CompareCommandOptions>();
  Command command{"compare", "Compare the settings and numbers of two results or sweeps",
                  [o] { return compare_saved(*o); }};
  command.options = {
      {"A", &o->a, "A result or a sweep", required()},
      {"B", &o->b, "Another of the same kind", required()},
      {"--tolerance", &o->tolerance,
       "Numbers whose relative difference is at most this are the same", between(0, 1)},
      {"--only", &o->only, "Of sweeps only the scalars with this part in their name"},
      {"--json", &o->json, "As JSON"}};
  command.footer =
      R"(Points of sweeps are matched by id, then by settings. Repeats are compared by Student's t:
of pairs where both have the same seeds, otherwise by Welch's; p is corrected by Holm.
The exit status is 0 when all numbers are the same, and 1 when any differs.

Examples:
  orrery run rotation --out turns
  orrery run rotation --out again
  orrery compare turns again)";
  return command;
}

}  // namespace orrery
