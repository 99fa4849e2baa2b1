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
constexpr double kNoteSeconds = 6.0;  // long enough to read a path
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
  if (!restoring_) {
    session_.saved.folder = browser_.path();
    session_.saved.point = browser_.chosen();
  }
  if (hand_frames_ > 0) --hand_frames_;
  const Cause cause = !by_hand                  ? Cause::machinery
                      : ImGui::IsAnyMouseDown() ? Cause::gesture
                                                : Cause::hand;
  history_.observe(session_.snapshot(), cause, ImGui::GetTime());
  if (!keeper_) return;
  const std::string trouble = keeper_->watch(ImGui::GetTime());
  if (!trouble.empty() && session_.size() > 0) session_.say(trouble);
}

/// A note is of what was just done; later it would be of nothing.
void App::fade_note() {
  const double now = ImGui::GetTime();
  if (session_.notes() != notes_seen_) note_until_ = now + kNoteSeconds;
  if (note_until_ >= 0 && now >= note_until_) {
    session_.note({});
    note_until_ = -1;
  }
  notes_seen_ = session_.notes();
}

double App::due_in() const {
  const double now = ImGui::GetTime();
  const double save = keeper_ ? keeper_->due_in(now) : -1.0;
  const double fade = note_until_ >= 0 ? std::max(0.0, note_until_ - now) : -1.0;
  if (save < 0 || fade < 0) return std::max(save, fade);
  return std::min(save, fade);
}

void App::perform(ActionId id) {
  hand_frames_ = kHandFrames;
  if (session_.size() == 0) return;
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
      if (const auto state = shown_settings())
        copy(settings_text(*state), "Copied the settings as text");
      return;
    case ActionId::paste_settings:
      return paste();
    case ActionId::copy_command:
      if (const auto state = shown_settings())
        copy(command_text(*state), "Copied: " + command_text(*state));
      return;
    case ActionId::reset_parameters:
      session_.saved.on_screen = false;
      return session_.reset_all();
    case ActionId::export_figure:
      export_wanted_ = true;
      return;
    case ActionId::open_file:
      return files_.ask();
    case ActionId::saved_results:
      session_.saved.on_screen = true;
      return;
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
      // A sweep may have gone on since it was read.
      if (is_browsing() && browser_.folder()) return open_path(browser_.folder()->folder);
      return session_.recompute();
    case ActionId::stop:
      return shown().stop();
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
    case ActionId::toggle_findings:
      // Hidden is a height of 0; without any it is what suits.
      session_.findings = session_.findings == 0.0 ? std::nullopt : std::optional(0.0);
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
      return show_view(entry.view);
    case PaletteEntry::Kind::figure:
      session_.saved.on_screen = false;
      return session_.select_figure(entry.key);
    case PaletteEntry::Kind::parameter:
      session_.saved.on_screen = false;
      session_.show_panel = true;
      session_.projector = false;
      return params_.focus(entry.key);
    case PaletteEntry::Kind::setting:
      session_.saved.on_screen = false;
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
  bring_saved_back();
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
    session_.saved.on_screen = false;
    session_.note("Pasted the settings");
  } catch (const std::exception& refusal) {
    shown().say(fmt::format("Pasting: {}", refusal.what()));
  }
}

void App::show_view(std::size_t index) {
  session_.saved.on_screen = false;
  session_.select(index);
}

void App::step_view(int by) { show_view(around(session_.selected(), by, session_.size())); }

void App::step_figure(int by) {
  const ExperimentState& state = shown().current();
  if (!state.result || state.result->figures.empty()) return;
  const std::vector<Figure>& figures = state.result->figures;
  const auto on_top = std::find_if(figures.begin(), figures.end(),
                                   [&](const Figure& f) { return f.id == state.figure; });
  const auto index =
      on_top == figures.end() ? 0 : static_cast<std::size_t>(on_top - figures.begin());
  shown().select_figure(figures[around(index, by, figures.size())].id);
}

void App::fit_figures() {
  const ExperimentState& state = shown().current();
  if (!state.result) return;
  for (const Figure& figure : state.result->figures) {
    FigureView& view = shown().view(figure.id);
    view.x.reset();
    view.y.reset();
  }
}

void App::ask_export() {
  export_wanted_ = false;
  const ExperimentState& state = shown().current();
  std::vector<ShownFigure> figures = figures_on_screen(shown());
  if (figures.empty()) return session_.note("There is no figure to export yet");
  const std::string stem = figures.size() == 1 ? fmt::format("{}-{}", state.experiment->info().name,
                                                             figures.front().figure.id)
                                               : state.experiment->info().name;
  export_.ask(std::move(figures), stem, session_.theme);
}

void App::open_path(const std::filesystem::path& path) {
  restoring_ = false;
  opening_ = Task<OpenedPath>([path] { return look_at(path); }, session_.wake());
}

/// Makes the browser show what the session says, when that was not the browser's own doing.
void App::bring_saved_back() {
  const SavedShown& wanted = session_.saved;
  if (wanted.folder.empty()) return browser_.close();
  if (wanted.folder == browser_.path()) return browser_.choose_folder(wanted.point);
  restoring_ = true;
  opening_ = Task<OpenedPath>([path = wanted.folder] { return look_at(path); }, session_.wake());
}

void App::take_opened() {
  auto outcome = opening_.take();
  if (!outcome || session_.size() == 0) return;
  hand_frames_ = kHandFrames;
  const bool restored = std::exchange(restoring_, false);
  if (!outcome->value) return shown().say(outcome->error);
  OpenedPath& opened = *outcome->value;
  if (restored) {
    hand_frames_ = 0;  // it follows from a step that is known
    if (opened.saved) browser_.open(std::move(*opened.saved), session_.saved.point);
    return;
  }
  if (opened.kind == PathKind::folder) return files_.ask(opened.path);
  session_.remember_path(opened.path.string());
  if (opened.saved) {
    browser_.open(std::move(*opened.saved));
    session_.saved.on_screen = true;
    return session_.note("Opened " + opened.path.string());
  }
  session_.saved.on_screen = false;
  assign(opened.path.string());
}

/// What is set of what is on screen; of a saved result what it was computed with. Without any, the
/// reason is said.
std::optional<ExperimentState> App::shown_settings() {
  if (!is_browsing()) return session_.current();
  const std::shared_ptr<const Result> result = browser_.session().current().result;
  if (!result) {
    session_.note("No result is open yet");
    return std::nullopt;
  }
  try {
    const SavedSettings settings = settings_of(session_, result->provenance);
    ExperimentState state{.experiment = session_.state(settings.experiment).experiment,
                          .params = settings.params};
    return state;
  } catch (const std::exception& refusal) {
    shown().say(refusal.what());
    return std::nullopt;
  }
}

void App::grant(ResultBrowser::Wish wish) {
  if (wish == ResultBrowser::Wish::none) return;
  const std::shared_ptr<const Result> result = browser_.session().current().result;
  try {
    const SavedSettings settings = settings_of(session_, result->provenance);
    if (wish == ResultBrowser::Wish::open_live) show_settings(session_, settings);
    show_view(settings.experiment);
    if (wish == ResultBrowser::Wish::pin) session_.shown().reference = result;
    if (!settings.left_out.empty())
      session_.say("not all of it fits this version: " + settings.left_out.front());
  } catch (const std::exception& refusal) {
    shown().say(refusal.what());
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
  session_.saved.on_screen = false;
  session_.remember_path(path);
  params_.drop_file(session_, path);
}

}  // namespace orrery
