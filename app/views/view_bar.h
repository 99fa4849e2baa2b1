#pragma once

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "app/views/figure_stage.h"

namespace orrery {

/// Draws the choice of layout and reference in a row at the top right of
/// `area`: the distance that is held; three layouts; the references that are pinned, and the
/// difference from the last. `origin` is what is on screen. Returns the width it took; 0 where there
/// is no room for it. Changes session.shown().
double draw_view_bar(Session& session, ViewLayout layout, FigureOrigin origin, const Rect& area,
                     const Ui& ui);

}  // namespace orrery
