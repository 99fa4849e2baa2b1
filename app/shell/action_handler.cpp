#include "app/shell/action_handler.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/panels/status_line.h"
#include "app/player/prediction_box.h"
#include "app/player/step_screen.h"
#include "app/session/references.h"
#include "app/session/session_toml.h"
#include "app/views/subtraction.h"
#include "experiments/files/file.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery {
namespace {

bool is_pressed(const Shortcut& shortcut) {
  const ImGuiIO& io = ImGui::GetIO();
  if (shortcut.character != 0)
    return !io.KeyCtrl && !io.KeyAlt && shim::was_typed(io, shortcut.character);
  return io.KeyCtrl == shortcut.control && io.KeyShift == shortcut.shift && !io.KeyAlt &&
         !io.KeySuper && shim::key_pressed(shortcut.key, shortcut.repeats);
}

/// The action whose shortcut was pressed in this frame; null without one. While `typing` into a
/// text field, most keys are letters.
const Action* pressed_action(const Actions& actions, bool typing) {
  for (const Action& action : actions) {
    if (typing && !action.while_typing) continue;
    if (std::any_of(action.shortcuts.begin(), action.shortcuts.end(), is_pressed)) return &action;
  }
  return nullptr;
}

}  // namespace

ActionHandler::ActionHandler(const Targets& targets) : to_(targets), actions_(make_table()) {
  for (const Action& action : actions_)
    if (action.group == lessons_group) lesson_actions_.push_back(action);
}

void ActionHandler::perform(const Action& action) {
  to_.undo.note_input();
  if (to_.workspace.live().size() == 0) return;
  const bool beneath_sheet = to_.overlays.opened();
  action.perform();
  if (!beneath_sheet && to_.overlays.opened()) opened_by_ = action.name;
}

void ActionHandler::perform(std::string_view name) {
  if (const Action* action = find_action(actions_, name)) return perform(*action);
  const std::string near = nearest_action(actions_, name);
  throw UsageError(
      fmt::format("action {}", name), "does not exist",
      near.empty() ? "choose one from the menu" : fmt::format("did you mean {}?", near));
}

/// Whether a key closes the sheet on screen: the one that opened it, or, over the scoreboard, which
/// is only read, one that turns the page.
bool ActionHandler::close_by_key() {
  Overlay* const sheet = to_.overlays.opened();
  if (!sheet) opened_by_ = {};
  const bool typing = ImGui::GetIO().WantTextInput;
  const Action* pressed = sheet ? pressed_action(actions_, typing) : nullptr;
  if (pressed && pressed->name == opened_by_) {
    sheet->close();
    return true;
  }
  if (sheet != &to_.overlays.scoreboard) return false;
  pressed = pressed_action(lesson_actions_, typing);
  if (!pressed || (pressed->name != "lesson_next" && pressed->name != "lesson_back")) return false;
  sheet->close();
  perform(*pressed);
  return true;
}

void ActionHandler::press_keys() {
  if (close_by_key()) return;
  // An open overlay takes the keyboard for itself.
  const bool typing = ImGui::GetIO().WantTextInput || to_.overlays.opened();
  if (to_.director.is_open() && !typing) {
    if (press_answer_keys(to_.director)) return to_.undo.note_input();
    if (const Action* action = pressed_action(lesson_actions_, typing)) return perform(*action);
  }
  if (const Action* action = pressed_action(actions_, typing)) perform(*action);
}

