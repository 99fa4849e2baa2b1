#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/overlay.h"
#include "app/gui/ui.h"
#include "app/player/layers.h"

namespace orrery::player {

/// A lesson as its card shows it.
struct LessonCard {
  std::filesystem::path file{};
  int number{};
  std::string title{};
  std::string misconception{};
  int minutes{};
  std::size_t steps{};
};

/// The lessons that come with Orrery. A file that cannot be read is left out.
std::vector<LessonCard> lesson_cards();

/// The lessons as cards. Arrow keys and Enter choose one, too.
class LessonSheet : public Overlay {
 public:
  /// Returns the file of the lesson that was chosen in this frame.
  std::optional<std::filesystem::path> draw(const Ui& ui);

 private:
  std::vector<LessonCard> cards_{};
};

}  // namespace orrery::player
