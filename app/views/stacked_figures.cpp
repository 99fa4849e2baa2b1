#include "app/views/stacked_figures.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "app/gui/ui.h"
#include "app/views/figures.h"
#include "app/views/gestures.h"
#include "app/views/readout.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/frequency_bands.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double row_share = 0.72;  ///< of a row that its bar takes
constexpr double pale = 0.4;        ///< bars that are longer than the context
constexpr double head_room = 0.06;  ///< of the strip, beyond the longest bar

/// Where wavelengths lie: from 1 token at the left of the strip.
class WavelengthAxis {
 public:
  WavelengthAxis(const std::vector<double>& wavelengths, double context, const Rect& strip)
      : strip_(strip), longest_(std::max(2.0, context)) {
    for (const double w : wavelengths)
      if (std::isfinite(w)) longest_ = std::max(longest_, w);
  }
  double x(double wavelength) const {
    const double part = std::log(wavelength) / std::log(longest_);
    return strip_.x + std::min(1.0, part * (1 - head_room)) * strip_.width;
  }
  double longest() const { return longest_; }

 private:
  Rect strip_;
  double longest_;
};

/// Everything that the bars are drawn from.
struct Bars {
  const std::vector<double>& wavelengths;
  std::vector<MixerBand> bands{};  ///< empty where nothing can be muted
  double context{};
  Color color{};
  const FigureLayout& frame;
  Rect strip{};
  WavelengthAxis axis;

  double top(std::size_t pair) const { return frame.y.to_canvas(static_cast<double>(pair) - 0.5); }
  double bottom(std::size_t pair) const {
    return frame.y.to_canvas(static_cast<double>(pair) + 0.5);
  }
  std::optional<std::size_t> pair_at(double y) const {
    for (std::size_t t = 0; t < wavelengths.size(); ++t)
      if (y >= top(t) && y < bottom(t)) return t;
    return std::nullopt;
  }
};

void draw_bars(Canvas& canvas, const Bars& bars, const std::optional<std::size_t>& lit,
               const Ui& ui) {
  canvas.push_clip(bars.strip);
  for (std::size_t t = 0; t < bars.wavelengths.size(); ++t) {
    const double height = bars.bottom(t) - bars.top(t);
    const double inset = height > 3 * ui.scale ? (1 - row_share) / 2 * height : 0.0;
    const double wavelength = bars.wavelengths[t];
    const bool muted = std::isnan(wavelength);
    const double end = muted                       ? bars.strip.x + 3 * ui.scale
                       : std::isfinite(wavelength) ? bars.axis.x(wavelength)
                                                   : bars.strip.right();
    const double strength = muted ? 0.25 : wavelength > bars.context ? pale : 1.0;
    const Color color = t == lit ? ui.style.accent : with_alpha(bars.color, strength);
    canvas.rect({bars.strip.x, bars.top(t) + inset, end - bars.strip.x, height - 2 * inset}, color);
  }
  canvas.pop_clip();
}

void draw_context(Canvas& canvas, const Bars& bars, const Ui& ui) {
  const double x = bars.axis.x(bars.context);
  const Point line[] = {{x, bars.strip.y}, {x, bars.strip.bottom()}};
  canvas.line_strip(line, {ui.style.text, ui.scale, Dash::dashed});
}

