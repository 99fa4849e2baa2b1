#pragma once

#include <memory>
#include <optional>

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

}  // namespace orrery
