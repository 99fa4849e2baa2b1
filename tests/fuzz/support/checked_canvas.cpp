#include "tests/fuzz/support/checked_canvas.h"

#include <algorithm>
#include <cmath>

#include "tests/support/xml_check.h"

namespace orrery::fuzz {
namespace {

constexpr int drawings_per_file = 200;
constexpr Size page{640, 480};

bool is_finite(Point point) { return std::isfinite(point.x) && std::isfinite(point.y); }

void require_finite(std::span<const Point> points) {
  require(std::all_of(points.begin(), points.end(), is_finite), "drawn points are finite");
}

void require_finite(const Rect& rect) {
  require(is_finite({rect.x, rect.y}) && is_finite({rect.width, rect.height}),
          "drawn rectangles are finite");
}

}  // namespace

void CheckedCanvas::renew() {
  svg_ = svg_canvas(page, {.title = "t", .description = "d", .id = "i"});
  drawings_ = 0;
}

void CheckedCanvas::line_strip(std::span<const Point> points, const Stroke& stroke) {
  require_finite(points);
  svg_->line_strip(points, stroke);
}

void CheckedCanvas::fill(std::span<const Point> polygon, Color color) {
  require_finite(polygon);
  svg_->fill(polygon, color);
}

void CheckedCanvas::rect(const Rect& rect, Color color) {
  require_finite(rect);
  svg_->rect(rect, color);
}

void CheckedCanvas::image(const std::shared_ptr<const Image>& image, const Rect& target, Filter) {
  require_finite(target);
  require(image->width > 0 && image->height > 0, "an image has pixels");
  const auto pixels =
      static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height);
  require(image->pixels.size() == pixels, "an image has as many pixels as its size says");
  // Not passed on: compressing a PNG would take most of the time, and reads nothing but the pixels.
}

void CheckedCanvas::text(Point anchor, std::string_view utf8, const TextStyle& style) {
  require(is_finite(anchor) && std::isfinite(style.size), "drawn text is at a finite place");
  svg_->text(anchor, utf8, style);
}

void CheckedCanvas::push_clip(const Rect& rect) {
  require_finite(rect);
  svg_->push_clip(rect);
  ++clips_;
}

void CheckedCanvas::pop_clip() {
  svg_->pop_clip();
  --clips_;
}

Size CheckedCanvas::text_size(std::string_view utf8, const TextStyle& style) const {
  const Size size = svg_->text_size(utf8, style);
  require(is_finite({size.width, size.height}), "text has a finite size");
  return size;
}

void CheckedCanvas::fill_between(std::span<const Point> upper, std::span<const Point> lower,
                                 Color color) {
  require_finite(upper);
  require_finite(lower);
  svg_->fill_between(upper, lower, color);
}

void CheckedCanvas::end_drawing() {
  require(clips_ == 0, "every clip is taken back");
  // After an error Cairo measures 0 for good.
  require(text_size("x", TextStyle{}).width > 0, "text can still be measured after a drawing");
  if (++drawings_ < drawings_per_file) return;
  const test::XmlCheck xml(svg_->finish());
  require(xml.error().empty(), "an SVG is well-formed: " + xml.error());
  renew();
}

}  // namespace orrery::fuzz
