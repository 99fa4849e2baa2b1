#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "experiments/combine/combine.h"
#include "experiments/combine/parts.h"
#include "experiments/reports/report.h"
#include "experiments/reports/report_parts.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

/// The values of a setting in the order of the points.
std::vector<std::string> values_of(const SavedSweep& sweep, const std::string& key) {
  std::vector<std::string> values;
  std::set<std::string> known;
  for (const PointRecord& point : sweep.points)
    if (std::string value = point.param(key); !value.empty() && known.insert(value).second)
      values.push_back(std::move(value));
  return values;
}

void add_summary(const SavedSweep& sweep, std::vector<Block>& blocks) {
  std::size_t failing = 0, with_failing = 0;
  for (const PointRecord& point : sweep.points) {
    failing += point.failing_checks();
    if (point.failing_checks() > 0) ++with_failing;
  }
  const std::size_t failed = count_with(sweep.points, PointStatus::failed),
                    done = count_with(sweep.points, PointStatus::done);
  blocks.push_back(Paragraph{fmt::format(
      "{} points of {}: {} done, {} failed, {} not computed. {}", sweep.points.size(),
      sweep.experiment, done, failed, sweep.points.size() - done - failed,
      failing == 0 ? std::string("All checked claims hold.")
                   : fmt::format("{} claims FAIL, at {} points.", failing, with_failing))});
  std::vector<std::string> swept;
  for (const std::string& key : sweep.swept)
    swept.push_back(fmt::format("{} ({} values)", key, values_of(sweep, key).size()));
  blocks.push_back(
      Paragraph{fmt::format("{}Repeats: {}. Seed: {}.",
                            swept.empty() ? "" : fmt::format("Swept: {}. ", fmt::join(swept, ", ")),
                            sweep.repeats, sweep.seed),
                Paragraph::Kind::quiet});
}

/// "8, 16, 32"; of many the first ones.
std::string values_text(const SavedSweep& sweep, const std::string& key) {
  constexpr std::size_t most = 12;
  std::vector<std::string> values = values_of(sweep, key);
  const std::size_t all = values.size();
  values.resize(std::min(all, most));
  return fmt::format("{}{}", fmt::join(values, ", "),
                     all > most ? fmt::format(" … ({} in all)", all) : "");
}

/// What differs between the points, with what it is.
void add_swept(const SavedSweep& sweep, std::vector<Block>& blocks) {
  if (sweep.swept.empty()) return;
  Grid grid{.header = {"Swept", "Symbol", "Values", "Unit", "What it is"}};
  for (const std::string& key : sweep.swept) {
    const ParamSpec spec = spec_named(sweep.experiment, key);
    grid.rows.push_back({text_cell(key), marked_cell(spec.symbol),
                         text_cell(values_text(sweep, key)), text_cell(spec.unit),
                         marked_cell(spec.description)});
  }
  blocks.push_back(std::move(grid));
}

/// The verdicts on one claim over all points.
struct ClaimRow {
  std::size_t points{};
  std::size_t failing{};
  const Check* worst{};  ///< the one closest to its bound, or furthest beyond it
};

bool is_worse(const Check& a, const Check& b) {
  if (std::isnan(a.measured) || std::isnan(b.measured)) return std::isnan(a.measured);
  return a.excess() > b.excess();
}

void add_claims_table(const SavedSweep& sweep, std::vector<Block>& blocks) {
  std::vector<std::string> names;
  std::map<std::string, ClaimRow> rows;
  for (const PointRecord& point : sweep.points)
    for (const Check& check : point.checks) {
      if (!rows.contains(check.name)) names.push_back(check.name);
      ClaimRow& row = rows[check.name];
      ++row.points;
      if (!check.holds()) ++row.failing;
      if (!row.worst || is_worse(check, *row.worst)) row.worst = &check;
    }
  if (names.empty()) return;
  blocks.push_back(Heading{2, "Claims", "claims"});
  Grid grid{.header = {"", "Claim", "Points", "Failing", "Worst measured", "", "Its bound"}};
  for (const std::string& name : names) {
    const ClaimRow& row = rows[name];
    grid.rows.push_back(
        {verdict_cell(row.failing == 0, row.failing == 0 ? "holds" : "FAILS"),
         marked_cell(check_title(sweep.measures, name)),
         number_cell(static_cast<double>(row.points)),
         number_cell(static_cast<double>(row.failing)), number_cell(row.worst->measured),
         text_cell(std::string(sign_of(row.worst->relation))), number_cell(row.worst->bound)});
  }
  blocks.push_back(std::move(grid));
}

