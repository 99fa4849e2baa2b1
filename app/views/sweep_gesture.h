#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/session/session.h"

namespace orrery {

/// The result from before a control was dragged, to compare with while it is dragged and until the
/// next click. It belongs to the gesture: neither undo nor the saved session knows it.
class BeforeDrag {
 public:
  /// Looks at the mouse and the parameters. Call once a frame, before the controls are drawn.
  void update(const Session& session);
  /// Null while there is none.
  const std::shared_ptr<const Result>& result() const { return before_; }

 private:
  void forget();

  int frame_{-1};
  std::shared_ptr<const Result> pressed_{};  ///< on screen when the button was pressed
  std::optional<ParamSet> params_{};         ///< at that time
  std::shared_ptr<const Result> before_{};
};

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
