#pragma once

#include <vector>

#include "app/gui/ui.h"
#include "app/views/readout.h"

namespace orrery {

/// Draws a hairline at the cursor with a dot on every curve, and the values of the curves beside it.
void draw_line_readout(Canvas& canvas, const LinePlot& plot, const LineReadout& readout,
                       const FigureLayout& frame, const Ui& ui);
/// The cell outlined and marked on the colour bar, and what it and its terms hold beside the
/// cursor.
void draw_cell_readout(Canvas& canvas, const Heatmap& map, const CellReadout& readout,
                       const std::vector<CellTerm>& terms, const FigureLayout& frame, const Ui& ui);
/// The tip of an arrow marked, and where it lies.
void draw_arrow_readout(Canvas& canvas, const VectorPlot& plot, std::size_t arrow,
                        const FigureLayout& frame, const Ui& ui);

}  // namespace orrery
