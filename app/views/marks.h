#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/view_state.h"
#include "app/views/readout.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// A small box of names and values on a plot.
struct ValueBox {
  struct Row {
    std::optional<Color> swatch{};
    std::string name{};
    std::string value{};
  };
  std::string title{};
  std::vector<Row> rows{};
};

Size value_box_size(const Canvas& canvas, const ValueBox& note, const Ui& ui);

/// Draws the note with its top left corner at a point.
void draw_value_box(Canvas& canvas, const ValueBox& note, Point corner, const Ui& ui);

/// The note cut to a height; its last row counts the rows left out.
ValueBox shortened_box(const Canvas& canvas, ValueBox note, double most_height, const Ui& ui);

/// Where a box beside the vertical line at `x` covers none of `taken`: right or left of it, else
/// beside what is drawn there, as far up as there is a place; else at the top.
Rect place_beside(double x, Size size, const Rect& plot, std::span<const Rect> taken, double gap);

/// A slot of the categorical palette, or ghost_slot.
Color palette_color(const FigureStyle& style, int slot);
/// That, unless there is a place among colours in order, as Series has them.
Color curve_color(const FigureStyle& style, int slot, const std::optional<double>& shade);
/// The colour of the curve that an entry of a read-out is of.
template <class Entry>
Color entry_color(const FigureStyle& style, const Entry& entry) {
  return curve_color(style, entry.color, entry.shade);
}
/// Draws a dot with a rim that sets it off from its curve.
void draw_mark(Canvas& canvas, Point at, Color color, const Ui& ui);

// Marks on a line plot: pinned readouts, and two cursors whose difference is shown. Their positions
// are data coordinates, so that they survive pan, zoom and new results.

/// The pin whose line runs within reach of the cursor; its place in the marks.
std::optional<std::size_t> pin_at(const FigureMarks& marks, const FigureLayout& frame, Point cursor,
                                  double reach);
/// The cursor (0 or 1) whose line runs within reach.
std::optional<std::size_t> cursor_at(const FigureMarks& marks, const FigureLayout& frame,
                                     Point cursor, double reach);

/// Pins the readout at x, unless one is pinned there already.
void add_pin(FigureMarks& marks, double x);
/// Places both cursors on samples at one and two thirds of the visible range, or removes them.
void toggle_cursors(FigureMarks& marks, const LinePlot& plot, const FigureLayout& frame,
                    const FigureView& view);

/// B − A at the two cursors.
struct DeltaReadout {
  struct Entry {
    std::string name{};
    int color{};
    std::optional<double> shade{};  ///< as LineReadout has them
    double a{}, b{};
  };
  LineReadout a{}, b{};
  std::vector<Entry> entries{};  ///< the curves that have a sample at both, highest at A first
};
std::optional<DeltaReadout> read_delta(const LinePlot& plot, const FigureLayout& frame,
                                       const FigureView& view, const FigureMarks& marks);

/// Lines, dots and boxes of pins and cursors, over the plot.
void draw_marks(Canvas& canvas, const LinePlot& plot, const FigureLayout& frame,
                const FigureView& view, const FigureMarks& marks, const Ui& ui);

}  // namespace orrery
