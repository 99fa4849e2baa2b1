#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/result.h"

namespace orrery {

/// In place of a slot of the palette, for a ghost.
inline constexpr int ghost_slot = -1;

/// The values of a line plot at one x: every visible curve at the sample nearest to it.
struct LineReadout {
  struct Entry {
    std::string name{};
    int color{};                    ///< slot of the palette, or ghost_slot
    std::optional<double> shade{};  ///< as Series has it
    double value{};
    Point at{};
    double x{};                   ///< of the sample; not the read-out's where curves differ in x
    std::optional<Range> band{};  ///< of spread, where the curve has one
  };
  double x{};
  double at_x{};                 ///< canvas coordinate
  std::vector<Entry> entries{};  ///< from the highest value down; gaps last
};

/// Under the cursor: x snaps to the nearest sample that shows. Empty when the cursor is outside the
/// plot or no sample is shown.
std::optional<LineReadout> read_lines(const LinePlot& plot, const FigureLayout& frame,
                                      const FigureView& view, Point cursor);
/// At x, snapped to the nearest sample, shown or not. Empty when no visible curve has a sample that
/// the axis can show.
std::optional<LineReadout> read_lines_at(const LinePlot& plot, const FigureLayout& frame,
                                         const FigureView& view, double x);

/// One cell of a map.
struct CellReadout {
  std::size_t row{};
  std::size_t column{};
  std::string row_label{};  ///< empty when the map has none
  std::string column_label{};
  double value{};
  bool masked{};
  Rect cell{};
};

/// Empty when the cursor is on no cell.
std::optional<CellReadout> read_cell(const Heatmap& map, const FigureLayout& frame, Point cursor);

/// By name: the other arrays of the result that are of the map's encoding and have its shape and
/// axes, read at the cell: the weights have the logits and each of their terms beside them. `role`
/// is the map's.
std::vector<std::pair<std::string, double>> read_terms(const Result& result, const FigureRole& role,
                                                       const Heatmap& map, Cell cell);

/// The one of [first, last) whose distance is smallest, if that is below `reach`; never a NaN.
template <class Distance>
std::optional<std::size_t> nearest_of(std::size_t first, std::size_t last, double reach,
                                      const Distance& distance) {
  std::optional<std::size_t> nearest;
  for (std::size_t i = first; i < last; ++i) {
    const double here = distance(i);
    if (!(here < reach)) continue;
    reach = here;
    nearest = i;
  }
  return nearest;
}

/// The tip of an arrow is found from this near.
inline constexpr double arrow_reach = 14.0;
/// The arrow whose tip is nearest to the cursor and near enough; its place in the figure.
std::optional<std::size_t> read_arrow(const VectorPlot& plot, const FigureLayout& frame,
                                      Point cursor, double reach);

/// A number as a readout shows it, to so many significant digits; NaN in words.
std::string readout_number(double value, int digits = 5);

/// The value of a curve with its band, and with its own x where that is not the read-out's:
/// "0.31 (0.2 … 0.4) at 12"; "no value" in a gap.
std::string entry_text(const LineReadout::Entry& entry, double x);

/// "relative distance m − n" of an axis, as much of it as there is.
std::string axis_name(const Axis& axis);

}  // namespace orrery
