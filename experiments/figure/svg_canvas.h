#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "experiments/figure/canvas.h"
#include "experiments/figure/figure.h"
#include "experiments/figure/style.h"

namespace orrery {

/// What a reader who does not see the drawing is told, and what tells its ids from those of other
/// drawings on one page.
struct SvgAbout {
  std::string title{};
  std::string description{};
  std::string id{};
};

/// A Canvas whose drawing becomes an SVG 1.1 file, readable by SVG 2 as well: text is text, maps
/// are embedded PNG of one pixel a cell where they are magnified, numbers have two decimals. Same
/// drawing, same bytes. Text is set in DejaVu Sans; where a viewer has another font it is fitted
/// into the width that was measured here, and its anchor stays where it was.
class SvgCanvas final : public Canvas {
 public:
  /// `size` in points, one user unit each. Throws UsageError for a size that is not above 0.
  SvgCanvas(Size size, const SvgAbout& about);
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

  /// Ends the drawing and gives the file.
  std::string finish();

 private:
  struct Drawing;
  std::unique_ptr<Drawing> drawing_;
};

/// The figure as an SVG file. Its title and caption are the drawing's title and description; `id`
/// is the beginning of its ids.
std::string svg_of(const Figure& figure, Size size, const FigureStyle& style, std::string_view id);

}  // namespace orrery
