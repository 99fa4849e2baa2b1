#pragma once

#include <functional>
#include <string>

#include "app/headless/offscreen.h"

namespace orrery {

/// Which pictures of a lesson are drawn.
struct LessonFrames {
  std::string lesson{};  ///< by name, number or file
  std::size_t step{};    ///< from 1; 0: all of them
  std::size_t motion{};  ///< frames of the motion from one step to the next
};

/// Draws the steps of a lesson: LESSON-03 as the step begins, LESSON-03-revealed where it hides
/// something, and LESSON-03-motion-00 … on the way to it from the step before. No clock is read:
/// the same lesson gives the same pictures. `write` keeps the desktop's pixels under a name.
/// Throws UsageError for a step that does not exist, and what opening the lesson throws.
void render_lesson(const LessonFrames& frames, OffscreenDesktop& desktop,
                   const std::function<void(const std::string& name)>& write);

}  // namespace orrery
