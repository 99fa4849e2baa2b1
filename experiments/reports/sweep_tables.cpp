
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/reports/report_parts.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

constexpr std::size_t most_rows = 200;  ///< of a table in the page; the others are in its CSV

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
  for (const std::size_t m : varied_measures(tidy)) {
    const MeasureTitle measure = title_of(sweep.measures, tidy.measures[m]);
    add_column(with_unit(plain_text(measure.title), measure.unit), measure.name, grid);
  }
  return grid;
}

/// Of many rows the first, and before them those of points without a result or with a failing
/// claim.
std::vector<const TidyRow*> rows_shown(const TidyTable& tidy) {
  std::vector<const TidyRow*> rows;
  for (const TidyRow& row : tidy.rows) rows.push_back(&row);
  if (rows.size() <= most_rows) return rows;
  std::stable_partition(rows.begin(), rows.end(), [](const TidyRow* row) {
    return !row->point->is_done() || row->point->failing_checks() > 0;
  });
  rows.resize(most_rows);
  return rows;
}

/// Where a file of the sweep is, as seen from the report.
std::string file_of(const SweepTables& of, const char* name) {
  return (of.sweep.folder / name).lexically_proximate(of.beside).generic_string();
}

/// Says of a table that was cut how many rows are where.
void add_rest(const SweepTables& of, const char* file, std::size_t shown, std::size_t all,
              std::string_view which, std::vector<Block>& blocks) {
  if (shown < all)
    blocks.push_back(Paragraph{fmt::format("These are {} of {} rows, {}; all of them are in {}.",
                                           shown, all, which, file_of(of, file))});
}

}  // namespace

std::vector<std::size_t> varied_measures(const TidyTable& table) {
  std::vector<std::size_t> places;
  for (std::size_t m = 0; m < table.measures.size(); ++m)
    if (!is_constant(table, m)) places.push_back(m);
  return places;
}

std::string anchor_of(const PointRecord& point) { return "point-" + point.id; }

std::string title_of(const PointRecord& point) {
  return point.label.empty() ? point.id : point.label;
}

void add_results(const SweepTables& of_sweep, std::vector<Block>& blocks) {
  const auto& [sweep, tidy, shown, beside] = of_sweep;
  blocks.push_back(Heading{2, "Results", "results"});
  Grid grid = results_grid(sweep, tidy);
  const std::vector<const TidyRow*> rows = rows_shown(tidy);
  const std::vector<std::size_t> varied = varied_measures(tidy);
  add_rest(of_sweep, results_csv_file, rows.size(), tidy.rows.size(),
           "those of points without a result or with a failing claim first", blocks);
  for (const TidyRow* row_of : rows) {
    const TidyRow& of = *row_of;
    const PointRecord& point = *of.point;
    GridCell name = text_cell(sweep.swept.empty() ? title_of(point) : point.id);
    if (&point < &sweep.points.front() + shown) name.anchor = anchor_of(point);
    std::vector<GridCell> row{std::move(name), status_cell(point)};
    if (sweep.repeats > 1) row.push_back(number_cell(point.repeat));
    for (const std::string& key : tidy.keys) row.push_back(text_cell(point.param(key)));
    if (tidy.has_encodings) row.push_back(text_cell(label_of_encoding(of.encoding)));
    for (const std::size_t m : varied) row.push_back(number_cell(of.values[m]));
    grid.rows.push_back(std::move(row));
  }
  blocks.push_back(std::move(grid));
  blocks.push_back(
      Paragraph{"All digits are in results.csv and results.jsonl; measures.csv says which of their "
                "columns has which title.",
                Paragraph::Kind::quiet});
}

void add_constants(const SweepTables& of, std::vector<Block>& blocks) {
  const SavedSweep& sweep = of.sweep;
  const TidyTable& tidy = of.tidy;
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

namespace {

/// What one measure of one group of repeats is: a row.
std::vector<GridCell> repeats_row(const SweepTables& of, const RepeatGroup& group,
                                  std::size_t measure) {
  const TidyTable& tidy = of.tidy;
  const TidyRow& first = *group.rows.front();
  const SampleMoments& moments = group.moments[measure];
  const MeanInterval interval = mean_interval(moments);
  std::vector<GridCell> row;
  for (const std::string& key : tidy.keys) row.push_back(text_cell(first.point->param(key)));
  if (tidy.has_encodings) row.push_back(text_cell(label_of_encoding(first.encoding)));
  const MeasureTitle title = title_of(of.sweep.measures, tidy.measures[measure]);
  row.push_back(text_cell(with_unit(plain_text(title.title), title.unit)));
  for (const double value : {static_cast<double>(moments.n), moments.mean, moments.deviation,
                             interval.low, interval.high})
    row.push_back(number_cell(value));
  return row;
}

}  // namespace

void add_repeats(const SweepTables& of, std::vector<Block>& blocks) {
  const TidyTable& tidy = of.tidy;
  if (of.sweep.repeats < 2) return;
  blocks.push_back(Heading{2, "Over repeats", "repeats"});
  Grid grid{.header = {tidy.keys.begin(), tidy.keys.end()}, .interactive = true};
  if (tidy.has_encodings) grid.header.emplace_back("encoding");
  for (const char* name : {"measure", "n", "mean", "sd", "95 % from", "to"})
    grid.header.emplace_back(name);
  const std::vector<std::size_t> measures = varied_measures(tidy);
  std::size_t all = 0;
  for (const RepeatGroup& group : repeat_groups(tidy))
    for (const std::size_t m : measures)
      if (group.moments[m].n > 0 && ++all <= most_rows)
        grid.rows.push_back(repeats_row(of, group, m));
  add_rest(of, summary_file, grid.rows.size(), all, "the first", blocks);
  blocks.push_back(std::move(grid));
  blocks.push_back(
      Paragraph{"The intervals are those of Student's t for the mean; summary.csv has "
                "all digits.",
                Paragraph::Kind::quiet});
}

}  // namespace orrery
