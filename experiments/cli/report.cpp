#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <variant>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/figure_words.h"
#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/reports/report.h"

namespace orrery {
namespace {

struct ReportCommandOptions {
  std::string folder{}, out{};
  std::optional<std::size_t> points{};
  Page drawn_on{};
};

namespace fs = std::filesystem;

/// Absolute, without a trailing slash.
fs::path reported_folder(const ReportCommandOptions& options) {
  return fs::absolute(options.folder / fs::path()).lexically_normal().parent_path();
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
void write_panels(const Report& report, const fs::path& beside, const Page& page) {
  for (const Block& block : report.document.blocks)
    if (const auto* picture = std::get_if<PanelPicture>(&block))
      atomic_write(beside / picture->file,
                   figure_file(picture->panels, "svg", auto_theme, {.page = page}));
}

int write_report(const ReportCommandOptions& options) {
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
  warn_each(report.problems);
  warn_each(report.without_result);
  tell(fmt::format("wrote {} and {}\n", page.string(), markdown.filename().string()));
  return report.problems.empty() && report.without_result.empty() ? exit_ok : exit_failed;
}

}  // namespace

Command report_command() {
  const auto o = std::make_shared<ReportCommandOptions>();
  Command command{"report",
                  "Write a self-contained HTML page of a result or a sweep, and Markdown beside it",
                  [o] { return write_report(*o); }};
  command.options = joined({{"DIR", &o->folder, "A result or a sweep", required()},
                            {"--out", &o->out, "The page; default DIR-report.html"},
                            {"--points", &o->points,
                             "Number of points of a sweep whose figures are shown, however large "
                             "the page; default: 24, as far as they fit"}},
                           page_options(o->drawn_on));
  command.footer =
      R"(The page needs no network and no other file. Markdown shows the figures in the result's
folder; those over all points of a sweep are in DIR-report-figures. The exit status is 1
when parts of the result are missing or damaged; the page then says which.

Examples:
  orrery run rotation --out turns
  orrery report turns)";
  return command;
}

}  // namespace orrery
