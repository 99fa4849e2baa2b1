#include "experiments/figure/plot/difference.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "experiments/figure/plot/labels.h"

namespace orrery {
namespace {

std::string delta(const std::string& name) { return name.empty() ? name : "$Δ$ " + name; }

struct Pairing {
  const Series* shown{};
  const Series* reference{};
  std::string name{};
};

std::vector<Pairing> paired(const LinePlot& shown, const LinePlot& reference) {
  std::vector<Pairing> pairs;
  for (const Series& series : shown.series)
    for (const Series& other : reference.series)
      if (series.name == other.name && !series.is_ghost())
        pairs.push_back({&series, &other, series.name});
  if (pairs.empty() && shown.series.size() == 1 && reference.series.size() == 1)
    pairs.push_back({&shown.series[0], &reference.series[0],
                     shown.series[0].name + " − " + reference.series[0].name});
  return pairs;
}

/// Samples sorted by x. Among several at one x the last wins.
std::vector<std::pair<double, double>> by_x(const Series& series) {
  std::vector<std::pair<double, double>> samples;
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isnan(series.x[i])) samples.emplace_back(series.x[i], series.y[i]);
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return samples;
}

/// "$B_m$", or "RoPE − $B_m$".
std::string label_of(const Pairing& pair) {
  if (pair.name == pair.shown->name) return pair.shown->label;
  return shown_name(*pair.shown) + " − " + shown_name(*pair.reference);
}

Series subtracted(const Pairing& pair) {
  Series result{.name = pair.name,
                .style = pair.shown->style,
                .color = pair.shown->color,
                .label = label_of(pair)};
  const auto shown = by_x(*pair.shown), reference = by_x(*pair.reference);
  auto other = reference.begin();
  for (const auto& [x, y] : shown) {
    while (other != reference.end() && other->first < x) ++other;
    if (other == reference.end() || other->first != x) continue;
    result.x.push_back(x);
    result.y.push_back(y - other->second);
  }
  return result;
}

/// The axes of a difference, without curves.
LinePlot difference_plot(const LinePlot& of) {
  return {.x = of.x,
          .y = {.label = delta(of.y.label), .symbol = delta(of.y.symbol), .unit = of.y.unit},
          .rules = {{.at = 0.0}}};
}

std::optional<LinePlot> minus(const LinePlot& shown, const LinePlot& reference) {
  LinePlot plot = difference_plot(shown);
  for (const Pairing& pair : paired(shown, reference)) {
    Series series = subtracted(pair);
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  return plot.series.empty() ? std::nullopt : std::optional(std::move(plot));
}

std::shared_ptr<const Array> either_masked(const Heatmap& a, const Heatmap& b) {
  if (!a.masked || a.masked == b.masked || !b.masked) return a.masked ? a.masked : b.masked;
  Array both = *a.masked;
  std::vector<float> cells(both.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = (*a.masked)[i] != 0.0 || (*b.masked)[i] != 0.0 ? 1.0F : 0.0F;
  both.values = std::move(cells);
  return std::make_shared<const Array>(std::move(both));
}

double within_half_turn(double angle) { return std::remainder(angle, 2.0 * std::numbers::pi); }

std::optional<Heatmap> minus(const Heatmap& shown, const Heatmap& reference) {
  const bool alike = shown.values && reference.values &&
                     shown.values->shape == reference.values->shape &&
                     shown.meaning == reference.meaning;
  if (!alike) return std::nullopt;
  const bool angles = shown.meaning == Meaning::cyclic;
  std::vector<double> cells(shown.values->size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double step = (*shown.values)[i] - (*reference.values)[i];
    cells[i] = angles ? within_half_turn(step) : step;
  }
  Heatmap map = shown;
  map.values = std::make_shared<const Array>(
      Array{shown.values->name + "_difference", "difference from the reference",
            shown.values->shape, shown.values->axes, std::move(cells)});
  map.masked = either_masked(shown, reference);
  map.quantity = delta(shown.quantity);
  map.symbol = delta(shown.symbol);
  map.meaning = Meaning::diverging;
  map.range.reset();
  return map;
}

/// Content without a difference.
template <typename Shown, typename Reference>
std::optional<Heatmap> minus(const Shown&, const Reference&) {
  return std::nullopt;
}

}  // namespace

std::optional<Figure> difference_of(const Figure& shown, const Figure& reference) {
  return std::visit(
      [&](const auto& a, const auto& b) -> std::optional<Figure> {
        auto content = minus(a, b);
        if (!content) return std::nullopt;
        return Figure{shown.id, "Difference: " + shown.title, shown.caption, std::move(*content),
                      shown.role};
      },
      shown.content, reference.content);
}

std::optional<Figure> difference_from_curve(const Figure& figure, const std::string& curve) {
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  if (!plot) return std::nullopt;
  const auto own = std::find_if(plot->series.begin(), plot->series.end(), [&](const Series& one) {
    return !one.is_ghost() && one.name == curve;
  });
  if (own == plot->series.end()) return std::nullopt;
  LinePlot made = difference_plot(*plot);
  for (const Series& other : plot->series) {
    if (&other == &*own || other.is_ghost()) continue;
    Series series = subtracted({&other, &*own, other.name + " − " + curve});
    series.shade = other.shade;
    if (!series.x.empty()) made.series.push_back(std::move(series));
  }
  if (made.series.empty()) return std::nullopt;
  Figure difference = figure;
  difference.content = std::move(made);
  return difference;
}

const Figure* counterpart(const std::vector<Figure>& candidates, const Figure& figure,
                          std::size_t place, std::size_t count) {
  const auto same = std::find_if(candidates.begin(), candidates.end(),
                                 [&](const Figure& f) { return f.id == figure.id; });
  if (same != candidates.end()) return &*same;
  return candidates.size() == count && place < count ? &candidates[place] : nullptr;
}

}  // namespace orrery
