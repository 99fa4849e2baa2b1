#include "experiments/figure/plot/ghosts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/text/marked_text.h"

namespace orrery {
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

const Series* own_curve(const LinePlot& plot, const std::string& name) {
  const auto found = std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& one) {
    return !one.is_ghost() && one.name == name;
  });
  return found == plot.series.end() ? nullptr : &*found;
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