void ActionHandler::take(const PaletteEntry& entry) {
  to_.undo.note_input();
  Session& session = to_.workspace.live();
  switch (entry.kind) {
    case PaletteEntry::Kind::view:
      return to_.workspace.show_view(*entry.view);
    case PaletteEntry::Kind::figure:
      to_.workspace.show_live();
      return session.select_figure(entry.key);
    case PaletteEntry::Kind::parameter:
      to_.workspace.show_live();
      look().show_panel = true;
      look().projector = false;
      return to_.params.focus(entry.key);
    case PaletteEntry::Kind::setting:
      if (entry.view) to_.workspace.show_view(*entry.view);
      to_.workspace.show_live();
      session.set(entry.key, entry.value);
      return;
    case PaletteEntry::Kind::sweep:
      return sweep(entry);
    case PaletteEntry::Kind::difference: {
      to_.workspace.show_live();
      const auto& minus = session.current().shown.minus;
      const auto present = minus.find(entry.key);
      const bool again = present != minus.end() && present->second == entry.minus;
      return set_minus(session.shown(), entry.key,
                       again ? std::nullopt : std::optional(entry.minus));
    }
    case PaletteEntry::Kind::question:
      return ask(*entry.view);
    case PaletteEntry::Kind::number:
      return copy(entry.value, fmt::format("Copied {} = {}", entry.key, entry.value));
    case PaletteEntry::Kind::lesson:
      return open_lesson(entry.key);
    case PaletteEntry::Kind::file:
      return to_.exports.request(entry.key);
    case PaletteEntry::Kind::preset:
      return show_preset(entry.key);
    case PaletteEntry::Kind::action:
      return perform(*entry.action);
  }
}

void ActionHandler::sweep(const PaletteEntry& entry) {
  Session& session = to_.workspace.live();
  to_.workspace.show_live();
  if (!session.sweep(entry.key, entry.from, entry.to))
    session.note(fmt::format("{} has one value between these", entry.key));
}

void ActionHandler::ask(std::size_t number) {
  const AskedQuestion& asked = questions()[number];
  const Question& question = *asked.question;
  to_.undo.note_input();
  Session& session = to_.workspace.live();
  if (const auto index = session.find(asked.experiment->info.name)) {
    to_.workspace.show_view(*index);
    to_.workspace.guide(*index, question);
  }
  session.reset_all();
  for (const auto& [key, value] : question.settings) session.set(key, value);
  session.shown().layout.reset();
  session.select_figure(question.figure);
}

/// What a preset sweeps over has its first value, and the note says how to see the others.
void ActionHandler::show_preset(const std::string& name) {
  Session& session = to_.workspace.live();
  try {
    const SweepSpec preset = preset_named(name);
    for (std::size_t i = 0; i < session.size(); ++i)
      if (session.state(i).experiment == preset.experiment) to_.workspace.show_view(i);
    session.reset_all();
    bool sweeps = preset.repeats > 1;
    for (const SweepSpec::Axis& axis : preset.axes) {
      if (axis.values.empty()) continue;
      session.set(axis.key, axis.values.front());
      sweeps = sweeps || axis.values.size() > 1;
    }
    session.note(sweeps ? fmt::format("The first of several: ./orrery sweep {}", name)
                        : fmt::format("Preset {}", name));
  } catch (const std::exception& refusal) {
    session.say(refusal.what());
  }
}

void ActionHandler::undo() {
  const std::string change = to_.undo.history().undo_text();
  travel(to_.undo.undo(), "Undid", change);
}

void ActionHandler::redo() {
  const std::string change = to_.undo.history().redo_text();
  travel(to_.undo.redo(), "Redid", change);
}

void ActionHandler::travel(const std::optional<DesktopState>& state, std::string_view verb,
                           const std::string& change) {
  Session& session = to_.workspace.live();
  if (!state) return session.note(verb == "Undid" ? "Nothing to undo" : "Nothing to redo");
  session.apply(*state);
  to_.opener.restore_saved();
  session.note(fmt::format("{}: {}", verb, change));
}

void ActionHandler::copy_settings() {
  if (const auto state = to_.workspace.shown_settings())
    copy(settings_text(*state), "Copied the settings as text");
}

void ActionHandler::copy_command() {
  const ResultBrowser& browser = to_.workspace.browser();
  if (to_.workspace.is_browsing() && browser.shows_all()) {
    const std::string command = plot_command_text(browser.path(), browser.hue(), browser.facet());
    return copy(command, "Copied: " + command);
  }
  const LiveSweep* sweep = to_.workspace.live().swept();
  if (sweep && !to_.workspace.is_browsing())
    return copy(command_text(*sweep), "Copied: " + command_text(*sweep));
  if (const auto state = to_.workspace.shown_settings())
    copy(command_text(*state), "Copied: " + command_text(*state));
}

void ActionHandler::copy_step() {
  if (const auto state = to_.workspace.shown_settings())
    copy(step_text(*state), "Copied as a step of a lesson");
}

