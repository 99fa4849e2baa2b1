#include "experiments/figure/plot/map_equation_layout.h"

#include <algorithm>
#include <string_view>

#include "core/errors.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/heatmap_plot.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// Lengths in em of the figure's text.
constexpr double symbol_size = 1.1;
constexpr double relation_size = 1.9;
constexpr double relation_gap = 2.3;  ///< least room between two maps
constexpr double around_relation = 0.8;
constexpr double between_lines = 0.9;
// Heights of a profile, as shares of its map's side.
constexpr double least_profile = 0.4, most_profile = 1.6;
constexpr double smallest_side = 8.0;
constexpr double headroom = 0.06;  ///< of a profile's range, above and below its values

/// Typeset, or as it is where it is no formula: the figure may come from a file.
EquationBox box_of(const std::string& tex, const Canvas& canvas, double size) {
  if (tex.empty()) return {};
  try {
    return lay_out(parse_equation(tex), canvas, size);
  } catch (const UsageError&) {
    return lay_out({.kind = EquationNode::Kind::symbol, .text = tex}, canvas, size);
  }
}

/// Widens `range` to hold the profile as it is drawn.
void hold(PlotContext& context, Range& range, const Series& profile, double factor) {
  for (const auto* values : {&profile.y, &profile.band_low, &profile.band_high}) {
    const Range& found = extent_of(*values, AxisScale::linear, context.curves);
    if (!(found.min <= found.max)) continue;
    range = {std::min(range.min, factor * found.min), std::max(range.max, factor * found.max)};
  }
}

Range colors_of(PlotContext& context, const MapTerm& term, std::size_t place) {
  if (term.map.range) return *term.map.range;
  HeatmapCache& cache = context.cache->parts[place];
  refresh_range(cache, term.map);
  return {term.factor * cache.range.min, term.factor * cache.range.max};
}

double tick_width(const PlotContext& context, const Range& range) {
  // As high as a profile may be: more ticks have longer labels.
  const double nominal = 40.0 * line_height(context.canvas, label_style(context.style));
  double widest = 0.0;
  for (const Tick& tick : profile_y_ticks(context, range, nominal, 0.0).major)
    widest =
        std::max(widest, context.canvas.text_size(tick.label, tick_style(context.style)).width);
  return widest;
}

std::size_t scale_of(std::vector<EquationLayout::Scale>& scales, const Heatmap& map) {
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (scales[i].meaning == map.meaning && scales[i].quantity == map.quantity) return i;
  scales.push_back({.meaning = map.meaning, .quantity = map.quantity});
  return scales.size() - 1;
}

/// The scales of the maps, and which one each has.
void find_scales(PlotContext& context, const MapEquation& equation, EquationLayout& layout) {
  std::vector<Range> colors;
  for (std::size_t i = 0; i < equation.terms.size(); ++i) {
    const MapTerm& term = equation.terms[i];
    const std::size_t scale = scale_of(layout.scales, term.map);
    layout.cells[i].scale = scale;
    const Range own = colors_of(context, term, i);
    if (scale == colors.size()) colors.push_back(own);
    colors[scale] = {std::min(colors[scale].min, own.min), std::max(colors[scale].max, own.max)};
    hold(context, layout.scales[scale].profile, equation.profiles.series[i], term.factor);
  }
  for (std::size_t i = 0; i < layout.scales.size(); ++i) {
    EquationLayout::Scale& scale = layout.scales[i];
    scale.colors = color_range(scale.meaning, colors[i], colors[i]);
    const double more = headroom * (scale.profile.max - scale.profile.min);
    scale.profile = usable_range({scale.profile.min - more, scale.profile.max + more},
                                 AxisScale::linear, {-1.0, 1.0});
    scale.tick_width = tick_width(context, scale.profile);
  }
}

/// What does not depend on how many lines there are.
struct Measures {
  double left{};  ///< of each line: label, ticks and their labels
  double right{};
  std::vector<double> before{};  ///< room for the relation before each map
  double above{};                ///< each map: symbol and name
  double below{};                ///< each map: its axis's label, and the verdict on its profile
  double under{};                ///< each profile: its axis
  double between{};              ///< two lines
  double bars{};                 ///< below all
};

