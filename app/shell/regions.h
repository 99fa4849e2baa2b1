#pragma once

#include "app/session/desktop_state.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery::shell {

/// How the window is divided. Columns that are hidden or find no room have width 0.
struct Regions {
  Rect list{};  ///< list of views at the left
  Rect view{};
  Rect params{};  ///< parameters at the right
  Rect status{};  ///< status line at the bottom
};

/// The regions of a window of `size` pixels. In a narrow window the list gives way first, then the
/// parameters.
Regions window_regions(Size size, const Look& look, double scale);

}  // namespace orrery::shell
