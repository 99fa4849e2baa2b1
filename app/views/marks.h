#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/references.h"
#include "app/views/readout.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"

namespace orrery {

/// Of a slot of the categorical palette, or ghost_slot; unless there is a place among colours in
/// order, as Series has them.
Color curve_color(const FigureStyle& style, int slot, const std::optional<double>& shade);
/// The colour of the curve that an entry of a read-out is of.
template <class Entry>
Color entry_color(const FigureStyle& style, const Entry& entry) {
  return curve_color(style, entry.color, entry.shade);
}
bool is_on_plot(double at_x, const FigureLayout& frame);
/// A line across the plot at a canvas coordinate.
void draw_upright(Canvas& canvas, double at_x, const FigureLayout& frame, const Stroke& stroke);
/// A dot on every curve of a readout.
void draw_dots(Canvas& canvas, const LineReadout& readout, const Ui& ui);
/// A frame outside of a rectangle, so that even a cell of one pixel keeps its colour.
void draw_around(Canvas& canvas, const Rect& rect, double width, Color color);
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

/// Lights the distance m − n that is pointed at elsewhere, or held: a line with a dot on every
/// curve of a plot by distance, the diagonal of a map of queries by keys. Other figures stay as
/// they are.
void draw_linked_distance(Canvas& canvas, const Figure& figure, const FigureLayout& frame,
                          const FigureView& view, double distance, const Ui& ui);

/// Lights the pair t that is pointed at elsewhere: a line with a dot on every curve of a plot by
/// pair, the row of a map of pairs, the arrow of a pair.
void draw_linked_pair(Canvas& canvas, const Figure& figure, const FigureLayout& frame,
                      const FigureView& view, std::size_t pair, const Ui& ui);

/// The pair that a figure reports under the cursor.
std::optional<std::size_t> pointed_pair(const Figure& figure, const FigureLayout& frame,
                                        const FigureView& view, Point cursor, const Ui& ui);

/// The position that a figure reports under the cursor: the distance, on a plot by distance or a
/// map of queries by keys.
std::optional<double> pointed_distance(const Figure& figure, const FigureLayout& frame,
                                       const FigureView& view, Point cursor);

}  // namespace orrery
