#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <variant>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/reports/report.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

/// Absolute, without a trailing slash.
fs::path reported_folder(const ReportCommandOptions& options) {
  const fs::path folder = fs::absolute(options.folder).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();
}

fs::path page_of(const ReportCommandOptions& options) {
  if (!options.out.empty()) return fs::absolute(options.out).lexically_normal();
  return reported_folder(options).string() + "-report.html";
}

/// Only an older report may be replaced.
void require_ours(const fs::path& path, std::string_view mark) {
  constexpr std::uintmax_t largest = std::uintmax_t{1} << 30;
  std::error_code failure;
  if (!fs::exists(path, failure)) return;
  if (read_file(path, largest).substr(0, 400).find(mark) == std::string::npos)
    throw IoError(path.string(), "is not a report of orrery, so it is not replaced",
                  "choose another file with --out");
}

/// The SVGs that Markdown links to, in a folder that only an older report may have made.
void write_panels(const Report& report, const fs::path& beside, const figure::Page& page) {
  for (const Block& block : report.document.blocks)
    if (const auto* picture = std::get_if<PanelPicture>(&block))
      atomic_write(beside / picture->file,
                   figure_file(picture->panels, "svg", figure::auto_theme, {.page = page}));
}

}  // namespace

int report_command(const ReportCommandOptions& options) {
  const fs::path page = page_of(options);
  const fs::path markdown = fs::path(page).replace_extension(".md");
  if (page == markdown)
    throw UsageError(page.string(), "is the name of the Markdown beside the page",
                     "choose a name that ends in .html");
  require_ours(page, "content=\"orrery report\"");
  require_ours(markdown, "<!-- orrery report -->");
  const fs::path panels = fs::path(page).replace_extension() += "-figures";
  std::error_code failure;
  if (fs::exists(panels, failure) && !fs::exists(markdown, failure))
    throw IoError(panels.string(), "is there already, and not of a report",
                  "choose another file with --out");
  ReportOptions wanted{.folder = reported_folder(options),
                       .beside = page.parent_path(),
                       .keeps_figures = options.points.has_value(),
                       .panels = panels.filename().string()};
  if (options.points) wanted.most_points_with_figures = *options.points;
  Report report = make_report(wanted);
  report.document.page = options.drawn_on;
  atomic_write(page, html_of(report.document));
  write_panels(report, page.parent_path(), options.drawn_on);
  atomic_write(markdown, markdown_of(report.document));
  for (const std::string& problem : report.problems) say(fmt::format("orrery: {}\n", problem));
  for (const std::string& message : report.without_result)
    say(fmt::format("orrery: {}\n", message));
  tell(fmt::format("wrote {} and {}\n", page.string(), markdown.filename().string()));
  return report.problems.empty() && report.without_result.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
