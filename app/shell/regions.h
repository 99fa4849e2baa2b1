#pragma once

#include <optional>

#include "app/session/desktop_state.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// How the window is divided. What is hidden or finds no room has width 0.
struct Regions {
  Rect list{};  ///< list of views at the left
  Rect view{};
  Rect params{};  ///< parameters at the right
  Rect bar{};  ///< at the bottom: the status and, without `params`, the controls that matter most
  bool with_controls{};  ///< whether `bar` has controls
};

/// The regions of a window of `size` pixels. The figure comes first: the columns are shown where
/// the window is so wide that it does not miss the room, or where the user asked for them; `saved`
/// results have what they were made of at the right. In a narrow window the list gives way first,
/// then the parameters.
Regions window_regions(Size size, const Look& look, double scale, bool saved);

/// The regions while a lesson is open: it takes the place of the list of views, over the whole
/// height. In a sandbox the parameters stand at the right. In projector mode the figure and what
/// stands below it are alone: the controls, or something else of the height `for_controls`.
Regions lesson_regions(Size size, const Look& look, double scale, bool sandbox,
                       std::optional<double> for_controls = {});

}  // namespace orrery
