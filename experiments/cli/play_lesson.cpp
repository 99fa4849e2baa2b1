// lesson play and lesson render: the desktop shows a lesson, or draws its steps.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/lessons/library.h"
#include "experiments/setup/plugins.h"

namespace orrery::cli {

int play_lesson(const LessonOptions& options) {
  const bool renders = options.action == "render";
  if (options.names.size() != 1)
    throw UsageError("lesson " + options.action, "takes one lesson",
                     fmt::format("try orrery lesson {} decay", options.action));
  const auto files = lessons_named(options.names.front());
  if (files.size() != 1)
    throw UsageError(options.names.front(), "is not one lesson", "see orrery lesson list");
  std::vector<std::string> words{"--lesson", files.front().string()};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  if (options.step > 0) add("--step", fmt::format("{}", options.step));
  add("--theme", options.theme);
  if (renders) {
    add("--render", options.out.empty() ? "." : options.out);
    add("--size", options.size);
    if (options.motion > 0) add("--motion", fmt::format("{}", options.motion));
    if (options.projector) words.emplace_back("--projector");
  }
  if (!renders) {
    const std::string& name = options.names.front();
    require_display(
        "lesson play",
        fmt::format("{} writes it as a page with its figures, and {} a picture per step",
                    setup::command_line({"orrery", "lesson", "print", name}),
                    setup::command_line({"orrery", "lesson", "render", name})));
  }
  return start_desktop(std::move(words));
}

}  // namespace orrery::cli
