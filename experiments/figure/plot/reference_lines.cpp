#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/reference_lines.h"

namespace orrery::figure {
namespace {

/// Places and draws the labels of reference lines one after the other.
class ReferenceLabels {
 public:
  ReferenceLabels(PlotContext& context, const Rect& plot, std::vector<Rect> taken,
                  const std::vector<Point>& marks)
      : context_(context),
        plot_(plot),
        marks_(marks),
        text_(tick_style(context.style)),
        boxes_(std::move(taken)) {
    text_.color = context.style.muted;
    text_.vertical = VerticalAlign::middle;
  }

  /// Places a label above or below the line: at its right end, else further left.
  void horizontal(double y, const std::string& label) {
    const std::string shown = elided(context_.canvas, label, text_, 0.6 * plot_.width);
    if (shown.empty()) return;
    const Size size = rich_size(context_.canvas, shown, text_);
    const double right = plot_.right() - size.width - inset(), left = plot_.x + inset();
    std::vector<Rect> candidates;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const double x = right + part * (left - right);
      candidates.push_back({x, y - size.height - hair(), size.width, size.height});
      candidates.push_back({x, y + hair(), size.width, size.height});
    }
    place(candidates, shown, false);
  }

  /// Places a label to the right or left of the line: at its top, else further down.
  void vertical(double x, const std::string& label) {
    const std::string shown = elided(context_.canvas, label, text_, 0.6 * plot_.height);
    if (shown.empty()) return;
    const Size size = rich_size(context_.canvas, shown, text_);
    const double top = plot_.y + inset(), bottom = plot_.bottom() - size.width - inset();
    std::vector<Rect> candidates;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const double y = top + part * (bottom - top);
      candidates.push_back({x + hair(), y, size.height, size.width});
      candidates.push_back({x - size.height - hair(), y, size.height, size.width});
    }
    place(candidates, shown, true);
  }

 private:
  double inset() const { return gap(context_.style); }
  double hair() const { return hairline(context_.style); }

  bool is_free(const Rect& box) const {
    return is_within(box, plot_) &&
           std::none_of(boxes_.begin(), boxes_.end(),
                        [&](const Rect& other) { return overlap(box, other); });
  }

  auto marks_in(const Rect& box) const {
    return std::count_if(marks_.begin(), marks_.end(),
                         [&](const Point& p) { return box.contains(p); });
  }

  void place(const std::vector<Rect>& candidates, const std::string& label, bool upward) {
    const Rect* best = nullptr;
    for (const Rect& box : candidates) {
      if (is_free(box) && (!best || marks_in(box) < marks_in(*best))) best = &box;
    }
    if (!best) return;
    context_.canvas.rect(*best, with_alpha(context_.style.plot_background, 0.8));
    TextStyle text = text_;
    text.upward = upward;
    const Point anchor = upward ? Point{best->x + 0.5 * best->width, best->bottom()}
                                : Point{best->x, best->y + 0.5 * best->height};
    draw_rich(context_.canvas, anchor, label, text);
    boxes_.push_back(*best);
  }

  PlotContext& context_;
  Rect plot_;
  const std::vector<Point>& marks_;
  TextStyle text_;
  std::vector<Rect> boxes_;
};

}  // namespace

void draw_reference_lines(PlotContext& context, const LinePlot& plot, const Axes& axes,
                          std::vector<Rect> taken, const std::vector<Point>& marks) {
  const Rect& area = axes.plot;
  const Stroke stroke{context.style.muted, hairline(context.style), Dash::dashed};
  ReferenceLabels labels(context, area, std::move(taken), marks);
  for (const Rule& rule : plot.rules) {
    const bool flat = rule.direction == Rule::Direction::horizontal;
    const double at = (flat ? axes.y : axes.x).to_canvas(rule.at);
    const double low = flat ? area.y : area.x, high = flat ? area.bottom() : area.right();
    if (!(at >= low && at <= high)) continue;
    if (flat) {
      draw_segment(context.canvas, {area.x, at}, {area.right(), at}, stroke);
      labels.horizontal(at, rule.label);
    } else {
      draw_segment(context.canvas, {at, area.y}, {at, area.bottom()}, stroke);
      labels.vertical(at, rule.label);
    }
  }
}

}  // namespace orrery::figure
