#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/overlay.h"
#include "app/gui/ui.h"

namespace orrery::dialogs {

/// A question that people come with, and the view that answers it.
struct Question {
  std::string words{};
  std::string answer{};                                       ///< two sentences
  std::string experiment{};                                   ///< its name
  std::vector<std::pair<std::string, std::string>> params{};  ///< all others are at their defaults
  std::string figure{};                                       ///< id; empty: the first
  std::string control{};  ///< the parameter to move, by its key; in `answer` by its name
};

std::span<const Question> questions();

/// The questions as cards, each with its answer.
class QuestionSheet : public Overlay {
 public:
  /// Returns the number of the question that was chosen in this frame.
  std::optional<std::size_t> draw(const Ui& ui);
};

}  // namespace orrery::dialogs
