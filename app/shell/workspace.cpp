#include "app/shell/workspace.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <exception>

#include "app/gui/imgui_shim.h"
#include "app/session/file_targets.h"
#include "app/session/references.h"
#include "experiments/combine/sweep_overview.h"

namespace orrery {
namespace {

/// `index` moved by `by` around a ring of `count`.
std::size_t around(std::size_t index, int by, std::size_t count) {
  const auto size = static_cast<std::ptrdiff_t>(count);
  return static_cast<std::size_t>((static_cast<std::ptrdiff_t>(index) + by + size) % size);
}

/// The figures, or the pages of a sweep drawn together.
std::vector<std::string> steps_of(const ExperimentState& state) {
  const bool pages =
      state.result->provenance.experiment == sweep_overview_name &&
      state.shown.layout.value_or(ViewLayout::small_multiples) == ViewLayout::small_multiples;
  std::vector<std::string> names;
  for (const Figure& figure : state.result->figures) {
    const std::string& name = pages ? figure.role.kind : figure.id;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

// A click or a key changes the session in the same frame or the next ones.
constexpr int frames_per_input = 3;

bool is_input_present() {
  const ImGuiIO& io = ImGui::GetIO();
  bool button = ImGui::IsAnyMouseDown();
  for (int i = 0; i < ImGuiMouseButton_COUNT; ++i) button = button || ImGui::IsMouseReleased(i);
  return button || io.MouseWheel != 0.0f || io.MouseWheelH != 0.0f ||
         !io.InputQueueCharacters.empty() || shim::any_key_pressed(io);
}

}  // namespace

void Workspace::update() {
  live_.update();
  browser_.update();
}

void Workspace::show_view(std::size_t index) {
  show_live();
  live_.select(index);
}

void Workspace::step_view(int by) { show_view(around(live_.selected(), by, live_.size())); }

void Workspace::step_figure(int by) {
  const ExperimentState& state = shown().current();
  if (!state.result || state.result->figures.empty()) return;
  const std::vector<std::string> names = steps_of(state);
  const auto on_top = std::find(names.begin(), names.end(), state.figure);
  const auto index = on_top == names.end() ? 0 : static_cast<std::size_t>(on_top - names.begin());
  shown().select_figure(names[around(index, by, names.size())]);
}

void Workspace::fit_figures() {
  const ExperimentState& state = shown().current();
  if (!state.result) return;
  for (const Figure& figure : state.result->figures) {
    FigureView& view = shown().view(figure.id);
    view.x.reset();
    view.y.reset();
  }
}

std::optional<ExperimentState> Workspace::shown_settings() {
  if (!is_browsing()) return live_.current();
  const std::shared_ptr<const Result> result = browser_.session().current().result;
  if (!result) {
    live_.note("No saved result is open.");
    return std::nullopt;
  }
  try {
    const SavedSettings settings = settings_of(live_, result->provenance);
    ExperimentState state{.experiment = live_.state(settings.experiment).experiment,
                          .params = settings.params};
    return state;
  } catch (const std::exception& refusal) {
    shown().say(refusal.what());
    return std::nullopt;
  }
}

void Workspace::perform(ResultBrowser::Request request) {
  if (request == ResultBrowser::Request::none) return;
  const std::shared_ptr<const Result> result = browser_.session().current().result;
  try {
    const SavedSettings settings = settings_of(live_, result->provenance);
    if (request == ResultBrowser::Request::open_live) show_settings(live_, settings);
    show_view(settings.experiment);
    if (request == ResultBrowser::Request::pin) live_.note(pin_reference(live_.shown(), result));
    if (!settings.left_out.empty())
      live_.say(fmt::format("This version does not support all of these settings: {}",
                            settings.left_out.front()));
  } catch (const std::exception& refusal) {
    shown().say(refusal.what());
  }
}

void UndoRecorder::begin_frame() {
  travelled_ = false;
  if (is_input_present()) note_input();
}

void UndoRecorder::note_input() { input_frames_ = frames_per_input; }

void UndoRecorder::enter(const std::string& place) {
  if (place == place_) return;
  if (place_.empty()) outside_ = std::move(history_);
  history_ = place.empty() ? std::move(outside_) : History{};
  if (place.empty()) outside_ = {};
  place_ = place;
  // What a step sets is not the reader's doing.
  ignore_input();
}

void UndoRecorder::record(const Session& session, double seconds) {
  using Cause = History::Cause;
  const bool by_user = input_frames_ > 0 && !travelled_;
  if (travelled_) input_frames_ = 0;
  if (input_frames_ > 0) --input_frames_;
  const Cause cause = !by_user                  ? Cause::automatic
                      : ImGui::IsAnyMouseDown() ? Cause::gesture
                                                : Cause::user;
  history_.observe(session.snapshot(), cause, seconds);
}

std::optional<DesktopState> UndoRecorder::undo() { return travelled(history_.undo()); }

std::optional<DesktopState> UndoRecorder::redo() { return travelled(history_.redo()); }

std::optional<DesktopState> UndoRecorder::travelled(std::optional<DesktopState> state) {
  if (state) travelled_ = true;
  return state;
}

}  // namespace orrery
