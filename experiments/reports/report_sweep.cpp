#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/errors.h"
#include "experiments/combine/combine.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/reports/report_parts.h"
#include "experiments/reports/report_sweep.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/tidy_table.h"
#include "experiments/text/shell_quote.h"

namespace orrery::reports {
namespace {

std::string anchor_of(const PointRecord& point) { return "point-" + point.id; }

std::string name_of(const PointRecord& point) {
  return point.label.empty() ? point.id : point.label;
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
  blocks.push_back(Paragraph{fmt::format("Repeats: {}. Seed: {}.", sweep.repeats, sweep.seed),
                             Paragraph::Kind::quiet});
}

/// "8, 16, 32"; of many the first ones.
std::string values_text(const SavedSweep& sweep, const std::string& key) {
  constexpr std::size_t most = 12;
  std::vector<std::string> values;
  for (const PointRecord& point : sweep.points)
    if (const std::string value = point.param(key);
        !value.empty() && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
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
  const std::vector<Panels> pages = combine::overview(sweep, combine::most_overview_pages);
  if (pages.empty()) return;
  blocks.push_back(Heading{2, "Overview", "overview"});
  for (std::size_t i = 0; i < pages.size(); ++i)
    blocks.push_back(PanelPicture{
        .panels = pages[i],
        .id = fmt::format("overview_{}", i),
        .file =
            options.panels.empty() ? "" : fmt::format("{}/{}.svg", options.panels, pages[i].id)});
  blocks.push_back(
      Paragraph{pages.size() == combine::most_overview_pages
                    ? fmt::format("These are the first {} figures; orrery plot draws all of them.",
                                  pages.size())
                    : std::string("orrery plot draws these into files, and others."),
                Paragraph::Kind::quiet});
}

GridCell status_cell(const PointRecord& point) {
  if (!point.is_done()) return verdict_cell(false, std::string(name_of(point.status)));
  const std::size_t failing = point.failing_checks();
  return verdict_cell(failing == 0, failing == 0 ? "holds" : fmt::format("{} FAIL", failing));
}

void add_column(std::string header, std::string name, Grid& grid) {
  grid.header.push_back(std::move(header));
  grid.names.push_back(std::move(name));
}

/// The header of the results: settings with their units, measures with their titles.
Grid results_grid(const SavedSweep& sweep, const TidyTable& tidy) {
  Grid grid{.interactive = true};
  for (const char* name : {"Point", "Claims"}) add_column(name, name, grid);
  if (sweep.repeats > 1) add_column("repeat", "repeat", grid);
  for (const std::string& key : tidy.keys)
    add_column(with_unit(key, spec_named(sweep.experiment, key).unit), key, grid);
  if (tidy.has_encodings) add_column("encoding", "encoding", grid);
  for (std::size_t m = 0; m < tidy.measures.size(); ++m)
    if (!is_constant(tidy, m)) {
      const MeasureTitle measure = title_of(sweep.measures, tidy.measures[m]);
      add_column(with_unit(plain_text(measure.title), measure.unit), measure.name, grid);
    }
  return grid;
}

/// A row per point and encoding; the settings and measures with one value stand above it.
void add_results(const SavedSweep& sweep, const TidyTable& tidy, std::size_t shown,
                 std::vector<Block>& blocks) {
  blocks.push_back(Heading{2, "Results", "results"});
  Grid grid = results_grid(sweep, tidy);
  for (const TidyRow& of : tidy.rows) {
    const PointRecord& point = *of.point;
    GridCell name = text_cell(sweep.swept.empty() ? name_of(point) : point.id);
    if (&point < &sweep.points.front() + shown) name.anchor = anchor_of(point);
    std::vector<GridCell> row{std::move(name), status_cell(point)};
    if (sweep.repeats > 1) row.push_back(number_cell(point.repeat));
    for (const std::string& key : tidy.keys) row.push_back(text_cell(point.param(key)));
    if (tidy.has_encodings) row.push_back(text_cell(setup::label_of_encoding(of.encoding)));
    for (std::size_t m = 0; m < tidy.measures.size(); ++m)
      if (!is_constant(tidy, m)) row.push_back(number_cell(of.values[m]));
    grid.rows.push_back(std::move(row));
  }
  blocks.push_back(std::move(grid));
  blocks.push_back(
      Paragraph{"All digits are in results.csv and results.jsonl; measures.csv says which of their "
                "columns has which title.",
                Paragraph::Kind::quiet});
}

/// Settings and measures that are the same everywhere.
void add_constants(const SavedSweep& sweep, const TidyTable& tidy, std::vector<Block>& blocks) {
  Grid grid{.header = {"The same everywhere", "Value", "Unit", "What it is"}};
  for (const auto& [key, value] : tidy.constants) {
    const ParamSpec spec = spec_named(sweep.experiment, key);
    grid.rows.push_back(
        {text_cell(key), text_cell(value), text_cell(spec.unit), marked_cell(spec.description)});
  }
  for (std::size_t m = 0; m < tidy.measures.size(); ++m)
    if (is_constant(tidy, m)) {
      const MeasureTitle measure = title_of(sweep.measures, tidy.measures[m]);
      grid.rows.push_back({text_cell(measure.name), number_cell(tidy.rows.front().values[m]),
                           text_cell(measure.unit), marked_cell(measure.title)});
    }
  if (!grid.rows.empty()) blocks.push_back(std::move(grid));
}

/// Means over repeats with their intervals.
void add_repeats(const SavedSweep& sweep, const TidyTable& tidy, std::vector<Block>& blocks) {
  if (sweep.repeats < 2) return;
  blocks.push_back(Heading{2, "Over repeats", "repeats"});
  Grid grid{.header = tidy.keys, .interactive = true};
  if (tidy.has_encodings) grid.header.emplace_back("encoding");
  for (const char* name : {"measure", "n", "mean", "sd", "95 % from", "to"})
    grid.header.emplace_back(name);
  for (const RepeatGroup& group : repeat_groups(tidy))
    for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
      const SampleMoments& of = group.moments[m];
      if (of.n == 0 || is_constant(tidy, m)) continue;
      const MeanInterval interval = mean_interval(of);
      std::vector<GridCell> row;
      for (const std::string& key : tidy.keys)
        row.push_back(text_cell(group.rows.front()->point->param(key)));
      if (tidy.has_encodings)
        row.push_back(text_cell(setup::label_of_encoding(group.rows.front()->encoding)));
      const MeasureTitle measure = title_of(sweep.measures, tidy.measures[m]);
      row.push_back(text_cell(with_unit(plain_text(measure.title), measure.unit)));
      for (const double value :
           {static_cast<double>(of.n), of.mean, of.deviation, interval.low, interval.high})
        row.push_back(number_cell(value));
      grid.rows.push_back(std::move(row));
    }
  blocks.push_back(std::move(grid));
  blocks.push_back(
      Paragraph{"The intervals are those of Student's t for the mean; summary.csv has "
                "all digits.",
                Paragraph::Kind::quiet});
}

void add_failures(const SavedSweep& sweep, std::vector<Block>& blocks) {
  BulletList list{.warning = true};
  for (const PointRecord& point : sweep.points)
    if (point.status == PointStatus::failed)
      list.items.push_back(fmt::format("{} ({}): {}", name_of(point), point.id, point.error));
  if (list.items.empty()) return;
  blocks.push_back(Heading{2, "Failed points", "failed"});
  blocks.push_back(std::move(list));
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
  if (!recovered.problems.empty()) blocks.push_back(BulletList{recovered.problems, true});
  add_problems(point, recovered.problems, report);
  const ResultSections sections{recovered, saved, options.beside, anchor_of(point), 3};
  add_claims(sections, blocks);
  add_figures(sections, blocks);
  blocks.push_back(CodeBlock{run_command_line(recovered.result.provenance, point.id)});
}

void add_point(const PointRecord& point, const ReportOptions& options, Report& report) {
  std::vector<Block>& blocks = report.document.blocks;
  blocks.push_back(Heading{2, name_of(point), anchor_of(point)});
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

/// Checks the files of the points that are not shown in full.
void check_points(const SavedSweep& sweep, std::size_t first, Report& report) {
  for (std::size_t i = first; i < sweep.points.size(); ++i) {
    if (!sweep.points[i].is_done()) continue;
    try {
      add_problems(sweep.points[i], SavedFolder(sweep.points[i].folder).damages(), report);
    } catch (const Error& error) {
      add_problems(sweep.points[i], {error.what()}, report);
    }
  }
}

std::vector<std::vector<std::string>> calls_of(const SavedSweep& sweep) {
  std::vector<std::vector<std::string>> calls;
  if (!sweep.manifest.is_object() || !sweep.manifest.contains("calls")) return calls;
  for (const auto& call : sweep.manifest["calls"]) {
    if (!call.is_object() || !call.contains("argv")) continue;
    std::vector<std::string> words;
    for (const auto& word : call["argv"])
      if (word.is_string()) words.push_back(word.get<std::string>());
    if (!words.empty()) words.front() = "orrery";
    calls.push_back(std::move(words));
  }
  return calls;
}

void add_provenance(const SavedSweep& sweep, std::vector<Block>& blocks) {
  blocks.push_back(Heading{2, "How to reproduce", "reproduce"});
  std::string lines;
  for (const auto& call : calls_of(sweep)) lines += (lines.empty() ? "" : "\n") + shell_line(call);
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

std::string title_of(const SavedSweep& sweep) {
  const Experiment* known = known_experiment(sweep.experiment);
  return known ? known->info.title : sweep.experiment;
}

}  // namespace

Report sweep_report(const ReportOptions& options) {
  const SavedSweep sweep = load_sweep(options.folder);
  const std::size_t shown = std::min(options.most_points_with_figures, sweep.points.size());
  Report report{.document = {.title = title_of(sweep) + ": a sweep"}, .problems = sweep.problems};
  std::vector<Block>& blocks = report.document.blocks;
  add_summary(sweep, blocks);
  add_swept(sweep, blocks);
  add_notes(options.folder, blocks, report.problems);
  const std::size_t place_of_problems = blocks.size();
  add_claims_table(sweep, blocks);
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  add_constants(sweep, tidy, blocks);
  add_repeats(sweep, tidy, blocks);
  add_results(sweep, tidy, shown, blocks);
  add_overview(sweep, options, blocks);
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
         BulletList{report.problems, true}});
  return report;
}

}  // namespace orrery::reports