Measures measure(const PlotContext& context, const MapEquation& equation,
                 const EquationLayout& layout) {
  const FigureStyle& style = context.style;
  const double em = style.text_size, line = line_height(context.canvas, label_style(style));
  const double small = line_height(context.canvas, tick_style(style)), space = gap(style);
  Measures measures{.right = em, .between = between_lines * em};
  const double beside = tick_length(style) + 0.5 * space;
  for (const EquationLayout::Scale& scale : layout.scales)
    measures.left = std::max(measures.left, line + space + scale.tick_width + beside);
  double symbols = 0.0;
  for (std::size_t i = 0; i < layout.cells.size(); ++i) {
    const EquationLayout::Cell& cell = layout.cells[i];
    const double step = context.canvas.text_size(equation.terms[i].step, tick_style(style)).width;
    double room =
        std::max(relation_gap * em, std::max(cell.relation.width, step) + around_relation * em);
    const bool other = i > 0 && cell.scale != layout.cells[i - 1].scale;
    if (other) room = std::max(room, layout.scales[cell.scale].tick_width + beside + space);
    measures.before.push_back(room);
    symbols = std::max(symbols, cell.symbol.height());
  }
  measures.above = symbols + small + 2.4 * space;
  // The axis's label stands at the left, where the first map's factor would.
  const bool stacked = equation.terms.front().factor != 1.0;
  measures.below = (stacked ? 2.0 : 1.0) * small + space;
  measures.under = tick_length(style) + 0.5 * space + 2.0 * small;
  measures.bars = std::max(em, small) + 1.4 * space;
  return measures;
}

struct Sizes {
  std::size_t columns{1};
  double side{};
  double profile{};
};

std::size_t lines_of(std::size_t cells, std::size_t columns) {
  return (cells + columns - 1) / columns;
}

/// Room for the relations of the longest line.
double relations_in(const Measures& measures, std::size_t columns) {
  double widest = 0.0, line = 0.0;
  for (std::size_t i = 0; i < measures.before.size(); ++i) {
    line = i % columns == 0 ? 0.0 : line + measures.before[i];
    widest = std::max(widest, line);
  }
  return widest;
}

Sizes sizes_in(const Measures& measures, const Rect& room, std::size_t columns) {
  const auto lines = static_cast<double>(lines_of(measures.before.size(), columns));
  const double width =
      room.width - measures.left - measures.right - relations_in(measures, columns);
  const double height = (room.height - measures.bars - (lines - 1.0) * measures.between) / lines -
                        measures.above - measures.below - measures.under;
  const double side =
      std::min(width / static_cast<double>(columns), height / (1.0 + least_profile));
  return {columns, side, std::min(most_profile * side, height - side)};
}

Sizes best_sizes(const Measures& measures, const Rect& room) {
  Sizes best;
  for (std::size_t lines = 1; lines <= measures.before.size(); ++lines) {
    const std::size_t columns = lines_of(measures.before.size(), lines);
    const Sizes sizes = sizes_in(measures, room, columns);
    const bool larger =
        sizes.side > 0.0 && sizes.profile > 0.0 &&
        sizes.side * (sizes.side + sizes.profile) > 1.02 * best.side * (best.side + best.profile);
    if (larger) best = sizes;
  }
  return best;
}

void place_cells(const Measures& measures, const Sizes& sizes, const Rect& room,
                 EquationLayout& layout) {
  const double line_height = measures.above + sizes.side + measures.below + sizes.profile +
                             measures.under + measures.between;
  const double used = measures.left + relations_in(measures, sizes.columns) +
                      static_cast<double>(sizes.columns) * sizes.side + measures.right;
  const double left = room.x + std::max(0.0, 0.5 * (room.width - used)) + measures.left;
  double x = 0.0, y = room.y;
  for (std::size_t i = 0; i < layout.cells.size(); ++i) {
    EquationLayout::Cell& cell = layout.cells[i];
    cell.first_in_line = i % sizes.columns == 0;
    if (cell.first_in_line) x = left;
    if (cell.first_in_line && i > 0) y += line_height;
    const double before = cell.first_in_line ? measures.left : measures.before[i];
    if (!cell.first_in_line) x += before;
    cell.labelled = cell.first_in_line || cell.scale != layout.cells[i - 1].scale;
    const double top = y + measures.above;
    cell.relation_room = {x - before, top, before, sizes.side};
    cell.head = {x, y, sizes.side, measures.above};
    cell.map = {x, top, sizes.side, sizes.side};
    cell.verdict = {x, cell.map.bottom(), sizes.side, measures.below};
    cell.profile = {x, cell.verdict.bottom(), sizes.side, sizes.profile};
    x += sizes.side;
  }
  const double bottom = y + line_height - measures.between;
  layout.bars = {left, bottom, used - measures.left - measures.right, measures.bars};
}

constexpr double widest_bar = 15.0;  ///< at most, in em of the text
constexpr double least_bar = 2.5;    ///< in em: a shorter bar has no room for its ends

/// What a band is, as long as there is room for.
constexpr std::string_view band_words[] = {
    "Band: all values at a distance. Without one: a function of $m − n$ alone.",
    "No band: a function of $m − n$ alone.", "No band: relative."};

/// The line beneath the maps.
class EquationBars {
 public:
  EquationBars(PlotContext& context, const MapEquation& equation, const EquationLayout& layout)
      : context_(context), equation_(equation), layout_(layout) {}

  void draw() {
    const Rect& room = layout_.bars;
    const double slot = room.width / static_cast<double>(layout_.scales.size());
    double right = room.right();
    for (std::size_t i = layout_.scales.size(); i-- > 0;)
      right = draw_bar(layout_.scales[i], right, slot);
    draw_keys(room.x, right);
    context_.content_bottom = room.bottom();
  }

