#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/session/session.h"

namespace orrery {

/// Shift held while a number is dragged sweeps it in place, from the value at the press to the one
/// now. The sweep stays until a click beside everything or another change of a parameter; Esc ends
/// it and gives the number its value from before.
class SweepGesture {
 public:
  /// Looks at mouse, keyboard and parameters. Call once a frame, before the controls are drawn.
  void update(Session& session);

 private:
  int frame_{-1};
  std::optional<ParamSet> pressed_{};                   ///< parameters when the button was pressed
  std::map<std::string, double, std::less<>> shown_{};  ///< the numbers that controls showed then
  std::optional<ParamSet> before_{};                    ///< parameters before the drag that swept
  bool shift_{};  ///< whether Shift was held in the frame before
};

}  // namespace orrery
