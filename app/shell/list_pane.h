#pragma once

#include "app/gui/ui.h"
#include "app/shell/action_handler.h"
#include "app/shell/workspace.h"

namespace orrery {

/// Draws the column at the left of the window: menu, list of views, theme and size.
void draw_list_pane(Workspace& workspace, ActionHandler& actions, const Rect& area, const Ui& ui);

}  // namespace orrery
