#include "experiments/figure/plot/coincidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/silhouette.h"

namespace orrery::figure {
namespace {

bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// A curve with a name and where it runs.
struct Drawn {
  const Series* series;
  Silhouette silhouette;
  int twins{0};
};

}  // namespace

const char* relation_of(const Series& a, const Series& b) {
  return are_equal(a.x, b.x) && are_equal(a.y, b.y) ? " = " : " ≈ ";
}

Coincidences::Coincidences(PlotContext& context, const LinePlot& plot, const Axes& axes) {
  std::vector<Drawn> drawn;
  for (const Series& series : plot.series) {
    if (series.is_ghost() || series.name.empty() || series.style != LineStyle::solid ||
        series.marked || context.view.hidden.contains(series.name))
      continue;
    Silhouette silhouette(axes.plot);
    for (const Strip& strip : visible_strips(context, series, axes)) silhouette.add(strip);
    const auto same = std::find_if(drawn.begin(), drawn.end(), [&](const Drawn& one) {
      return one.silhouette.coincides(silhouette);
    });
    if (same == drawn.end()) {
      drawn.push_back({&series, std::move(silhouette)});
      continue;
    }
    const Dash dash = same->twins++ == 0 ? Dash::dashed : Dash::dotted;
    twins_.push_back({&series, same->series, dash});
  }
}

const Coincidences::Twin* Coincidences::find(const Series& series) const {
  const auto twin = std::find_if(twins_.begin(), twins_.end(),
                                 [&](const Twin& one) { return one.series == &series; });
  return twin == twins_.end() ? nullptr : &*twin;
}

const Series& Coincidences::first_of(const Series& series) const {
  const Twin* twin = find(series);
  return twin ? *twin->first : series;
}

Dash Coincidences::dash_of(const Series& series) const {
  const Twin* twin = find(series);
  return twin ? twin->dash : Dash::solid;
}

std::string Coincidences::note_on(const Series& series) const {
  const Twin* twin = find(series);
  return twin ? relation_of(series, *twin->first) + twin->first->name : "";
}

}  // namespace orrery::figure
