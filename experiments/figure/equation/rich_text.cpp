#include "experiments/figure/equation/rich_text.h"

#include "experiments/figure/equation/layout.h"

namespace orrery {
namespace {

constexpr double line_ascent = 1901.0 / 2384;  ///< DejaVu Sans: top of a line to its baseline

bool is_plain(const EquationNode& row) {
  return row.children.empty() ||
         (row.children.size() == 1 && row.children[0].letters == EquationNode::Letters::words);
}

std::string_view words_of(const EquationNode& row) {
  return row.children.empty() ? std::string_view() : std::string_view(row.children[0].text);
}

}  // namespace

double row_width(const Canvas& canvas, const EquationNode& row, const TextStyle& style) {
  if (is_plain(row)) return canvas.text_size(words_of(row), style).width;
  return lay_out_in_line(row, canvas, style.size).width;
}

void draw_row(Canvas& canvas, Point anchor, const EquationNode& row, const TextStyle& style) {
  if (is_plain(row)) {
    if (!words_of(row).empty()) canvas.text(anchor, words_of(row), style);
    return;
  }
  const EquationBox box = lay_out_in_line(row, canvas, style.size);
  const double line = canvas.text_size("x", style).height;
  const auto [x, y] = baseline_start(style, box.width, line_ascent * line, line);
  const Point origin =
      style.upward ? Point{anchor.x + y, anchor.y - x} : Point{anchor.x + x, anchor.y + y};
  draw_equation(canvas, box, origin, style.color, {}, style.upward);
}

Size rich_size(const Canvas& canvas, std::string_view marked, const TextStyle& style) {
  const EquationNode& row = known_text(marked, style.bold);
  if (is_plain(row)) return canvas.text_size(words_of(row), style);
  return {row_width(canvas, row, style), canvas.text_size("x", style).height};
}

void draw_rich(Canvas& canvas, Point anchor, std::string_view marked, const TextStyle& style) {
  draw_row(canvas, anchor, known_text(marked, style.bold), style);
}

}  // namespace orrery