void ActionHandler::open_lesson(const std::string& name, std::size_t step) {
  Session& session = to_.workspace.live();
  to_.undo.note_input();
  try {
    to_.director.open(name, step);
  } catch (const std::exception& refusal) {
    session.say(refusal.what());
  }
}

void ActionHandler::follow(const std::string& link) {
  const std::size_t colon = link.find(':');
  const std::string kind = link.substr(0, colon), name = link.substr(colon + 1);
  Session& session = to_.workspace.live();
  if (kind == "lesson") return open_lesson(name);
  if (kind != "experiment" && kind != "preset")
    return session.note(fmt::format("orrery describe {} tells more", name));
  // What a link shows is tried out beside the step, not in it.
  to_.director.explore();
  if (kind == "preset") return show_preset(name);
  if (const auto index = session.find(name)) to_.workspace.show_view(*index);
}

/// While the keyboard is on an item, Space and the arrow keys are its own.
void ActionHandler::turn_page(bool on) {
  if (ImGui::GetIO().NavVisible) return;
  on ? to_.director.next() : to_.director.back();
  // The arrow that turned the page moves no focus.
  ImGui::SetWindowFocus(nullptr);
}

void ActionHandler::pause() {
  Session& shown = to_.workspace.shown();
  shown.pause(shown.selected());
}

/// What takes a while pauses and goes on; beside it the distance grows.
void ActionHandler::press_space() {
  if (ImGui::GetIO().NavVisible) return;
  if (shows_progress(to_.workspace.shown().status())) return pause();
  to_.growing_distance.toggle();
}

void ActionHandler::scroll_lesson(double pages) {
  to_.director.scroll(pages);
  // The key scrolled the text and moves no focus, so that Space still turns the page.
  ImGui::SetWindowFocus(nullptr);
}

void ActionHandler::leave_lesson() {
  if (to_.director.player().explores()) return to_.director.come_back();
  to_.director.leave();
}

/// At the page of what is on screen.
void ActionHandler::open_manual() {
  const bool lesson = to_.director.is_open(), saved = to_.workspace.is_browsing();
  to_.overlays.manual.open_at(lesson ? "lessons" : saved ? "results" : "");
}

void ActionHandler::copy(const std::string& text, std::string note) {
  ImGui::SetClipboardText(text.c_str());
  to_.workspace.live().note(std::move(note));
}

void ActionHandler::paste_settings() {
  const char* text = ImGui::GetClipboardText();
  Session& session = to_.workspace.live();
  if (!text || !*text) return session.note("The clipboard contains no text");
  try {
    apply_settings_text(session, state_in(text));
    to_.workspace.show_live();
    session.note("Pasted the settings");
  } catch (const std::exception& refusal) {
    to_.workspace.shown().say(fmt::format("Could not paste: {}", refusal.what()));
  }
}

void ActionHandler::reset_parameters() {
  to_.workspace.show_live();
  to_.workspace.live().reset_all();
}

/// A saved sweep may have grown since it was read, so its folder is read again.
void ActionHandler::recompute() {
  const ResultBrowser& browser = to_.workspace.browser();
  if (to_.workspace.is_browsing() && browser.folder())
    return to_.opener.open(browser.folder()->folder);
  to_.workspace.live().recompute();
}

void ActionHandler::toggle_findings() {
  look().findings = look().findings.value_or(0.0) > 0.0 ? std::nullopt : std::optional(200.0);
}

void ActionHandler::pin_shown() {
  Session& shown = to_.workspace.shown();
  to_.workspace.live().note(pin_reference(shown.shown(), shown.current().result));
}

void ActionHandler::unpin_all() {
  ViewState& shown = to_.workspace.shown().shown();
  if (shown.references.empty()) return to_.workspace.live().note("Nothing is pinned");
  shown.references.clear();
  shown.difference = false;
}

void ActionHandler::toggle_difference() {
  ViewState& shown = to_.workspace.shown().shown();
  if (shown.references.empty())
    return to_.workspace.live().note("Pin a reference first (P), then change the settings");
  shown.difference = !shown.difference;
}

}  // namespace orrery
