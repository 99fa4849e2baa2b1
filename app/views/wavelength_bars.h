#pragma once

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

/// Draws the wavelength of each pair of a map of pairs as a bar in the row of the pair, on a
/// logarithmic axis in `strip`, which lies beside the map as `frame` has it; a line at the context
/// length, beyond which bars are pale: those pairs do not turn once. Where the settings can be
/// changed, a click on a bar mutes its band of the frequency mixer, Ctrl+click lets it sound alone.
/// Nothing is drawn where the result has no wavelengths of the map's encoding.
void draw_wavelength_bars(Session& session, const Result& result, const Figure& map,
                          const FigureLayout& frame, const Rect& strip, bool live, const Ui& ui);

/// Whether the result has them.
bool has_wavelengths(const Result& result, const Figure& map);

}  // namespace orrery
