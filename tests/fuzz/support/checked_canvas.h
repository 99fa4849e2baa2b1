#pragma once

#include <memory>

#include "experiments/figure/canvas/svg_canvas.h"
#include "tests/fuzz/harness.h"

namespace orrery::fuzz {

/// A canvas of SVG that checks what it is asked to draw, and that is used for many drawings: fonts are
/// looked up once and not per execution.
class CheckedCanvas final : public Canvas {
 public:
  CheckedCanvas() { renew(); }

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

  /// Checks that the drawing left the canvas usable. Every so often the file is finished, checked
  /// and begun anew.
  void end_drawing();

 private:
  void renew();

  std::unique_ptr<FileCanvas> svg_{};
  int clips_{0};
  int drawings_{0};
};

}  // namespace orrery::fuzz
