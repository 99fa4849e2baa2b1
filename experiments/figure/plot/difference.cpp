#include "experiments/figure/plot/difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/marked_text.h"

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
  std::ranges::stable_sort(samples, [](const auto& a, const auto& b) { return a.first < b.first; });
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

const Series* own_curve(const LinePlot& plot, const std::string& name) {
  const auto found = std::ranges::find_if(
      plot.series, [&](const Series& one) { return !one.is_ghost() && one.name == name; });
  return found == plot.series.end() ? nullptr : &*found;
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
  const Series* const own = own_curve(*plot, curve);
  if (!own) return std::nullopt;
  LinePlot made = difference_plot(*plot);
  for (const Series& other : plot->series) {
    if (&other == own || other.is_ghost()) continue;
    Series series = subtracted({&other, own, other.name + " − " + curve});
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
  const auto same = std::ranges::find(candidates, figure.id, &Figure::id);
  if (same != candidates.end()) return &*same;
  return candidates.size() == count && place < count ? &candidates[place] : nullptr;
}

namespace {

/// Names of more equal curves are counted.
constexpr std::size_t max_equal_names = 2;
constexpr std::string_view thin_space = "\u2009";

/// Whether the values are equal wherever both curves have one, and that is somewhere.
bool same_course(const Series& a, const Series& b) {
  std::size_t common = 0, j = 0;
  for (std::size_t i = 0; i < std::min(a.x.size(), a.y.size()); ++i) {
    while (j < b.x.size() && b.x[j] < a.x[i]) ++j;
    if (j >= std::min(b.x.size(), b.y.size()) || b.x[j] != a.x[i]) continue;
    if (!same_number(a.y[i], b.y[j])) return false;
    ++common;
  }
  return common > 0;
}

/// "= RoPE, T5", "= RoPE and 3 others".
std::string equal_to(const std::vector<std::string>& names) {
  if (names.front().empty()) return "= this curve";
  if (names.size() > max_equal_names)
    return "= " + names.front() + " and " + std::to_string(names.size() - 1) + " others";
  return "= " + names.front() + (names.size() > 1 ? ", " + names[1] : "");
}

/// Lines that a legend tells apart; points stay points.
LineStyle style_at(std::size_t place, LineStyle own) {
  constexpr std::array styles{LineStyle::solid, LineStyle::dashed, LineStyle::dotted};
  return own == LineStyle::points ? own : styles[place % styles.size()];
}

/// "RoPE · base 500 000"; a curve that is called by its settings needs no others.
std::string name_of(const Series& series, const GhostSource& source) {
  const bool alone = source.plot.series.size() == 1 && source.name == source.settings;
  if (alone || series.name.empty()) return source.name;
  std::string plain = source.settings;
  for (std::size_t at = 0; (at = plain.find(thin_space)) != std::string::npos;)
    plain.erase(at, thin_space.size());
  const bool says_so = series.name.find(plain) != std::string::npos;
  return says_so ? series.name : series.name + " · " + source.settings;
}

/// Marked, where the curve has a label.
std::string label_of(const Series& series, const std::string& name) {
  if (series.label.empty() || !name.starts_with(series.name)) return {};
  return series.label + as_marked(name.substr(series.name.size()));
}

Series ghost_of(const Series& series, std::string name, std::string apart, std::size_t place) {
  std::string label = label_of(series, name);
  return {.name = std::move(name),
          .x = series.x,
          .y = series.y,
          .style = style_at(place, series.style),
          .color = series.color,
          .ghost = std::move(apart),
          .label = std::move(label)};
}

bool same_quantity(const Axis& a, const Axis& b) { return a.unit == b.unit && a.role == b.role; }

}  // namespace

bool share_axes(const LinePlot& a, const LinePlot& b) {
  return same_quantity(a.x, b.x) && same_quantity(a.y, b.y);
}

void add_ghosts(LinePlot& plot, const GhostSource& source, const std::set<std::string>& hidden) {
  std::vector<Series> ghosts;
  std::vector<std::string> equal_names;
  const Series* first_equal = nullptr;
  for (const Series& series : source.plot.series) {
    if (series.is_ghost() || hidden.contains(series.name)) continue;
    const Series* own = own_curve(plot, series.name);
    if (own && same_course(*own, series)) {
      if (!first_equal) first_equal = &series;
      equal_names.push_back(series.name);
      continue;
    }
    ghosts.push_back(ghost_of(series, name_of(series, source), source.name, source.place));
  }
  // Where nothing but the choice of curves differs, those in common are of course equal.
  if (first_equal && source.tells_equal && !source.settings.empty()) {
    const std::string name = source.settings + " " + equal_to(equal_names);
    const std::string apart = ghosts.empty() ? name : source.name;
    ghosts.push_back(ghost_of(*first_equal, name, apart, source.place));
  }
  if (ghosts.empty()) return;
  widen(plot.x.range, source.plot.x.range);
  widen(plot.y.range, source.plot.y.range);
  plot.series.insert(plot.series.end(), std::make_move_iterator(ghosts.begin()),
                     std::make_move_iterator(ghosts.end()));
}

}  // namespace orrery
