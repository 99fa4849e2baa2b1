#pragma once

#include "app/ui.h"
#include "app/views/readout.h"

namespace orrery {

/// A hair line with a dot on every curve, and their values beside the cursor.
void draw_line_readout(Canvas& canvas, const LinePlot& plot, const LineReadout& readout,
                       const FigureFrame& frame, const Ui& ui);
/// The cell outlined, and what it holds beside the cursor.
void draw_cell_readout(Canvas& canvas, const Heatmap& map, const CellReadout& readout,
                       const FigureFrame& frame, const Ui& ui);

}  // namespace orrery
