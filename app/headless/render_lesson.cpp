#include "app/headless/render_lesson.h"

#include <fmt/format.h>

#include "app/player/director.h"
#include "experiments/files/file.h"

namespace orrery {
namespace {

void render_motion(Director& director, std::size_t step, std::size_t count, const std::string& name,
                   OffscreenDesktop& desktop,
                   const std::function<void(const std::string&)>& write) {
  for (std::size_t frame = 0; frame < count; ++frame) {
    const double share = static_cast<double>(frame) / static_cast<double>(count);
    if (!director.pose(step, share)) return;
    desktop.settle();
    write(fmt::format("{}-motion-{:02}", name, frame));
  }
}

}  // namespace

void render_lesson(const LessonFrames& frames, OffscreenDesktop& desktop,
                   const std::function<void(const std::string& name)>& write) {
  desktop.app().open_lesson(frames.lesson, 0);
  Director& director = desktop.app().director();
  const std::size_t count = director.player().size();
  if (frames.step > count)
    throw UsageError(fmt::format("--step {}", frames.step),
                     fmt::format("does not exist: the lesson has {} steps", count),
                     fmt::format("choose 1 to {}", count));
  for (std::size_t step = 0; step < count; ++step) {
    if (frames.step > 0 && step + 1 != frames.step) continue;
    const std::string name = fmt::format("{}-{:02}", director.player().lesson().name, step + 1);
    render_motion(director, step, frames.motion, name, desktop, write);
    director.pose(step, 1.0);
    desktop.settle();
    write(name);
    if (!director.player().hides()) continue;
    director.reveal();
    desktop.settle();
    write(name + "-revealed");
  }
}

}  // namespace orrery
