#pragma once

#include "app/gui/overlay.h"
#include "app/session/actions.h"

namespace orrery {

/// Lists all keyboard shortcuts and mouse gestures.
class ShortcutSheet : public Overlay {
 public:
  void draw(const Actions& actions, const Ui& ui);
};

}  // namespace orrery
