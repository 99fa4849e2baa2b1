#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/figure/curves.h"

namespace orrery {
namespace {

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool within(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x && inner.right() <= outer.right() && inner.y >= outer.y &&
         inner.bottom() <= outer.bottom();
}

/// Places the labels of rules one after the other.
class RuleLabels {
 public:
  RuleLabels(Sheet& sheet, const Rect& plot)
      : sheet_(sheet), plot_(plot), text_(tick_style(sheet.style)) {
    text_.color = sheet.style.muted;
    text_.vertical = VerticalAlign::middle;
  }

  void horizontal(double y, const std::string& label) {
    const std::string shown = elided(sheet_.canvas, label, text_, 0.6 * plot_.width);
    const Size size = measured(shown);
    for (const double x : {plot_.right() - size.width - inset(), plot_.x + inset()}) {
      for (const double top : {y - size.height - hair(), y + hair()}) {
        if (try_place({x, top, size.width, size.height}, shown, false)) return;
      }
    }
  }

  void vertical(double x, const std::string& label) {
    const std::string shown = elided(sheet_.canvas, label, text_, 0.6 * plot_.height);
    const Size size = measured(shown);
    for (const double top : {plot_.y + inset(), plot_.bottom() - size.width - inset()}) {
      for (const double left : {x + hair(), x - size.height - hair()}) {
        if (try_place({left, top, size.height, size.width}, shown, true)) return;
      }
    }
  }

  std::vector<Rect> boxes() && { return std::move(boxes_); }

 private:
  double inset() const { return gap(sheet_.style); }
  double hair() const { return hairline(sheet_.style); }
  Size measured(const std::string& text) const {
    return text.empty() ? Size{} : sheet_.canvas.text_size(text, text_);
  }

  bool try_place(const Rect& box, const std::string& label, bool upward) {
    const bool taken = std::any_of(boxes_.begin(), boxes_.end(),
                                   [&](const Rect& other) { return overlap(box, other); });
    if (label.empty() || taken || !within(box, plot_)) return false;
    sheet_.canvas.rect(box, with_alpha(sheet_.style.plot_background, 0.8));
    TextStyle text = text_;
    text.upward = upward;
    const Point anchor = upward ? Point{box.x + 0.5 * box.width, box.bottom()}
                                : Point{box.x, box.y + 0.5 * box.height};
    sheet_.canvas.text(anchor, label, text);
    boxes_.push_back(box);
    return true;
  }

  Sheet& sheet_;
  Rect plot_;
  TextStyle text_;
  std::vector<Rect> boxes_;
};

}  // namespace

std::vector<Rect> draw_rules(Sheet& sheet, const LinePlot& plot, const Axes& axes) {
  const Rect& area = axes.plot;
  const Stroke stroke{sheet.style.muted, hairline(sheet.style), Dash::dashed};
  RuleLabels labels(sheet, area);
  for (const Rule& rule : plot.rules) {
    const bool flat = rule.direction == Rule::Direction::horizontal;
    const double at = (flat ? axes.y : axes.x).to_canvas(rule.at);
    const double low = flat ? area.y : area.x, high = flat ? area.bottom() : area.right();
    if (!(at >= low && at <= high)) continue;
    if (flat) {
      draw_segment(sheet.canvas, {area.x, at}, {area.right(), at}, stroke);
      labels.horizontal(at, rule.label);
    } else {
      draw_segment(sheet.canvas, {at, area.y}, {at, area.bottom()}, stroke);
      labels.vertical(at, rule.label);
    }
  }
  return std::move(labels).boxes();
}

}  // namespace orrery
