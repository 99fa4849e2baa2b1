#pragma once

#include "app/gui/ui.h"
#include "app/shell/action_handler.h"

namespace orrery {

/// Draws the button that lists all actions with their keys, and the list while it is open.
void draw_action_menu(ActionHandler& actions, const Ui& ui);

}  // namespace orrery
