// Draws saved figures, whole and as a reader zooms them. After the JSON come 32 bytes of the view
// and then the numbers of the arrays.
#include <algorithm>
#include <cstring>

#include "experiments/figure/plot/difference.h"
#include "experiments/figure/plot/draw_figure.h"
#include "tests/fuzz/support/checked_canvas.h"
#include "tests/fuzz/support/figure_input.h"

using namespace orrery;

namespace {

constexpr std::size_t view_bytes = 32;

/// Draws numbers from the bytes of the view; zeros when they are used up.
class ViewBytes {
 public:
  explicit ViewBytes(std::string_view bytes) : bytes_(bytes) {}

  unsigned byte() {
    if (at_ >= bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  /// Any finite float.
  double number() {
    float value = 0;
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8 | byte();
    std::memcpy(&value, &bits, sizeof value);
    return value - value == 0 ? static_cast<double>(value) : 1.0;
  }
  std::optional<Range> range(bool wanted) {
    if (!wanted) return std::nullopt;
    const double a = number(), b = number();
    if (a == b) return std::nullopt;
    return Range{std::min(a, b), std::max(a, b)};
  }

 private:
  std::string_view bytes_;
  std::size_t at_{0};
};

FigureView view_from(std::string_view bytes, const Figure& figure) {
  ViewBytes from(bytes);
  const unsigned given = from.byte();
  const unsigned scales = from.byte();
  FigureView view;
  view.x = from.range((given & 1) != 0);
  view.y = from.range((given & 2) != 0);
  view.color = from.range((given & 4) != 0);
  if ((given & 8) != 0) view.x_scale = static_cast<AxisScale>(scales & 3);
  if ((given & 16) != 0) view.y_scale = static_cast<AxisScale>(scales >> 2 & 3);
  if ((given & 32) != 0) view.minification = Minification::max;
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  if ((given & 64) != 0 && plot && !plot->series.empty()) view.hidden = {plot->series.front().name};
  return view;
}

Rect area_for(unsigned byte) {
  // Most figures are drawn small: their cost grows with the area.
  const double width = 40.0 + 2.0 * byte;
  return {0, 0, width, 0.7 * width};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::FigureInput input(fuzz::text_of(data, size));
  const auto json = fuzz::parsed(input.json);
  if (!json) return 0;
  const std::string_view view = input.rest.substr(0, std::min(view_bytes, input.rest.size()));
  const auto figure = fuzz::figure_in(*json, input.rest.substr(view.size()));
  if (!figure) return 0;
  static fuzz::CheckedCanvas canvas;
  static const FigureStyle style = figure_style(Theme::light);
  const Rect area = area_for(view.empty() ? 128 : static_cast<unsigned char>(view.back()));
  const FigureView zoomed = view_from(view, *figure);
  const FigureLayout layout = draw_figure(canvas, *figure, area, style, zoomed);
  if (const auto* map = std::get_if<Heatmap>(&figure->content))
    if (const auto cell = cell_at(*map, layout, {area.width / 2, area.height / 2}))
      fuzz::require(cell_rect(*map, layout, *cell).contains({area.width / 2, area.height / 2}),
                    "the cell under a point holds it");
  if (const auto difference = difference_of(*figure, *figure))
    draw_figure(canvas, *difference, area, style);
  canvas.end_drawing();
  return 0;
}
