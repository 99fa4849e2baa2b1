#pragma once

#include <memory>

#include "app/gui/ui.h"
#include "app/session/references.h"
#include "app/session/session.h"
#include "app/views/figure_set.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The figures of any result: one at a time, two side by side, or all as small multiples; compared
/// with a pinned reference, and turned to the distance pointed at. It only draws: all that it
/// remembers is where the mouse was.
class ResultView {
 public:
  /// @param live  whether settings can be changed: lines that set parameters can be dragged
  ResultView(ExperimentView view, bool live);
  ResultView(ResultView&&) noexcept;
  ResultView& operator=(ResultView&&) noexcept;
  ~ResultView();

  /// Draws the current experiment's result, which must exist, into `area` of the current window,
  /// and the choice of figures and layout into `bar`, one line high; without a height there is
  /// none.
  void draw(Session& session, const Rect& bar, const Rect& area, const Ui& ui);

 private:
  class Arrangement;
  std::unique_ptr<Arrangement> arrangement_;
};

}  // namespace orrery
