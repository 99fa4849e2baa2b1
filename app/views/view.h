#pragma once

#include <string_view>

#include "app/session.h"
#include "app/ui.h"

namespace orrery {

/// One way of showing what an experiment found. Views only draw; what they remember is where the
/// mouse was.
class View {
 public:
  virtual ~View() = default;
  /// The experiment it is made for.
  virtual std::string_view experiment() const = 0;
  /// Draws the current experiment's result into `area` of the current window.
  virtual void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) = 0;
};

}  // namespace orrery
