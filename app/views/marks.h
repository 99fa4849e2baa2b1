#pragma once

#include <optional>
#include <vector>

#include "app/ui.h"
#include "app/view_state.h"
#include "app/views/readout.h"

namespace orrery {

// What a reader lays onto a line plot: read-outs that stay, and two cursors whose difference is
// read. Positions are data, so that they stay with their data through pan, zoom and new results.

/// The pin whose line runs within reach of the cursor; its place in the marks.
std::optional<std::size_t> pin_at(const FigureMarks& marks, const FigureFrame& frame, Point cursor,
                                  double reach);
/// The cursor (0 or 1) whose line runs within reach.
std::optional<std::size_t> cursor_at(const FigureMarks& marks, const FigureFrame& frame,
                                     Point cursor, double reach);

/// Pins the read-out at x; one that is there already stays the only one.
void add_pin(FigureMarks& marks, double x);
/// Lays both cursors onto samples at a third and two thirds of what shows, or takes them away.
void toggle_cursors(FigureMarks& marks, const LinePlot& plot, const FigureFrame& frame,
                    const FigureView& view);

/// B − A at the two cursors.
struct DeltaReadout {
  struct Entry {
    std::string name{};
    int color{};
    double a{}, b{};
  };
  LineReadout a{}, b{};
  std::vector<Entry> entries{};  ///< the curves that have a sample at both, highest at A first
};
std::optional<DeltaReadout> read_delta(const LinePlot& plot, const FigureFrame& frame,
                                       const FigureView& view, const FigureMarks& marks);

/// Lines, dots and boxes of pins and cursors, over the plot.
void draw_marks(Canvas& canvas, const LinePlot& plot, const FigureFrame& frame,
                const FigureView& view, const FigureMarks& marks, const Ui& ui);

}  // namespace orrery
