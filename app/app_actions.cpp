// What the desktop does when it is told to: App's half that draws nothing.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <exception>

#include "app/app.h"
#include "app/command_text.h"
#include "app/imgui_shim.h"
#include "app/state_text.h"

namespace orrery {
namespace {

// Frames after an event in which what changes is its doing: clicks show in the next frame.
constexpr int kHandFrames = 3;
constexpr std::array kSizes{0.5, 0.6, 0.75, 0.85, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0};

bool is_hand_at_work() {
  const ImGuiIO& io = ImGui::GetIO();
  bool button = ImGui::IsAnyMouseDown();
  for (int i = 0; i < ImGuiMouseButton_COUNT; ++i) button = button || ImGui::IsMouseReleased(i);
  return button || io.MouseWheel != 0.0f || io.MouseWheelH != 0.0f ||
         !io.InputQueueCharacters.empty() || shim::any_key_pressed(io);
}

double next_size(double size) {
  const auto* found = std::upper_bound(kSizes.begin(), kSizes.end(), size);
  return found == kSizes.end() ? kSizes.back() : *found;
}

double previous_size(double size) {
  const auto* found = std::lower_bound(kSizes.begin(), kSizes.end(), size);
  return found == kSizes.begin() ? kSizes.front() : *(found - 1);
}

Theme next_theme(Theme theme) {
  switch (theme) {
    case Theme::dark:
      return Theme::light;
    case Theme::light:
      return Theme::print;
    case Theme::print:
      return Theme::dark;
  }
  return Theme::dark;
}

/// `index` moved by `by` around a ring of `count`.
std::size_t around(std::size_t index, int by, std::size_t count) {
  const auto size = static_cast<std::ptrdiff_t>(count);
  return static_cast<std::size_t>((static_cast<std::ptrdiff_t>(index) + by + size) % size);
}

}  // namespace

void App::press_keys() {
  travelled_ = false;
  if (is_hand_at_work()) hand_frames_ = kHandFrames;
  // A sheet over everything takes the keyboard for itself.
  const bool typing = ImGui::GetIO().WantTextInput || is_covered();
  if (const auto id = pressed_action(typing)) perform(*id);
}

void App::remember() {
  using Cause = History::Cause;
  const bool by_hand = hand_frames_ > 0 && !travelled_;
  if (travelled_) hand_frames_ = 0;
  if (hand_frames_ > 0) --hand_frames_;
  const Cause cause = !by_hand                  ? Cause::machinery
                      : ImGui::IsAnyMouseDown() ? Cause::gesture
                                                : Cause::hand;
  history_.observe(session_.snapshot(), cause, ImGui::GetTime());
  if (!keeper_) return;
  const std::string trouble = keeper_->watch(ImGui::GetTime());
  if (!trouble.empty() && session_.size() > 0) session_.say(trouble);
}

double App::due_in() const { return keeper_ ? keeper_->due_in(ImGui::GetTime()) : -1.0; }

void App::perform(ActionId id) {
  hand_frames_ = kHandFrames;
  if (session_.size() == 0) return;
  const ExperimentState& state = session_.current();
  switch (id) {
    case ActionId::undo: {
      const std::string change = history_.undo_text();
      return travel(history_.undo(), "Undone", change);
    }
    case ActionId::redo: {
      const std::string change = history_.redo_text();
      return travel(history_.redo(), "Done again", change);
    }
    case ActionId::copy_settings:
      return copy(settings_text(state), "Copied the settings as text");
    case ActionId::paste_settings:
      return paste();
    case ActionId::copy_command:
      return copy(command_text(state), "Copied: " + command_text(state));
    case ActionId::reset_parameters:
      return session_.reset_all();
    case ActionId::export_figure:
      export_wanted_ = true;
      return;
    case ActionId::open_file:
      return files_.ask();
    case ActionId::jobs:
      return jobs_.open();
    case ActionId::checks:
      return checks_.open();
    case ActionId::palette:
      return palette_.open();
    case ActionId::shortcuts:
      return sheet_.open();
    case ActionId::next_view:
      return step_view(1);
    case ActionId::previous_view:
      return step_view(-1);
    case ActionId::next_figure:
      return step_figure(1);
    case ActionId::previous_figure:
      return step_figure(-1);
    case ActionId::fit_figure:
      return fit_figures();
    case ActionId::recompute:
      return session_.recompute();
    case ActionId::stop:
      return session_.stop();
    case ActionId::next_theme:
      session_.theme = next_theme(session_.theme);
      return;
    case ActionId::larger:
      session_.scale = next_size(session_.scale);
      return;
    case ActionId::smaller:
      session_.scale = previous_size(session_.scale);
      return;
    case ActionId::normal_size:
      session_.scale = 1.0;
      return;
    case ActionId::projector:
      session_.projector = !session_.projector;
      return;
    case ActionId::toggle_list:
      session_.show_list = !session_.show_list;
      return;
    case ActionId::toggle_panel:
      session_.show_panel = !session_.show_panel;
      return;
  }
}

bool App::is_covered() const {
  return palette_.is_open() || sheet_.is_open() || export_.is_open() || files_.is_open() ||
         target_.is_open() || jobs_.is_open() || checks_.is_open();
}

void App::take(const PaletteEntry& entry) {
  hand_frames_ = kHandFrames;
  switch (entry.kind) {
    case PaletteEntry::Kind::view:
      return session_.select(entry.view);
    case PaletteEntry::Kind::figure:
      return session_.select_figure(entry.key);
    case PaletteEntry::Kind::parameter:
      session_.show_panel = true;
      session_.projector = false;
      return params_.focus(entry.key);
    case PaletteEntry::Kind::setting:
      session_.set(entry.key, entry.value);
      return;
    case PaletteEntry::Kind::action:
      return perform(entry.action);
  }
}

void App::travel(const std::optional<DesktopState>& state, std::string_view verb,
                 const std::string& change) {
  if (!state) return session_.note(verb == "Undone" ? "Nothing to undo" : "Nothing to do again");
  session_.apply(*state);
  session_.note(fmt::format("{}: {}", verb, change));
  travelled_ = true;
}

void App::copy(const std::string& text, std::string note) {
  ImGui::SetClipboardText(text.c_str());
  session_.note(std::move(note));
}

void App::paste() {
  const char* text = ImGui::GetClipboardText();
  if (!text || !*text) return session_.note("The clipboard holds no text");
  try {
    apply_settings_text(session_, text);
    session_.note("Pasted the settings");
  } catch (const std::exception& refusal) {
    session_.say(fmt::format("Pasting: {}", refusal.what()));
  }
}

void App::step_view(int by) { session_.select(around(session_.selected(), by, session_.size())); }

void App::step_figure(int by) {
  const ExperimentState& state = session_.current();
  if (!state.result || state.result->figures.empty()) return;
  const std::vector<Figure>& figures = state.result->figures;
  const auto shown = std::find_if(figures.begin(), figures.end(),
                                  [&](const Figure& f) { return f.id == state.figure; });
  const auto index = shown == figures.end() ? 0 : static_cast<std::size_t>(shown - figures.begin());
  session_.select_figure(figures[around(index, by, figures.size())].id);
}

void App::fit_figures() {
  const ExperimentState& state = session_.current();
  if (!state.result) return;
  for (const Figure& figure : state.result->figures) {
    FigureView& view = session_.view(figure.id);
    view.x.reset();
    view.y.reset();
  }
}

void App::ask_export() {
  export_wanted_ = false;
  const ExperimentState& state = session_.current();
  std::vector<ShownFigure> figures = figures_on_screen(session_);
  if (figures.empty()) return session_.note("There is no figure to export yet");
  const std::string stem = figures.size() == 1 ? fmt::format("{}-{}", state.experiment->info().name,
                                                             figures.front().figure.id)
                                               : state.experiment->info().name;
  export_.ask(std::move(figures), stem, session_.theme);
}

void App::open_path(const std::filesystem::path& path) {
  opening_ = Task<OpenedPath>([path] { return look_at(path); }, session_.wake());
}

void App::take_opened() {
  auto outcome = opening_.take();
  if (!outcome || session_.size() == 0) return;
  hand_frames_ = kHandFrames;
  if (!outcome->value) return session_.say(outcome->error);
  const OpenedPath& opened = *outcome->value;
  if (opened.kind == PathKind::folder) return files_.ask(opened.path);
  session_.remember_path(opened.path.string());
  if (opened.kind != PathKind::result_folder) return assign(opened.path.string());
  try {
    const std::vector<std::string> left_out = show_result(session_, opened);
    session_.note("Opened " + opened.path.string());
    if (!left_out.empty())
      session_.say(fmt::format("{}: not all of it fits this version: {}", opened.path.string(),
                               left_out.front()));
  } catch (const std::exception& refusal) {
    session_.say(refusal.what());
  }
}

/// Gives a file to the parameter it is for, asking when that is not plain.
void App::assign(const std::string& path) {
  const std::vector<FileTarget> targets = file_targets(session_, path);
  const bool here = !targets.empty() && targets.front().experiment == session_.selected();
  if (targets.empty() || (here && (targets.size() == 1 || params_.is_editing_file())))
    return drop_file(path);
  target_.ask(path, targets);
}

void App::drop(const std::vector<std::string>& paths) {
  if (session_.size() == 0) return;
  if (paths.size() == 1) return open_path(paths.front());
  for (const std::string& path : paths) drop_file(path);
}

void App::drop_file(const std::string& path) {
  hand_frames_ = kHandFrames;
  if (session_.size() == 0) return;
  session_.remember_path(path);
  params_.drop_file(session_, path);
}

}  // namespace orrery
