#pragma once

#include "app/session.h"
#include "app/ui.h"

namespace orrery {

/// One way of showing what an experiment found. Views only draw; what they remember is where the
/// mouse was.
class View {
 public:
  virtual ~View() = default;
  /// Draws the current experiment's result into `area` of the current window.
  virtual void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) = 0;
};

}  // namespace orrery