 private:
  Canvas& canvas() { return context_.canvas; }
  const FigureStyle& style() const { return context_.style; }
  TextStyle small() const {
    TextStyle text = aligned_text(tick_style(style()), VerticalAlign::middle);
    return text;
  }

  /// "logit −10 ▬▬▬ 10", of this width at most. Returns the left end.
  double draw_bar(const EquationLayout::Scale& scale, double right, double slot) {
    const double em = style().text_size, space = gap(style());
    TextStyle text = small();
    const auto width_of = [&](const std::string& marked) {
      return rich_size(canvas(), marked, text).width + space;
    };
    const std::string low = short_label(scale.colors.min), high = short_label(scale.colors.max);
    const double words = width_of(scale.quantity) + width_of(low) + width_of(high) + space;
    const double width = std::min(widest_bar * em, slot - words - 2.0 * em);
    if (width < least_bar * em) return right;
    const Rect bar{right - width_of(high) - width, bar_middle() - 0.4 * em, width, 0.8 * em};
    const Colormap& colors = colormap(scale.meaning, background_of(style()));
    const int steps = std::max(1, static_cast<int>(std::min(width / 2.0, 256.0)));
    const double step = width / steps;
    for (int k = 0; k < steps; ++k)
      // To the end: between two colours side by side a seam would show.
      canvas().rect({bar.x + k * step, bar.y, bar.right() - bar.x - k * step, bar.height},
                    colors.at((k + 0.5) / steps));
    draw_outline(canvas(), bar, {style().axis, hairline(style())});
    text.horizontal = HorizontalAlign::right;
    canvas().text({right, bar_middle()}, high, text);
    canvas().text({bar.x - space, bar_middle()}, low, text);
    draw_rich(canvas(), {bar.x - space - width_of(low) - space, bar_middle()}, scale.quantity,
              text);
    return right - words - width - 2.0 * em;
  }

  double bar_middle() const { return layout_.bars.y + 0.5 * layout_.bars.height; }

  void draw_keys(double left, double right) {
    bool masked = false, not_a_number = false;
    for (std::size_t i = 0; i < equation_.terms.size(); ++i) {
      HeatmapCache& cache = context_.cache->parts[i];
      refresh_range(cache, equation_.terms[i].map);
      masked = masked || cache.any_masked;
      not_a_number = not_a_number || cache.any_nan;
    }
    if (masked) left = draw_key(style().masked, "masked", left, right);
    if (not_a_number) left = draw_key(style().not_a_number, "NaN", left, right);
    TextStyle text = small();
    text.color = style().muted;
    for (const std::string_view words : band_words)
      if (rich_size(canvas(), words, text).width <= right - left)
        return draw_rich(canvas(), {left, bar_middle()}, words, text);
  }

  /// Returns where the next one may begin: the same place where there is no room for this one.
  double draw_key(Color color, std::string_view word, double left, double right) {
    const double side = 0.8 * style().text_size, top = bar_middle() - 0.5 * side;
    TextStyle text = small();
    const double end = left + side + gap(style()) + canvas().text_size(word, text).width;
    if (end > right) return left;
    canvas().rect({left, top, side, side}, color);
    draw_outline(canvas(), {left, top, side, side}, {style().axis, hairline(style())});
    canvas().text({left + side + gap(style()), top + 0.5 * side}, word, text);
    return end + 2.0 * gap(style());
  }

  PlotContext& context_;
  const MapEquation& equation_;
  const EquationLayout& layout_;
};

}  // namespace

Ticks profile_y_ticks(const PlotContext& context, const Range& data, double bottom, double top) {
  const double line = line_height(context.canvas, tick_style(context.style));
  TickRoom room;
  room.spacing = 2.6 * line;
  room.gap = 0.3 * line;
  // Below stand the numbers of the other axis.
  room.bounds = {top - 0.5 * line, bottom + 0.35 * line};
  room.extent = [line](std::string_view) { return line; };
  return choose_ticks({AxisScale::linear, 1.0, data, bottom, top}, room);
}

EquationLayout lay_out_equation(PlotContext& context, const MapEquation& equation,
                                const Rect& room) {
  EquationLayout layout;
  const double em = context.style.text_size;
  for (const MapTerm& term : equation.terms)
    layout.cells.push_back({.relation = box_of(term.relation, context.canvas, relation_size * em),
                            .symbol = box_of(term.symbol, context.canvas, symbol_size * em)});
  find_scales(context, equation, layout);
  const Measures measures = measure(context, equation, layout);
  const Sizes sizes = best_sizes(measures, room);
  if (sizes.side >= smallest_side) place_cells(measures, sizes, room, layout);
  return layout;
}

void draw_equation_bars(PlotContext& context, const MapEquation& equation,
                        const EquationLayout& layout) {
  EquationBars(context, equation, layout).draw();
}

}  // namespace orrery
