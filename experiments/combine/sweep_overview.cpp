#include "experiments/combine/sweep_overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/errors.h"
#include "experiments/combine/combine.h"
#include "experiments/sweeps/saved_sweep.h"

namespace orrery::combine {

Result sweep_overview(const std::filesystem::path& folder) {
  const SavedSweep sweep = load_sweep(folder);
  Result result;
  result.provenance.experiment = sweep_overview_name;
  for (Panels& page : overview(sweep, most_overview_pages))
    for (std::size_t i = 0; i < page.panels.size(); ++i) {
      Figure figure = std::move(page.panels[i]);
      const bool alone = page.panels.size() == 1;
      figure.id = alone ? page.id : fmt::format("{}_{}", page.id, i + 1);
      figure.title = alone || figure.title.empty()
                         ? page.title
                         : fmt::format("{} – {}", figure.title, page.title);
      if (figure.caption.empty()) figure.caption = page.caption;
      figure.role.kind = page.id;
      result.figures.push_back(std::move(figure));
    }
  if (result.figures.empty())
    throw DataError(folder.string(), "has no figures that draw its points together",
                    "choose a point, or wait until two of them are done");
  return result;
}

Facts sweep_facts(const std::filesystem::path& folder) {
  const SavedSweep sweep = load_sweep(folder);
  Facts facts{{"experiment", sweep.experiment},
              {"swept", fmt::format("{}", fmt::join(sweep.swept, ", "))},
              {"points", fmt::format("{}", sweep.points.size())},
              {"done", fmt::format("{}", count_with(sweep.points, PointStatus::done))}};
  if (sweep.repeats > 1) facts.emplace_back("repeats", fmt::format("{}", sweep.repeats));
  add_notes(facts, folder);
  return facts;
}

}  // namespace orrery::combine
