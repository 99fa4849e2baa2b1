#include "app/shell/undo_recorder.h"

#include <imgui.h>

#include <utility>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

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
