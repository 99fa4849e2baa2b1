#include "experiments/figure/plot/line_names.h"

#include <algorithm>
#include <cmath>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/silhouette.h"

namespace orrery {
namespace {

constexpr double max_share = 0.36;      ///< of the room's width, for the widest name
constexpr std::size_t max_lines = 3;    ///< of a name
constexpr double end_tolerance = 0.02;  ///< of the plot's width, from its right end

/// A curve, where it runs and where it ends.
struct Line {
  const Series* series{};
  Silhouette silhouette;
  double end{};
};

std::optional<Line> line_of(PlotContext& context, const Series& series, const Axes& axes) {
  Line line{&series, Silhouette(axes.plot), 0.0};
  if (series.style == LineStyle::points) return std::nullopt;
  const std::vector<Strip>& strips = visible_strips(context, series, axes);
  if (strips.empty() || strips.back().empty()) return std::nullopt;
  for (const Strip& strip : strips) line.silhouette.add(strip);
  const Point end = strips.back().back();
  if (end.x < axes.plot.right() - end_tolerance * axes.plot.width) return std::nullopt;
  line.end = std::clamp(end.y, axes.plot.y, axes.plot.bottom());
  return line;
}

std::string joined_names(const std::vector<const Series*>& curves) {
  std::string names;
  for (const Series* series : curves) {
    if (!names.empty()) names += relation_of(*series, *curves.front());
    names += shown_name(*series);
  }
  return names;
}

/// Moves names apart that would overlap, within the plot.
void spread(std::vector<LineNames::Place>& places, const Rect& plot) {
  double free = plot.y;
  for (LineNames::Place& place : places) {
    place.y = std::max(place.end, free + place.height / 2);
    free = place.y + place.height / 2;
  }
  double lowest = plot.bottom();
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    place->y = std::min(place->y, lowest - place->height / 2);
    lowest = place->y - place->height / 2;
  }
}

/// Breaks the names into lines. Returns whether each is whole, and all fit above one another.
bool fit(const PlotContext& context, LineNames& names, double widest, double highest) {
  const TextStyle text = tick_style(context.style);
  const double line = line_height(context.canvas, text);
  double height = 0;
  for (LineNames::Place& place : names.places) {
    place.lines = wrapped(context.canvas, joined_names(place.curves), text, widest, max_lines);
    if (place.lines.empty() || place.lines.back().ends_with("…")) return false;
    for (const std::string& words : place.lines)
      names.width = std::max(names.width, rich_size(context.canvas, words, text).width);
    place.height = line * (static_cast<double>(place.lines.size()) + 0.25);
    height += place.height;
  }
  return height <= highest;
}

double lead(const PlotContext& context) { return 1.6 * gap(context.style); }

}  // namespace

std::optional<LineNames> place_line_names(PlotContext& context,
                                          const std::vector<const Series*>& curves,
                                          const Axes& axes, double room_width) {
  if (curves.size() < 2) return std::nullopt;
  std::vector<Line> lines;
  LineNames names;
  std::vector<std::size_t> first;  // of each place: its first line
  for (const Series* series : curves) {
    const auto line = line_of(context, *series, axes);
    if (!line) return std::nullopt;
    lines.push_back(*line);
    const auto same = std::find_if(first.begin(), first.end(), [&](std::size_t i) {
      return lines[i].silhouette.coincides(line->silhouette);
    });
    if (same == first.end()) {
      first.push_back(lines.size() - 1);
      names.places.push_back({{series}, {}, 0.0, line->end, line->end});
    } else {
      names.places[static_cast<std::size_t>(same - first.begin())].curves.push_back(series);
    }
  }
  if (!fit(context, names, max_share * room_width, axes.plot.height)) return std::nullopt;
  std::stable_sort(names.places.begin(), names.places.end(),
                   [](const auto& a, const auto& b) { return a.end < b.end; });
  spread(names.places, axes.plot);
  return names;
}

double line_names_width(const PlotContext& context, const LineNames& names) {
  return names.width + lead(context) + 0.5 * gap(context.style);
}

void draw_line_names(PlotContext& context, const LineNames& names, const Axes& axes) {
  TextStyle text = tick_style(context.style);
  text.vertical = VerticalAlign::middle;
  const double height = line_height(context.canvas, text);
  const double x = axes.plot.right() + lead(context);
  for (const LineNames::Place& place : names.places) {
    text.color = series_color(context.style, *place.curves.front());
    // A name that could not stand at its line's end is led to it.
    if (std::abs(place.y - place.end) > 0.35 * height)
      draw_segment(context.canvas, {axes.plot.right() + 0.2 * gap(context.style), place.end},
                   {x - 0.3 * gap(context.style), place.y},
                   {text.color, hairline(context.style), Dash::solid});
    double y = place.y - 0.5 * height * static_cast<double>(place.lines.size() - 1);
    for (const std::string& words : place.lines) {
      draw_rich(context.canvas, {x, y}, words, text);
      y += height;
    }
  }
}

}  // namespace orrery