void add_overview(const SavedSweep& sweep, const ReportOptions& options,
                  std::vector<Block>& blocks) {
  const Drawing drawing = overview(sweep, most_overview_pages);
  const std::vector<DrawnPage>& pages = drawing.pages;
  if (pages.empty() && drawing.not_drawn.empty() && drawing.left_out.empty()) return;
  blocks.push_back(Heading{2, "Overview", "overview"});
  for (std::size_t i = 0; i < pages.size(); ++i)
    blocks.push_back(
        PanelPicture{.panels = pages[i].panels,
                     .id = fmt::format("overview_{}", i),
                     .file = options.panels.empty()
                                 ? ""
                                 : fmt::format("{}/{}.svg", options.panels, pages[i].panels.id)});
  if (pages.size() == most_overview_pages)
    blocks.push_back(Paragraph{fmt::format(
        "These are the first {} figures; orrery plot draws all of them.", pages.size())});
  else if (!pages.empty())
    blocks.push_back(
        Paragraph{"orrery plot draws these into files, and others.", Paragraph::Kind::quiet});
  if (!drawing.not_drawn.empty())
    blocks.push_back(Paragraph{fmt::format(
        "Left out here: {}{} figures or measures over settings. The first, since {} orrery plot "
        "draws those of the points that are chosen.",
        pages.size() == most_overview_pages ? "at least " : "", drawing.not_drawn.size(),
        drawing.not_drawn.front())});
  if (!drawing.left_out.empty())
    blocks.push_back(Paragraph{
        fmt::format("{} curves or figures cannot be read and are not in these figures. The first: "
                    "{} {}: {}",
                    drawing.left_out.size(), drawing.left_out.front().figure,
                    drawing.left_out.front().point, drawing.left_out.front().reason),
        Paragraph::Kind::warning});
}

/// The first of many, and how many more there are, and where.
BulletList warnings(std::vector<std::string> items, const std::string& where) {
  constexpr std::size_t most = 100;
  const std::size_t all = items.size();
  items.resize(std::min(all, most));
  if (all > most) items.push_back(fmt::format("… and {} more: {}", all - most, where));
  return {.items = {items.begin(), items.end()}, .warning = true};
}

void add_failures(const SavedSweep& sweep, std::vector<Block>& blocks) {
  std::vector<std::string> items;
  for (const PointRecord& point : sweep.points)
    if (point.status == PointStatus::failed)
      items.push_back(fmt::format("{} ({}): {}", title_of(point), point.id, point.error));
  if (items.empty()) return;
  blocks.push_back(Heading{2, "Failed points", "failed"});
  blocks.push_back(warnings(std::move(items), "the column error of results.csv has all"));
}

void add_problems(const PointRecord& point, const std::vector<std::string>& problems,
                  Report& report) {
  for (const std::string& problem : problems)
    report.problems.push_back(fmt::format("point {}: {}", point_name(point), problem));
}

void add_point_result(const PointRecord& point, const ReportOptions& options, Report& report) {
  std::vector<Block>& blocks = report.document.blocks;
  const SavedFolder saved(point.folder);
  const RecoveredResult recovered = recover_result(saved);
  add_notes(point.folder, blocks, report.problems);
  if (!recovered.problems.empty())
    blocks.push_back(BulletList{{recovered.problems.begin(), recovered.problems.end()}, true});
  add_problems(point, recovered.problems, report);
  const ResultSections sections{recovered, saved, options.beside, anchor_of(point), 3};
  add_claims(sections, blocks);
  const std::size_t first = blocks.size();
  add_figures(sections, blocks);
  const std::string folder =
      std::filesystem::path(point.folder).lexically_proximate(options.beside).generic_string();
  if (!options.keeps_figures)
    for (std::size_t i = first; i < blocks.size(); ++i)
      if (auto* picture = std::get_if<Picture>(&blocks[i]))
        picture->elsewhere = shell_line({"orrery", "report", folder});
  blocks.push_back(CodeBlock{run_command_line(recovered.result.provenance, point.id)});
}

