#pragma once

#include <optional>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/actions.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// A question and the experiment that answers it.
struct AskedQuestion {
  const Experiment* experiment{};
  const Question* question{};
};

/// Those of all experiments.
const std::vector<AskedQuestion>& questions();

/// The questions as cards, each with its answer.
class QuestionSheet : public Overlay {
 public:
  /// Returns the number of the question that was chosen in this frame.
  std::optional<std::size_t> draw(const Ui& ui);
};

/// Lists all keyboard shortcuts and mouse gestures.
class ShortcutSheet : public Overlay {
 public:
  void draw(const Actions& actions, const Ui& ui);
};

}  // namespace orrery
