#pragma once

#include "app/session.h"
#include "app/ui.h"

namespace orrery {

/// How the figures are arranged and what they are compared with, in a row at the top right of
/// `area`: three layouts; the result pinned as reference, and the difference from it. Returns the
/// width it took; 0 where there is no room for it. Changes session.shown().
double draw_view_bar(Session& session, ViewLayout layout, const Rect& area, const Ui& ui);

}  // namespace orrery
