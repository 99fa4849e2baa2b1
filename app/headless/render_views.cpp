#include "app/headless/render_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <system_error>

#include "app/headless/offscreen.h"
#include "app/headless/script.h"
#include "app/player/director.h"
#include "app/session/file_targets.h"
#include "experiments/files/file.h"

namespace orrery {
namespace {

/// Which pictures of a lesson are drawn.
struct LessonFrames {
  std::string lesson{};  ///< by name, number or file
  std::size_t step{};    ///< from 1; 0: all of them
  std::size_t motion{};  ///< frames of the motion from one step to the next
};

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

/// Draws the steps of a lesson: LESSON-03 as the step begins, LESSON-03-revealed where it hides
/// something, and LESSON-03-motion-00 … on the way to it from the step before. No clock is read:
/// the same lesson gives the same pictures. `write` keeps the desktop's pixels under a name.
/// Throws UsageError for a step that does not exist, and what opening the lesson throws.
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

constexpr std::uintmax_t max_script_bytes = 1 << 20;

void show(const std::string& name, OffscreenDesktop& desktop) {
  const Actions& actions = desktop.app().actions();
  if (!find_action(actions, name)) {
    const std::string near = nearest_action(actions, name);
    throw UsageError("--show " + name, "is not an action",
                     near.empty() ? "try --show palette" : "did you mean " + near + "?");
  }
  desktop.app().perform(name);
  desktop.settle();
}

/// Opens the path named by the options.
void open_path(OffscreenDesktop& desktop, const std::filesystem::path& path) {
  look_at(path);  // a path that cannot be shown is an error here, and a message in a window
  desktop.app().open_path(path);
}

void write_picture(const OffscreenDesktop& desktop, const RenderOptions& options,
                   const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(options.folder) / (name + ".png");
  std::filesystem::remove(path);
  write_new_file(path, png_bytes(desktop.pixels()));
  std::printf("%s\n", path.c_str());
}

void render_current(const Session& session, OffscreenDesktop& desktop,
                    const RenderOptions& options) {
  desktop.settle();
  if (!options.show.empty()) show(options.show, desktop);
  if (session.current().failure) std::rethrow_exception(session.current().failure);
  const std::string name = session.current().experiment->info.name;
  write_picture(desktop, options, options.show.empty() ? name : name + "-" + options.show);
}

void render_script(Session& session, OffscreenDesktop& desktop, const RenderOptions& options) {
  const ScriptDesktop stage{
      .session = session,
      .app = desktop.app(),
      .frame = [&] { desktop.pass(); },
      .settle = [&] { desktop.settle(); },
      .picture = [&](const std::string& name) { write_picture(desktop, options, name); }};
  play_script(read_file(options.script, max_script_bytes), options.script, stage);
}

}  // namespace

void render_views(const RenderOptions& options) {
  const auto [width, height] = parse_size(options.size);
  if (!options.show.empty() && options.start.view.empty() && options.start.open.empty())
    throw UsageError("--show " + options.show, "needs a view", "add --view NAME");
  const auto session = start_session(options.start, {});
  session->look.projector = options.projector;
  OffscreenDesktop desktop(*session, width, height);
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed) throw io_error(options.folder, "made", failed.value());
  if (!options.script.empty()) {
    if (!options.start.lesson.empty())
      desktop.app().open_lesson(options.start.lesson,
                                std::max<std::size_t>(options.start.step, 1) - 1);
    return render_script(*session, desktop, options);
  }
  if (!options.start.lesson.empty())
    return render_lesson({options.start.lesson, options.start.step, options.motion}, desktop,
                         [&](const std::string& name) { write_picture(desktop, options, name); });
  if (!options.start.open.empty()) {
    open_path(desktop, options.start.open);
    desktop.settle();
    const App& app = desktop.app();
    const ExperimentState& shown = session->current();
    // In a window a message says so.
    if (!app.is_browsing() && !shown.message.empty() && !shown.failure)
      throw UsageError("--open " + options.start.open, "is read by no view",
                       "open a folder of results, a model's configuration, a tensor or a text");
    return render_current(app.is_browsing() ? app.browser().session() : *session, desktop, options);
  }
  if (!options.start.view.empty()) return render_current(*session, desktop, options);
  for (std::size_t i = 0; i < session->size(); ++i) {
    session->select(i);
    render_current(*session, desktop, options);
  }
}

}  // namespace orrery
