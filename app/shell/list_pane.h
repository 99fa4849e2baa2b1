#pragma once

#include "app/gui/ui.h"
#include "app/shell/action_handler.h"
#include "app/shell/workspace.h"

namespace orrery {

/// Draws the button that lists all actions with their keys, and the list while it is open.
void draw_action_menu(ActionHandler& actions, const Ui& ui);

/// Draws the column at the left of the window: menu, list of views, theme and size.
void draw_list_pane(Workspace& workspace, ActionHandler& actions, const Rect& area, const Ui& ui);

}  // namespace orrery
