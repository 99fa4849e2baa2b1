#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery {

/// A number with at most two decimals, in any locale: "12.5", "-.25", "7". `value` must be finite.
std::string svg_number(double value);

/// The points as the `d` attribute of an SVG path: "M3 4l1 0 .5-2". Steps are differences of
/// rounded points, so that rounding errors do not add up. Points that round to the previous one are
/// left out; the path of a single point is empty.
std::string svg_path(std::span<const Point> points);

/// Accessible title and description of a drawing, and the prefix of its ids, which must be unique
/// on a page with several drawings.
struct SvgMetadata {
  std::string title{};
  std::string description{};
  std::string id{};
};

/// A Canvas that produces an SVG 1.1 file, which SVG 2 viewers read as well. Text stays text; maps
/// are embedded as PNG; numbers have two decimals. The same drawing gives the same bytes. Text is
/// set in DejaVu Sans and symbols in STIX; a viewer with other fonts fits them into the width
/// measured here, at the same anchor.
class SvgCanvas final : public Canvas {
 public:
  /// `size` in points; one point is one user unit. Throws UsageError for a size that is not above
  /// 0.
  SvgCanvas(Size size, const SvgMetadata& metadata);
  ~SvgCanvas() override;
  SvgCanvas(const SvgCanvas&) = delete;
  SvgCanvas& operator=(const SvgCanvas&) = delete;

  void line_strip(std::span<const Point> points, const Stroke& stroke) override;
  void fill(std::span<const Point> polygon, Color color) override;
  void rect(const Rect& rect, Color color) override;
  void image(const std::shared_ptr<const Image>& image, const Rect& target, Filter filter) override;
  void text(Point anchor, std::string_view utf8, const TextStyle& style) override;
  void push_clip(const Rect& rect) override;
  void pop_clip() override;
  Size text_size(std::string_view utf8, const TextStyle& style) const override;
  void fill_between(std::span<const Point> upper, std::span<const Point> lower,
                    Color color) override;
  double pixels_per_point() const override;

  /// Ends the drawing and returns the file.
  std::string finish();

 private:
  struct Drawing;
  std::unique_ptr<Drawing> drawing_;
};

}  // namespace orrery
