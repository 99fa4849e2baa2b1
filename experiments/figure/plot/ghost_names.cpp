#include "experiments/figure/plot/ghost_names.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/silhouette.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

constexpr double max_name_width = 0.45;  ///< of the plot
// In lines of text:
constexpr double max_rise = 3.5;         ///< of the curve along its name
constexpr double name_gap = 0.1;         ///< between a curve and its name
constexpr double other_clearance = 0.6;  ///< between a name and other curves

class NamePlacer {
 public:
  NamePlacer(PlotContext& context, const LinePlot& plot, const Axes& axes, std::vector<Rect> taken)
      : context_(context),
        plot_(axes.plot),
        taken_(std::move(taken)),
        text_(tick_style(context.style)) {
    for (const Series& series : plot.series) {
      lines_.push_back({&series, Silhouette(plot_)});
      if (context.view.hides(series)) continue;
      for (const Strip& strip : visible_strips(context, series, axes))
        lines_.back().silhouette.add(strip);
    }
    for (const Rule& rule : plot.rules) add_rule(rule, axes);
  }

  GhostNames place(const std::vector<const Series*>& legend) {
    for (const Series* series : legend) named_.insert(series->ghost);
    // A name beside a ghost that is covered does not tell which line another one is.
    for (const bool covered : {false, true}) {
      std::vector<const Line*> ghosts;
      for (const Line& line : lines_)
        if (is_visible_ghost(line) && is_covered(line) == covered) ghosts.push_back(&line);
      place_all(ghosts);
    }
    return std::move(names_);
  }

 private:
  struct Line {
    const Series* series{};
    Silhouette silhouette;
  };

  void add_rule(const Rule& rule, const Axes& axes) {
    const bool flat = rule.direction == Rule::Direction::horizontal;
    const double at = (flat ? axes.y : axes.x).to_canvas(rule.at);
    const double half = hairline(context_.style);
    taken_.push_back(flat ? Rect{plot_.x, at - half, plot_.width, 2 * half}
                          : Rect{at - half, plot_.y, 2 * half, plot_.height});
  }

  bool is_free(const Rect& box, const Line& own) const {
    const double other = other_clearance * box.height;
    return is_within(box, plot_) &&
           std::none_of(taken_.begin(), taken_.end(),
                        [&](const Rect& rect) { return overlap(box, rect); }) &&
           std::none_of(lines_.begin(), lines_.end(), [&](const Line& line) {
             const bool same = line.silhouette.coincides(own.silhouette);
             return line.silhouette.meets(box, same ? 0.0 : other);
           });
  }

  static bool is_visible_ghost(const Line& line) {
    return line.series->is_ghost() && line.silhouette.end();
  }

  bool is_covered(const Line& ghost) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
      return !line.series->is_ghost() && line.silhouette.coincides(ghost.silhouette);
    });
  }

  /// Every ghost is named where there is room; of each result at least one, in short if need be,
  /// since all its ghosts are drawn alike.
  void place_all(const std::vector<const Line*>& ghosts) {
    for (const bool in_short : {false, true})
      for (const Line* line : ghosts) {
        const Series& series = *line->series;
        if (in_short && named_.contains(series.ghost)) continue;
        const auto place =
            place_of(*line, in_short ? as_marked(series.ghost) : shown_name(series), in_short);
        if (!place) continue;
        names_.placed.push_back(*place);
        taken_.push_back(place->box);
        named_.insert(series.ghost);
      }
    for (const Line* line : ghosts)
      if (named_.insert(line->series->ghost).second) names_.unplaced.push_back(line->series);
  }

  /// The place for a name, which may be cut to fit.
  std::optional<GhostNames::Place> place_of(const Line& line, const std::string& name,
                                            bool may_be_cut) const {
    const std::string shown = elided(context_.canvas, name, text_, max_name_width * plot_.width);
    if (shown.empty() || (shown != name && !may_be_cut)) return std::nullopt;
    const auto box = box_beside(line, rich_size(context_.canvas, shown, text_));
    if (!box) return std::nullopt;
    return GhostNames::Place{line.series, shown, *box};
  }

  std::optional<Rect> box_beside(const Line& line, Size size) const {
    const double apart = name_gap * size.height + context_.style.line_width;
    const Point end = *line.silhouette.end();
    const Rect after{end.x + apart, end.y - size.height / 2, size.width, size.height};
    if (is_free(after, line)) return after;
    constexpr double step = 2 * Silhouette::column_width;
    for (double x = end.x - size.width; x >= plot_.x; x -= step) {
      const auto beside = line.silhouette.along(x, x + size.width);
      if (!beside || beside->max - beside->min > max_rise * size.height) continue;
      const Rect above{x, beside->min - apart - size.height, size.width, size.height};
      if (is_free(above, line)) return above;
      const Rect below{x, beside->max + apart, size.width, size.height};
      if (is_free(below, line)) return below;
    }
    // Beside a steep part, at its right.
    for (double x = end.x - size.width; x >= plot_.x; x -= Silhouette::column_width) {
      const auto here = line.silhouette.along(x, x);
      if (!here) continue;
      const Rect right{x + Silhouette::column_width + apart,
                       (here->min + here->max - size.height) / 2, size.width, size.height};
      if (is_free(right, line)) return right;
    }
    return std::nullopt;
  }

  PlotContext& context_;
  Rect plot_;
  std::vector<Rect> taken_;
  TextStyle text_;
  std::vector<Line> lines_;
  std::set<std::string> named_{};  ///< results that are named already
  GhostNames names_{};
};

}  // namespace

GhostNames place_ghost_names(PlotContext& context, const LinePlot& plot, const Axes& axes,
                             std::vector<Rect> taken, const std::vector<const Series*>& legend) {
  const bool any = std::any_of(plot.series.begin(), plot.series.end(),
                               [](const Series& series) { return series.is_ghost(); });
  if (!any) return {};
  return NamePlacer(context, plot, axes, std::move(taken)).place(legend);
}

void draw_ghost_names(PlotContext& context, const GhostNames& names) {
  TextStyle text = tick_style(context.style);
  text.color = context.style.muted;
  text.vertical = VerticalAlign::middle;
  for (const GhostNames::Place& place : names.placed) {
    // Grid lines do not run through it.
    context.canvas.rect(place.box, with_alpha(context.style.plot_background, 0.8));
    draw_rich(context.canvas, {place.box.x, place.box.y + 0.5 * place.box.height}, place.name,
              text);
    context.layout.ghost_names.push_back({place.box, place.ghost->name});
  }
}

}  // namespace orrery
