#pragma once

#include "app/overlay.h"

namespace orrery {

/// All keys and gestures on one sheet, made from the table of actions.
class ShortcutSheet : public Overlay {
 public:
  void draw(const Ui& ui);
};

}  // namespace orrery
