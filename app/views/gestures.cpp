#include "app/views/gestures.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/session/number_scale.h"

namespace orrery {
namespace {

bool is_any_clicked() {
  for (int i = 0; i < ImGuiMouseButton_COUNT; ++i)
    if (ImGui::IsMouseClicked(i)) return true;
  return false;
}

/// The number in which two sets differ, if it is the only difference.
const ParamSpec* changed_number(const ParamSet& before, const ParamSet& now) {
  const ParamSpec* changed = nullptr;
  for (const ParamSpec& spec : now.specs()) {
    if (before.value(spec.key) == now.value(spec.key)) continue;
    if (changed || !is_number(spec)) return nullptr;
    changed = &spec;
  }
  return changed;
}

bool has_popup() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

/// Whether Esc was pressed for no popup.
bool is_taken_back() { return !has_popup() && shim::key_pressed(GLFW_KEY_ESCAPE, false); }

/// Whether the mouse was pressed beside everything that it could be meant for.
bool is_dismissed() {
  return !has_popup() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsAnyItemHovered();
}

/// Sets the one number in which the parameters differ from those before, if that is all.
void give_back(Session& session, const ParamSet& before) {
  if (const ParamSpec* number = changed_number(before, session.current().params))
    session.set_value(number->key, before.value(number->key));
}

void set_muted(Session& session, const std::vector<MixerBand>& bands,
               const std::vector<std::string>& muted) {
  if (leaves_a_pair(bands, muted))
    session.set_value(mixer_key, muted);
  else
    session.note("One band must stay in the score.");
}

FigureCommand command_of_key() {
  using enum FigureCommand;
  constexpr std::array keys{
      std::pair{GLFW_KEY_LEFT, left}, std::pair{GLFW_KEY_RIGHT, right},
      std::pair{GLFW_KEY_UP, up},     std::pair{GLFW_KEY_DOWN, down},
      std::pair{GLFW_KEY_HOME, fit},  std::pair{GLFW_KEY_DELETE, clear},
  };
  for (const auto& [key, command] : keys)
    if (shim::key_pressed(key, command != fit && command != clear)) return command;
  const bool shift = ImGui::GetIO().KeyShift;
  if (shim::key_pressed(GLFW_KEY_MENU, false) || (shift && shim::key_pressed(GLFW_KEY_F10, false)))
    return menu;
  if (shim::key_pressed(GLFW_KEY_TAB, true)) return shift ? previous : next;
  return none;
}

FigureCommand command_of_character(ImWchar c) {
  switch (c) {
    case '+':
    case '=':
      return FigureCommand::zoom_in;
    case '-':
      return FigureCommand::zoom_out;
    case '0':
      return FigureCommand::fit;
    case 'c':
      return FigureCommand::cursors;
    default:
      return FigureCommand::none;
  }
}

}  // namespace

void BeforeDrag::forget() {
  pressed_.reset();
  before_.reset();
}

void BeforeDrag::update(const Session& session) {
  const int frame = ImGui::GetFrameCount();
  // Where another view was shown meanwhile, clicks were missed.
  if (frame != std::exchange(frame_, frame) + 1) forget();
  const ExperimentState& state = session.current();
  if (is_any_clicked()) {
    before_.reset();
    pressed_ = state.result;
    params_ = state.params;
  }
  // Sliders and reference lines change parameters while the button is down; other controls when it
  // is released.
  if (pressed_ && !before_ && !(state.params == *params_)) before_ = pressed_;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) pressed_.reset();
}

void SweepGesture::update(Session& session) {
  const int frame = ImGui::GetFrameCount();
  // Where another view was shown meanwhile, clicks were missed.
  if (frame != std::exchange(frame_, frame) + 1) pressed_.reset();
  const ParamSet& params = session.current().params;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    pressed_ = params;
    shown_.clear();
    for (const ParamSpec& spec : params.specs())
      if (is_number(spec)) shown_[spec.key] = number_shown(session, spec);
  }
  // The change was made in the frame before, when Shift may still have been held.
  const bool now = ImGui::GetIO().KeyShift;
  const bool shift = std::exchange(shift_, now) || now;
  const ParamSpec* number = pressed_ && shift ? changed_number(*pressed_, params) : nullptr;
  if (number) {
    before_ = pressed_;
    session.sweep(number->key, shown_.at(number->key), number_of(params, *number));
  } else if (session.swept() && is_taken_back()) {
    session.end_sweep();
    if (before_) give_back(session, *before_);
  } else if (!session.swept() || is_dismissed()) {
    session.end_sweep();
  }
  if (!session.swept()) before_.reset();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) pressed_.reset();
}

std::string band_words(const MixerBand& band) {
  std::string words = fmt::format("{}: wavelengths from {:.4g} to {:.4g} tokens", band.name,
                                  band.shortest, band.longest);
  if (band.pairs) words += fmt::format(", {} pair{}", *band.pairs, *band.pairs == 1 ? "" : "s");
  if (band.pairs == std::size_t{0}) return words + " at this $d$";
  words += band.muted ? "\nMuted: excluded from the score." : "\nIncluded in the score.";
  return words + "\nClick to mute, Ctrl+click to solo, double-click to unmute all.";
}

void click_band(Session& session, const std::vector<MixerBand>& bands, std::size_t band) {
  if (bands[band].pairs == std::size_t{0}) return;
  if (ImGui::GetIO().KeyCtrl) return set_muted(session, bands, with_band_alone(bands, band));
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return session.reset(mixer_key);
  set_muted(session, bands, with_band_switched(bands, band));
}

FigureCommand typed_figure_command() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper) return FigureCommand::none;
  for (const ImWchar c : io.InputQueueCharacters) {
    const FigureCommand command = command_of_character(c);
    if (command != FigureCommand::none) return command;
  }
  return command_of_key();
}

std::span<const FigureShortcut> figure_shortcuts() {
  static constexpr std::array shortcuts{
      FigureShortcut{"Drag",
                     "pans; on an axis, pans that axis; on the colour bar, moves its range"},
      FigureShortcut{"Wheel",
                     "zooms at the mouse; over an axis or the colour bar, zooms only that"},
      FigureShortcut{"Right-drag", "zooms to a box"},
      FigureShortcut{"Double-click", "resets the zoom"},
      FigureShortcut{"Click", "pins the readout; Ctrl+click removes a pin"},
      FigureShortcut{"Click in the legend", "hides a curve; with Ctrl, shows only that curve"},
      FigureShortcut{"Right-click", "opens the menu: scales, differences, copy, export"},
      FigureShortcut{"← → ↑ ↓", "pans"},
      FigureShortcut{"+ −", "zooms"},
      FigureShortcut{"0, Home", "resets the zoom"},
      FigureShortcut{"C", "shows two cursors and their difference"},
      FigureShortcut{"Delete", "removes pins and cursors"},
      FigureShortcut{"Shift+F10, Menu", "opens the menu"},
      FigureShortcut{"F6, Tab", "focuses the first figure, then the next"},
      FigureShortcut{"Hold R", "shows the reference pinned last"},
  };
  return shortcuts;
}

}  // namespace orrery
