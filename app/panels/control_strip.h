#pragma once

#include <span>
#include <string>

#include "app/gui/ui.h"
#include "app/session/session.h"

namespace orrery {

/// Controls of the parameters `keys`, or of all without any, those that are used, side by side in
/// the current line and at most `width` wide: choices as lists to open, and up to `sliders`
/// numbers. Returns whether all parameters were asked for.
bool draw_control_strip(Session& session, std::span<const std::string> keys, std::size_t sliders,
                        double width, const Ui& ui);

}  // namespace orrery
