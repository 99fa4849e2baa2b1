#include "experiments/figure/plot/coincidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/figure/plot/labels.h"

namespace orrery {
namespace {

bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

const char* relation_of(const Series& a, const Series& b) {
  return are_equal(a.x, b.x) && are_equal(a.y, b.y) ? " = " : " ≈ ";
}

void Coincidences::add(const Series& series, Silhouette silhouette) {
  const auto same = std::find_if(drawn_.begin(), drawn_.end(), [&](const Drawn& one) {
    return one.silhouette.coincides(silhouette);
  });
  if (same == drawn_.end()) {
    drawn_.push_back({&series, std::move(silhouette)});
    return;
  }
  const Dash dash = same->twins++ == 0 ? Dash::dashed : Dash::dotted;
  twins_.push_back({&series, same->series, dash});
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
  return twin ? relation_of(series, *twin->first) + shown_name(*twin->first) : "";
}

}  // namespace orrery
