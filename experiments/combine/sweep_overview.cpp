#include "experiments/combine/sweep_overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/combine/combine.h"
#include "experiments/combine/parts.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/tidy_table.h"
#include "experiments/text/number_text.h"

namespace orrery {

namespace {

constexpr std::size_t many_points = 2000, first_points = 400;

Result drawn_together(const SavedSweep& sweep, const PlotRequest& look) {
  Result result;
  result.provenance.experiment = sweep_overview_name;
  for (DrawnPage& page : overview(sweep, most_overview_pages, look).pages)
    for (Figure& figure : figures_of(std::move(page.panels)))
      result.figures.push_back(std::move(figure));
  return result;
}

/// The same of a few points, as it says.
Result first_look(const SavedSweep& sweep, const Points& done, const PlotRequest& look) {
  SavedSweep few{.folder = sweep.folder,
                 .experiment = sweep.experiment,
                 .version = sweep.version,
                 .seed = sweep.seed,
                 .swept = sweep.swept,
                 .measures = sweep.measures};
  for (const PointRecord* point : sample_of(done, first_points)) few.points.push_back(*point);
  Result result = drawn_together(few, look);
  result.status = Status::stopped;
  for (Figure& figure : result.figures)
    figure.caption += fmt::format(" · a sample of {} of {} points", few.points.size(),
                                  grouped_number(static_cast<double>(done.size())));
  return result;
}

}  // namespace

ExperimentView sweep_overview_view() {
  return {.layout = ViewLayout::small_multiples, .grouping = Grouping::by_page};
}

Result sweep_overview(const std::filesystem::path& folder, const PlotRequest& look,
                      Progress& progress) {
  const auto kept = kept_sweep(folder);
  const SavedSweep& sweep = *kept;
  const Points done = finished_points(sweep);
  if (done.size() > many_points && sweep.repeats == 1 && progress.wants_to_see()) {
    auto first = std::make_shared<Result>(first_look(sweep, done, look));
    if (!first->figures.empty()) progress.see(std::move(first));
  }
  checkpoint(progress, 0, "all points");
  Result result = drawn_together(sweep, look);
  if (result.figures.empty())
    throw DataError(folder.string(), "has no figures that draw its points together",
                    "choose a point, or wait until two of them are done");
  return result;
}

std::vector<std::string> varied_settings(const std::vector<PointRecord>& points) {
  TidyTable tidy = tidy_table(points, {});
  std::erase(tidy.keys, "seed");
  const auto encodings = [&] {
    std::set<std::string> names;
    for (const TidyRow& row : tidy.rows) names.insert(row.encoding);
    return names.size();
  };
  if (tidy.has_encodings && encodings() > 1) tidy.keys.insert(tidy.keys.begin(), "encoding");
  return tidy.keys;
}

FolderFacts sweep_facts(const std::filesystem::path& folder) {
  const auto kept = kept_sweep(folder);
  const SavedSweep& sweep = *kept;
  FolderFacts facts{{"experiment", sweep.experiment},
                    {"swept", fmt::format("{}", fmt::join(sweep.swept, ", "))},
                    {"points", fmt::format("{}", sweep.points.size())},
                    {"done", fmt::format("{}", count_with(sweep.points, PointStatus::done))}};
  if (sweep.repeats > 1) facts.emplace_back("repeats", fmt::format("{}", sweep.repeats));
  add_notes(facts, folder);
  return facts;
}

}  // namespace orrery
