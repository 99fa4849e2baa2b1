#include "app/gui/shortcuts.h"

#include <imgui.h>

#include <algorithm>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

bool is_pressed(const Shortcut& shortcut) {
  const ImGuiIO& io = ImGui::GetIO();
  if (shortcut.character != 0)
    return !io.KeyCtrl && !io.KeyAlt && shim::was_typed(io, shortcut.character);
  return io.KeyCtrl == shortcut.control && io.KeyShift == shortcut.shift && !io.KeyAlt &&
         !io.KeySuper && shim::key_pressed(shortcut.key, shortcut.repeats);
}

}  // namespace

const Action* pressed_action(const Actions& actions, bool typing) {
  for (const Action& action : actions) {
    if (typing && !action.while_typing) continue;
    if (std::any_of(action.shortcuts.begin(), action.shortcuts.end(), is_pressed)) return &action;
  }
  return nullptr;
}

}  // namespace orrery
