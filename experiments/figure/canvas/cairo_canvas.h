#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

enum class FigureFormat { svg, pdf, png };

/// "svg", "pdf", "png": the file's extension.
std::string_view extension(FigureFormat format);

/// Throws UsageError for an unknown format.
FigureFormat figure_format_named(std::string_view extension);

/// A Canvas that produces a PDF or PNG file. The same drawing gives the same bytes, independent of
/// time and locale. Text is set in DejaVu Sans and symbols in STIX; fontconfig chooses a
/// substitute if a font is missing or lacks a character.
class CairoCanvas final : public Canvas {
 public:
  /// `size` in points; a PNG has `png_scale` pixels per point. Throws UsageError for a size or
  /// scale that is not above 0 or that gives a PNG of more than 16384 pixels per side, IoError when
  /// Cairo fails.
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

  /// Ends the drawing and returns the file. Throws IoError if Cairo has failed at any point.
  std::string finish();

 private:
  struct Target;

  std::unique_ptr<Target> target_;
};

}  // namespace orrery
