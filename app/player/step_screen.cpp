#include "app/player/step_screen.h"

#include <fmt/format.h>

#include <optional>

#include "app/session/session_toml.h"
#include "experiments/files/file.h"

namespace orrery {
namespace {

constexpr std::string_view fence = "```state\n";

/// The numbers and choices that were changed, at most two.
std::string controls_of(const ParamSet& params) {
  std::string keys;
  std::size_t count = 0;
  for (const ParamSpec& spec : params.specs()) {
    const bool changed = !(params.value(spec.key) == spec.default_value);
    const bool movable = spec.kind != ParamKind::file && params.is_used(spec.key);
    if (changed && movable && count++ < 2) keys += spec.key + "\n";
  }
  return keys;
}

}  // namespace

DesktopState screen_of(const Session& session, const StepState& state) {
  DesktopState screen = session.snapshot();
  const auto index = state.experiment ? session.find(state.experiment->info.name) : std::nullopt;
  if (!index)
    throw UsageError("the step", "shows an experiment that this desktop does not have",
                     "write a block ```state with experiment = \"…\"");
  screen.selected = *index;
  screen.saved.on_screen = false;
  ExperimentSettings& settings = screen.experiments[*index];
  settings.params = state.params;
  settings.figure = state.figure;
  settings.views = state.views;
  settings.shown = {.layout = state.layout, .second_figure = state.second_figure};
  // A step that names a figure is about that one.
  if (!state.layout && !state.figure.empty()) settings.shown.layout = ViewLayout::single;
  return screen;
}

std::string step_text(const ExperimentState& state) {
  std::string text = fmt::format("## {}\n\n", state.experiment->info.title);
  text += fmt::format("{}{}```\n", fence, settings_text(state, true));
  const std::string controls = controls_of(state.params);
  if (!controls.empty()) text += fmt::format("\n```controls\n{}```\n", controls);
  return text + fmt::format("\n```say\n{}\n```\n", state.experiment->info.question);
}

std::string state_in(const std::string& copied) {
  const std::size_t begin = copied.find(fence);
  if (begin == std::string::npos) return copied;
  const std::size_t from = begin + fence.size();
  const std::size_t end = copied.find("\n```", from);
  return copied.substr(from, end == std::string::npos ? end : end + 1 - from);
}

}  // namespace orrery