/// Powers of 10 below the bars, as many as fit, and the name of the axis.
void draw_axis(Canvas& canvas, const Bars& bars, const Ui& ui) {
  TextStyle text{.size = ui.style.small_size,
                 .color = ui.style.muted,
                 .horizontal = HorizontalAlign::center,
                 .vertical = VerticalAlign::top};
  const double line = canvas.text_size("0", text).height;
  const double y = bars.strip.bottom() + 0.4 * line;
  double free = bars.strip.x - line;
  for (double power = 10; power <= bars.axis.longest(); power *= 10) {
    const std::string words = compact_number(power);
    const double x = bars.axis.x(power), half = canvas.text_size(words, text).width / 2;
    if (x - half < free || x + half > bars.strip.right() + line) continue;
    const Point tick[] = {{x, bars.strip.bottom()}, {x, bars.strip.bottom() + 0.25 * line}};
    canvas.line_strip(tick, {ui.style.axis, ui.scale});
    canvas.text({x, y}, words, text);
    free = x + half + 0.6 * line;
  }
  text.size = ui.style.text_size;
  text.color = ui.style.text;
  const std::string name = "wavelength";
  if (canvas.text_size(name, text).width < bars.strip.width + line)
    canvas.text({bars.strip.x + bars.strip.width / 2, y + 1.35 * line}, name, text);
}

std::string words_of(const Bars& bars, std::size_t pair) {
  const double wavelength = bars.wavelengths[pair];
  std::string words = fmt::format("pair $t$ = {}", pair);
  if (std::isfinite(wavelength))
    words += fmt::format(": once round in {} tokens", readout_number(wavelength, 4));
  else if (!std::isnan(wavelength))
    words += ": does not turn";
  if (const auto band = band_of_pair(bars.bands, pair))
    words += "\n" + band_words(bars.bands[*band]);
  return words;
}

void follow_mouse(Session& session, const Bars& bars, const std::string& figure, const Ui& ui) {
  ImGui::SetCursorScreenPos(shim::vec({bars.strip.x, bars.strip.y}));
  ImGui::InvisibleButton("wavelengths", shim::vec({bars.strip.width, bars.strip.height}));
  mark_item(ui, "wavelengths");
  const bool pressed = ImGui::IsItemActivated();
  if (!ImGui::IsItemHovered()) return;
  const auto pair = bars.pair_at(static_cast<double>(ImGui::GetIO().MousePos.y));
  if (!pair) return;
  session.links.point({.pair = pair, .figure = figure});
  if (const auto band = band_of_pair(bars.bands, *pair); band && pressed)
    click_band(session, bars.bands, *band);
  show_tooltip(ui, words_of(bars, *pair));
}

/// Whether the result has them.
bool has_wavelengths(const Result& result, const Figure& map) {
  return pair_wavelengths(result, map.role.encoding()) != nullptr;
}

/// Draws the wavelength of each pair of a map of pairs as a bar in the row of the pair, on a
/// logarithmic axis in `strip`, which lies beside the map as `frame` has it; a line at the context
/// length, beyond which bars are pale: those pairs do not turn once. Where the settings can be
/// changed, a click on a bar mutes its band of the frequency mixer, Ctrl+click lets it sound alone.
/// Nothing is drawn where the result has no wavelengths of the map's encoding.
void draw_wavelength_bars(Session& session, const Result& result, const Figure& map,
                          const FigureLayout& frame, const Rect& strip, bool live, const Ui& ui) {
  const std::string encoding = map.role.encoding();
  const std::vector<double>* wavelengths = pair_wavelengths(result, encoding);
  const ParamSet& params = session.current().params;
  const ParamSpec* length = params.with_role(ParamRole::context);
  if (!wavelengths || frame.plot.height <= 0 || !length) return;
  const Rect room{strip.x, frame.plot.y, strip.width, frame.plot.height};
  const auto context = static_cast<double>(params.integer(length->key));
  const Bars bars{.wavelengths = *wavelengths,
                  .bands = live && encoding == mixer_encoding ? mixer_bands_of(params)
                                                              : std::vector<MixerBand>{},
                  .context = context,
                  .color = ui.style.palette.at(static_cast<std::size_t>(encoding_color(encoding))),
                  .frame = frame,
                  .strip = room,
                  .axis = WavelengthAxis(*wavelengths, context, room)};
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  draw_bars(canvas, bars, session.links.pair(), ui);
  draw_context(canvas, bars, ui);
  draw_axis(canvas, bars, ui);
  follow_mouse(session, bars, map.id, ui);
}

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
