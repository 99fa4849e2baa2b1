#include "experiments/figure/plot/line_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double max_share = 0.3;           ///< of the room's width, for the widest name
constexpr std::size_t most_name_lines = 3;  ///< of a name
constexpr double end_tolerance = 0.02;      ///< of the plot's width, from its right end

/// The last sample of a curve that an axis can show, not beyond the axis' end where one is before.
std::optional<std::size_t> last_shown(const Series& series, const Axes& axes) {
  std::optional<std::size_t> last;
  for (std::size_t i = std::min(series.x.size(), series.y.size()); i-- > 0;) {
    if (!is_shown(axes.x.scale, series.x[i]) || !is_shown(axes.y.scale, series.y[i])) continue;
    last = i;
    if (series.x[i] <= axes.x.data.max) break;
  }
  return last;
}

/// Where the name of a curve belongs, within the plot.
double end_of(const Series& series, const Axes& axes) {
  const auto last = last_shown(series, axes);
  const double at = last ? axes.y.to_canvas(series.y[*last]) : axes.plot.bottom();
  return std::clamp(at, axes.plot.y, axes.plot.bottom());
}

/// "learned, to 512" where the curve ends there.
std::string name_with_end(const Series& series, const Axes& axes) {
  const auto last = last_shown(series, axes);
  if (!last || reaches_end(series, axes)) return shown_name(series);
  return fmt::format("{}, to {}", shown_name(series), grouped_number(series.x[*last]));
}

std::string joined_names(const std::vector<const Series*>& curves, const Axes& axes) {
  std::string names;
  for (const Series* series : curves) {
    if (!names.empty()) names += relation_of(*series, *curves.front());
    names += name_with_end(*series, axes);
  }
  return names;
}

/// A name where it is drawn.
struct Standing {
  const LineNames::Place* place{};
  double end{};     ///< y at which the curve ends
  double y{};       ///< of the middle of the name
  double height{};  ///< of it
};

/// Moves names apart that would overlap, within the plot; they are in order of their ends.
void spread(std::vector<Standing>& names, const Rect& plot) {
  double free = plot.y;
  for (Standing& name : names) {
    name.y = std::max(name.end, free + name.height / 2);
    free = name.y + name.height / 2;
  }
  double lowest = plot.bottom();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    name->y = std::min(name->y, lowest - name->height / 2);
    lowest = name->y - name->height / 2;
  }
}

double height_of(const PlotContext& context, const LineNames::Place& place) {
  const double line = line_height(context.canvas, tick_style(context.style));
  return line * (static_cast<double>(place.lines.size()) + 0.25);
}

/// Breaks the names into lines. Returns whether each is whole, and all fit above one another.
bool fit(const PlotContext& context, LineNames& names, const Axes& axes, double widest) {
  const TextStyle text = tick_style(context.style);
  double height = 0;
  for (LineNames::Place& place : names.places) {
    place.lines =
        wrapped(context.canvas, joined_names(place.curves, axes), text, widest, most_name_lines);
    if (place.lines.empty() || place.lines.back().ends_with("…")) return false;
    for (const std::string& words : place.lines)
      names.width = std::max(names.width, rich_size(context.canvas, words, text).width);
    height += height_of(context, place);
  }
  return height <= axes.plot.height;
}

double lead(const PlotContext& context) { return 1.6 * gap(context.style); }

std::vector<Standing> standing(const PlotContext& context, const LineNames& names,
                               const Axes& axes) {
  std::vector<Standing> all;
  for (const LineNames::Place& place : names.places) {
    const double end = end_of(*place.curves.front(), axes);
    all.push_back({&place, end, end, height_of(context, place)});
  }
  std::ranges::stable_sort(all, [](const Standing& a, const Standing& b) { return a.end < b.end; });
  spread(all, axes.plot);
  return all;
}

/// Each curve of a name has its part of the box, below or beside the others.
void record(PlotContext& context, const LineNames::Place& place, const Rect& box) {
  const auto count = static_cast<double>(place.curves.size());
  const bool below = place.lines.size() >= place.curves.size();
  Rect part{box.x, box.y, below ? box.width : box.width / count,
            below ? box.height / count : box.height};
  for (const Series* series : place.curves) {
    FigureLayout& layout = context.layout;
    (series->is_ghost() ? layout.ghost_names : layout.legend).push_back({part, series->name});
    (below ? part.y : part.x) += below ? part.height : part.width;
  }
}

/// As of the first curve that is seen.
Color color_of(const PlotContext& context, const LineNames::Place& place) {
  for (const Series* series : place.curves)
    if (!context.view.hides(*series))
      return series->is_ghost() ? context.style.muted : series_color(context.style, *series);
  return with_alpha(context.style.muted, 0.6);
}

}  // namespace

bool reaches_end(const Series& series, const Axes& axes) {
  if (series.style == LineStyle::points) return false;
  const auto last = last_shown(series, axes);
  return last &&
         axes.x.to_canvas(series.x[*last]) >= axes.plot.right() - end_tolerance * axes.plot.width;
}

std::optional<LineNames> place_line_names(PlotContext& context,
                                          const std::vector<const Series*>& curves,
                                          const Axes& whole, double room_width) {
  if (curves.empty()) return std::nullopt;
  LineNames names;
  std::vector<Silhouette> first;  // of each place
  for (const Series* series : curves) {
    Silhouette silhouette = silhouette_of(context, *series, whole);
    const auto same = std::ranges::find_if(
        first, [&](const Silhouette& other) { return other.coincides(silhouette); });
    if (same != first.end()) {
      names.places[static_cast<std::size_t>(same - first.begin())].curves.push_back(series);
      continue;
    }
    first.push_back(std::move(silhouette));
    names.places.push_back({{series}, {}});
  }
  if (!fit(context, names, whole, max_share * room_width)) return std::nullopt;
  return names;
}

double line_names_width(const PlotContext& context, const LineNames& names) {
  return names.width + lead(context) + 0.5 * gap(context.style);
}

void draw_line_names(PlotContext& context, const LineNames& names, const Axes& axes) {
  TextStyle text = aligned_text(tick_style(context.style), VerticalAlign::middle);
  const double line = line_height(context.canvas, text);
  const double x = axes.plot.right() + lead(context);
  for (const Standing& name : standing(context, names, axes)) {
    text.color = color_of(context, *name.place);
    // A name that could not stand at its line's end is led to it.
    if (std::abs(name.y - name.end) > 0.35 * line)
      draw_segment(context.canvas, {axes.plot.right() + 0.2 * gap(context.style), name.end},
                   {x - 0.3 * gap(context.style), name.y},
                   {text.color, hairline(context.style), Dash::solid});
    double y = name.y - 0.5 * line * static_cast<double>(name.place->lines.size() - 1);
    record(context, *name.place, {x, y - 0.5 * line, names.width, name.height});
    for (const std::string& words : name.place->lines) {
      draw_rich(context.canvas, {x, y}, words, text);
      y += line;
    }
  }
}

}  // namespace orrery
