#pragma once

#include "app/session/actions.h"

namespace orrery {

/// The action whose shortcut was pressed in this frame; null without one. While `typing` into a
/// text field, most keys are letters.
const Action* pressed_action(const Actions& actions, bool typing);

}  // namespace orrery
