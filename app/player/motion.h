#pragma once

#include "app/session/desktop_state.h"

namespace orrery {

/// How long the settings take from one step to the next.
inline constexpr double motion_seconds = 0.5;

/// A share of the way, 0 to 1, slow at both ends.
double eased(double share);

/// Whether the two are settings of the same experiment of which a number differs.
bool can_move(const ParamSet& from, const ParamSet& to);

/// The settings after a share of the way, 0 to 1, slow at both ends. Numbers move along the scale
/// of their slider, everything else changes at the beginning; at 1 it is exactly `to`.
ParamSet part_way(const ParamSet& from, const ParamSet& to, double share);

}  // namespace orrery
