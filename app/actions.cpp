#include "app/actions.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/imgui_shim.h"
#include "experiments/experiment.h"

namespace orrery {
namespace {

constexpr std::string_view kEdit = "Settings", kFiles = "Files and figures", kGo = "Going about",
                           kWork = "Computing", kLook = "Looks";

Shortcut key(int code) { return {.key = code}; }
Shortcut control(int code) { return {.key = code, .control = true}; }
Shortcut control_shift(int code) { return {.key = code, .control = true, .shift = true}; }
Shortcut held(Shortcut shortcut) {
  shortcut.repeats = true;
  return shortcut;
}

Shortcut silent(Shortcut shortcut) {
  shortcut.silent = true;
  return shortcut;
}

// A table is read by its columns.
// clang-format off
std::vector<Action> make_table() {
  using enum ActionId;
  return {
      {undo, "undo", kEdit, "Undo", "Takes the last change back: a setting, a view, a theme.",
       {held(control(GLFW_KEY_Z))}},
      {redo, "redo", kEdit, "Redo", "Does again what was undone.",
       {held(control_shift(GLFW_KEY_Z)), held(control(GLFW_KEY_Y))}},
      {copy_settings, "copy_settings", kEdit, "Copy settings",
       "Copies what is set, as text that people read and a sweep file understands.",
       {control(GLFW_KEY_C)}},
      {paste_settings, "paste_settings", kEdit, "Paste settings",
       "Sets what such a text in the clipboard says.", {control(GLFW_KEY_V)}},
      {copy_command, "copy_command", kEdit, "Copy as command",
       "Copies the command line that gives the same numbers.", {control_shift(GLFW_KEY_C)}},
      {reset_parameters, "reset_parameters", kEdit, "Back to defaults",
       "Sets every parameter of this view to its default.", {}},

      {export_figure, "export", kFiles, "Export figure …",
       "Writes the figure as it is on screen: PNG, SVG, PDF, or its numbers as CSV.",
       {control(GLFW_KEY_E)}},
      {open_file, "open", kFiles, "Open …",
       "Finds tensors (.npy, .npz, .safetensors), texts, folders of results and sweeps.",
       {control(GLFW_KEY_O)}},
      {saved_results, "saved_results", kFiles, "Saved results",
       "Shows what runs and sweeps have left in folders.", {control_shift(GLFW_KEY_R)}},

      {palette, "palette", kGo, "Command palette",
       "Finds views, figures, parameters and actions by a few letters of their names.",
       {control(GLFW_KEY_K), control_shift(GLFW_KEY_P)}, true},
      {shortcuts, "shortcuts", kGo, "Keys and gestures", "Shows this sheet.",
       {{.character = U'?'}, key(GLFW_KEY_F1)}},
      {next_view, "next_view", kGo, "Next view", "Shows the next experiment of the list.",
       {held(control(GLFW_KEY_PAGE_DOWN))}},
      {previous_view, "previous_view", kGo, "Previous view", "Shows the experiment before.",
       {held(control(GLFW_KEY_PAGE_UP))}},
      {next_figure, "next_figure", kGo, "Next figure", "Shows the next figure of this view.",
       {held(key(GLFW_KEY_PAGE_DOWN))}},
      {previous_figure, "previous_figure", kGo, "Previous figure", "Shows the figure before.",
       {held(key(GLFW_KEY_PAGE_UP))}},
      {fit_figure, "fit", kGo, "Fit", "Shows all of every figure of this view again.",
       {key(GLFW_KEY_HOME)}},

      {recompute, "recompute", kWork, "Compute again", "Computes the present settings again.",
       {control(GLFW_KEY_R)}},
      {stop, "stop", kWork, "Stop", "Stops the computation of this view.",
       {control(GLFW_KEY_PERIOD)}},
      {jobs, "jobs", kWork, "Jobs", "Shows what is being computed and written.",
       {control(GLFW_KEY_J)}},
      {checks, "checks", kWork, "Checks", "Lists the claims that were checked, with their numbers.",
       {control(GLFW_KEY_L)}},

      {next_theme, "next_theme", kLook, "Next theme", "Dark, light, print.",
       {control(GLFW_KEY_T)}},
      {larger, "larger", kLook, "Larger", "Makes everything larger.",
       {held(control(GLFW_KEY_EQUAL)), silent(held(control_shift(GLFW_KEY_EQUAL))),
        silent(held(control(GLFW_KEY_KP_ADD)))}},
      {smaller, "smaller", kLook, "Smaller", "Makes everything smaller.",
       {held(control(GLFW_KEY_MINUS)), silent(held(control(GLFW_KEY_KP_SUBTRACT)))}},
      {normal_size, "normal_size", kLook, "Normal size", "Brings everything back to 100%.",
       {control(GLFW_KEY_0), silent(control(GLFW_KEY_KP_0))}},
      {projector, "projector", kLook, "Projector mode",
       "Larger type, thicker lines and nothing but the figure, for the back row.",
       {key(GLFW_KEY_F5)}},
      {toggle_list, "toggle_list", kLook, "List of views", "Shows or hides the list at the left.",
       {control(GLFW_KEY_B)}},
      {toggle_panel, "toggle_panel", kLook, "Parameters",
       "Shows or hides the parameters at the right.", {control(GLFW_KEY_P)}},
      {toggle_findings, "toggle_findings", kLook, "Checks below the figure",
       "Shows or hides the checks and numbers below the figure.", {control(GLFW_KEY_D)}},
  };
}
// clang-format on

struct KeyName {
  int key;
  const char* name;
};
constexpr std::array kKeyNames{
    KeyName{GLFW_KEY_PAGE_DOWN, "Page down"}, KeyName{GLFW_KEY_PAGE_UP, "Page up"},
    KeyName{GLFW_KEY_HOME, "Home"},           KeyName{GLFW_KEY_PERIOD, "."},
    KeyName{GLFW_KEY_EQUAL, "plus"},          KeyName{GLFW_KEY_MINUS, "minus"},
    KeyName{GLFW_KEY_KP_ADD, "keypad +"},     KeyName{GLFW_KEY_KP_SUBTRACT, "keypad −"},
    KeyName{GLFW_KEY_KP_0, "keypad 0"}};

std::string key_name(int code) {
  for (const KeyName& known : kKeyNames)
    if (known.key == code) return known.name;
  if (code >= GLFW_KEY_F1 && code <= GLFW_KEY_F25)
    return fmt::format("F{}", code - GLFW_KEY_F1 + 1);
  return {static_cast<char>(code)};  // GLFW names letters and digits by their ASCII capitals
}

bool is_pressed(const Shortcut& shortcut) {
  const ImGuiIO& io = ImGui::GetIO();
  if (shortcut.character != 0)
    return !io.KeyCtrl && !io.KeyAlt && shim::was_typed(io, shortcut.character);
  return io.KeyCtrl == shortcut.control && io.KeyShift == shortcut.shift && !io.KeyAlt &&
         !io.KeySuper && shim::key_pressed(shortcut.key, shortcut.repeats);
}

}  // namespace

const std::vector<Action>& action_table() {
  static const std::vector<Action> table = make_table();
  return table;
}

const Action& action(ActionId id) {
  const std::vector<Action>& table = action_table();
  return *std::find_if(table.begin(), table.end(), [id](const Action& a) { return a.id == id; });
}

std::optional<ActionId> action_named(std::string_view name) {
  for (const Action& known : action_table())
    if (known.name == name) return known.id;
  return std::nullopt;
}

std::string nearest_action(std::string_view name) {
  std::vector<std::string> names;
  for (const Action& known : action_table()) names.emplace_back(known.name);
  return nearest_name(name, names);
}

std::string shortcut_text(const Shortcut& shortcut) {
  if (shortcut.character != 0) return {static_cast<char>(shortcut.character)};
  std::string text;
  if (shortcut.control) text += "Ctrl+";
  if (shortcut.shift) text += "Shift+";
  return text + key_name(shortcut.key);
}

std::string shortcuts_text(const Action& action) {
  std::string text;
  for (const Shortcut& shortcut : action.shortcuts) {
    if (shortcut.silent) continue;
    const std::string one = shortcut_text(shortcut);
    text += text.empty() ? one : " or " + one;
  }
  return text;
}

std::optional<ActionId> pressed_action(bool typing) {
  for (const Action& candidate : action_table()) {
    if (typing && !candidate.while_typing) continue;
    if (std::any_of(candidate.shortcuts.begin(), candidate.shortcuts.end(), is_pressed))
      return candidate.id;
  }
  return std::nullopt;
}

}  // namespace orrery