void add_point(const PointRecord& point, const ReportOptions& options, Report& report) {
  std::vector<Block>& blocks = report.document.blocks;
  blocks.push_back(Heading{2, title_of(point), anchor_of(point)});
  if (!point.is_done()) {
    const std::string why = point.error.empty() ? "" : ": " + point.error;
    blocks.push_back(Paragraph{std::string(name_of(point.status)) + why, Paragraph::Kind::warning});
    return;
  }
  try {
    add_point_result(point, options, report);
  } catch (const Error& error) {
    add_problems(point, {error.what()}, report);
    blocks.push_back(Paragraph{error.what(), Paragraph::Kind::warning});
  }
}

/// What is wrong with the files of a finished point.
std::vector<std::string> damages_of(const PointRecord& point) try {
  if (!point.is_done()) return {};
  return SavedFolder(point.folder).damages();
} catch (const Error& error) {
  return {error.what()};
}

/// Checks the files of the points that are not shown in full.
void check_points(const SavedSweep& sweep, std::size_t first, Report& report) {
  std::vector<std::vector<std::string>> damages(sweep.points.size());
  for_points(damages.size() - first,
             [&](std::size_t i) { damages[first + i] = damages_of(sweep.points[first + i]); });
  for (std::size_t i = first; i < damages.size(); ++i)
    add_problems(sweep.points[i], damages[i], report);
}

void add_provenance(const SavedSweep& sweep, std::vector<Block>& blocks) {
  blocks.push_back(Heading{2, "How to reproduce", "reproduce"});
  std::string lines;
  if (sweep.manifest.is_object() && sweep.manifest.contains("calls"))
    for (const auto& call : sweep.manifest["calls"])
      if (call.is_object() && call.contains("argv"))
        lines += (lines.empty() ? "" : "\n") + shell_line(called_words(call));
  if (!lines.empty()) {
    blocks.push_back(Paragraph{"The original commands:"});
    blocks.push_back(CodeBlock{lines});
  }
  blocks.push_back(Paragraph{fmt::format(
      "To compute a single point, use the command below its figures, or orrery run {} with the "
      "settings in results.csv and constants.csv. Version {} of {} gives the same numbers to the "
      "bit.",
      sweep.experiment, sweep.version, sweep.experiment)});
  blocks.push_back(Heading{2, "Provenance", "provenance"});
  Grid grid{.header = {"", ""}};
  add_program_and_machine(sweep.manifest, grid);
  blocks.push_back(std::move(grid));
}

}  // namespace

Report sweep_report(const ReportOptions& options) {
  const SavedSweep sweep = load_sweep(options.folder);
  const std::size_t shown = std::min(options.most_points_with_figures, sweep.points.size());
  Report report{.document = {.title = experiment_title(sweep.experiment) + ": a sweep"},
                .problems = sweep.problems};
  std::vector<Block>& blocks = report.document.blocks;
  add_summary(sweep, blocks);
  add_notes(options.folder, blocks, report.problems);
  const std::size_t place_of_problems = blocks.size();
  add_overview(sweep, options, blocks);
  add_claims_table(sweep, blocks);
  blocks.push_back(Heading{2, "Settings", "settings"});
  add_swept(sweep, blocks);
  {
    const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
    const SweepTables tables{sweep, tidy, shown, options.beside};
    add_constants(tables, blocks);
    add_repeats(tables, blocks);
    add_results(tables, blocks);
  }
  add_failures(sweep, blocks);
  for (std::size_t i = 0; i < shown; ++i) add_point(sweep.points[i], options, report);
  if (shown < sweep.points.size())
    blocks.push_back(Paragraph{
        fmt::format("The figures of the other {} points are in their folders under points/; "
                    "orrery report --points {} shows them all.",
                    sweep.points.size() - shown, sweep.points.size()),
        Paragraph::Kind::quiet});
  check_points(sweep, shown, report);
  report.without_result = points_without_result(sweep);
  add_provenance(sweep, blocks);
  if (!report.problems.empty())
    blocks.insert(
        blocks.begin() + static_cast<std::ptrdiff_t>(place_of_problems),
        {Paragraph{"Parts of this sweep are missing or damaged:", Paragraph::Kind::warning},
         warnings(report.problems, "orrery status names every damaged point")});
  return report;
}

}  // namespace orrery
