#include "app/views/stacked_figures.h"

#include <algorithm>
#include <string>

#include "app/views/axis_roles.h"
#include "app/views/wavelength_bars.h"

namespace orrery {
namespace {

constexpr double curve_share = 0.36;   // of the height
constexpr double beside_share = 0.27;  // of the width
constexpr double bars_share = 0.075;   // of the width
constexpr double stack_gap = 8;

bool is_curve(const Figure& figure) {
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  return plot && is_by_distance(*plot);
}

bool is_map(const Figure& figure) {
  const auto* map = std::get_if<Heatmap>(&figure.content);
  return map && is_by_distance(*map);
}

/// The map that is chosen, in the line of choices where there are several.
FigurePtr chosen_map(Session& session, const Figures& maps, const Rect& bar, const Ui& ui) {
  std::size_t chosen = 0;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    titles.push_back(maps[i]->title.substr(0, maps[i]->title.find(':')));
    if (maps[i]->id == session.current().figure) chosen = i;
  }
  const std::size_t before = chosen;
  if (maps.size() > 1 && bar.height > 0) draw_tab_row(titles, chosen, bar, ui);
  if (chosen != before) session.select_figure(maps[chosen]->id);
  return maps[chosen];
}

}  // namespace

std::vector<PlacedFigure> StackedFigures::place(Session& session, const Figures& figures,
                                                const Rect& bar, const Rect& room,
                                                const Result& result, const FigureSet& set,
                                                const Ui& ui) {
  map_ = nullptr;
  Figures curves, maps, others;
  for (const FigurePtr& figure : figures)
    (is_curve(*figure) ? curves : is_map(*figure) ? maps : others).push_back(figure);
  if (curves.empty() || maps.empty())
    return placed_in_grid(figures, best_columns(figures.size(), room.width, room.height, 1.5), room,
                          stack_gap * ui.scale);
  const double space = stack_gap * ui.scale;
  const double beside = others.empty() ? 0 : beside_share * room.width + space;
  map_ = chosen_map(session, maps, bar, ui);
  const double bars = has_wavelengths(result, *map_) ? bars_share * room.width : 0;
  const Rect upper{room.x, room.y, room.width - beside - bars, curve_share * room.height};
  const Rect lower{room.x, upper.bottom(), upper.width, room.height - upper.height};
  wavelengths_ = {upper.right(), lower.y, bars, lower.height};
  std::vector<PlacedFigure> placed{{curves.front(), upper, nullptr}, {map_, lower, nullptr}};
  align(placed, set);
  const Rect right{room.right() - beside + space, room.y, beside - space, room.height};
  for (const PlacedFigure& one : placed_in_grid(others, 1, right, space)) placed.push_back(one);
  return placed;
}

/// Brings the left and right ends of the axes in line, as wide as the widest labels need.
void StackedFigures::align(std::vector<PlacedFigure>& column, const FigureSet& set) {
  std::map<std::string, Range> needed;
  Range widest;
  for (const PlacedFigure& placed : column) {
    const FigureLayout* frame = set.frame(placed.figure->id);
    if (!frame || frame->plot.width <= 0) continue;
    const Range inset = insets_[placed.figure->id];
    const Range ends{frame->plot.x - frame->area.x - inset.min,
                     frame->area.right() - frame->plot.right() - inset.max};
    needed[placed.figure->id] = ends;
    widest = {std::max(widest.min, ends.min), std::max(widest.max, ends.max)};
  }
  insets_.clear();
  for (PlacedFigure& placed : column) {
    const auto ends = needed.find(placed.figure->id);
    if (ends == needed.end()) continue;
    placed.inset_left = widest.min - ends->second.min;
    placed.inset_right = widest.max - ends->second.max;
    insets_[placed.figure->id] = {placed.inset_left, placed.inset_right};
  }
}

void StackedFigures::draw_beside(Session& session, const Result& result, const FigureSet& set,
                                 bool live, const Ui& ui) const {
  const FigureLayout* frame = map_ ? set.frame(map_->id) : nullptr;
  if (!frame || wavelengths_.width <= 0) return;
  draw_wavelength_bars(session, result, *map_, *frame, wavelengths_, live, ui);
}

}  // namespace orrery
