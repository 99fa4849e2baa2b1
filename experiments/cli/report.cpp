#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/errors.h"
#include "experiments/batch/folder_swap.h"
#include "experiments/batch/report.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/data/file.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

/// Absolute, without a slash at its end.
fs::path folder_of(const ReportCommandOptions& options) {
  const fs::path folder = fs::absolute(options.folder).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();
}

fs::path page_of(const ReportCommandOptions& options) {
  if (!options.out.empty()) return fs::absolute(options.out).lexically_normal();
  return folder_of(options).string() + "-report.html";
}

/// An older report is replaced, and nothing else.
void require_ours(const fs::path& path, std::string_view mark) {
  constexpr std::uintmax_t largest = std::uintmax_t{1} << 30;
  std::error_code failure;
  if (!fs::exists(path, failure)) return;
  if (read_file(path, largest).substr(0, 400).find(mark) == std::string::npos)
    throw IoError(path.string(), "is no report of orrery, so it is not replaced",
                  "choose another file with --out");
}

}  // namespace

int report_command(const ReportCommandOptions& options) {
  const fs::path page = page_of(options);
  const fs::path markdown = fs::path(page).replace_extension(".md");
  if (page == markdown)
    throw UsageError(page.string(), "is the name of the Markdown beside the page",
                     "end the page's name in .html");
  require_ours(page, "content=\"orrery report\"");
  require_ours(markdown, "<!-- orrery report -->");
  const Report report = make_report({.folder = folder_of(options),
                                     .beside = page.parent_path(),
                                     .most_points_with_figures = options.points});
  make_folders(page.parent_path());
  replace_file(page, html_of(report.document));
  replace_file(markdown, markdown_of(report.document));
  for (const std::string& problem : report.problems) say(fmt::format("orrery: {}\n", problem));
  say(fmt::format("wrote {} and {}\n", page.string(), markdown.filename().string()));
  return report.problems.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
