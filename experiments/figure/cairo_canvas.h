#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "experiments/figure/canvas.h"
#include "experiments/figure/figure_format.h"

namespace orrery {

/// A Canvas whose drawing becomes the bytes of a PDF or PNG file. Same drawing, same bytes:
/// no clock, no locale, no running numbers. Text is set in DejaVu Sans, or in what fontconfig
/// offers where that is missing or lacks a character.
class CairoCanvas final : public Canvas {
 public:
  /// `size` in points; a PNG has png_scale pixels a point. Throws UsageError for a size or scale
  /// that is not above 0 or gives a PNG of more than 16384 pixels a side, IoError when Cairo fails.
  CairoCanvas(FigureFormat format, Size size, double png_scale = 2.0);
  ~CairoCanvas() override;
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

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

  /// Ends the drawing and gives the file. Throws IoError when Cairo failed on the way.
  std::string finish();

 private:
  struct Target;

  std::unique_ptr<Target> target_;
};

}  // namespace orrery
