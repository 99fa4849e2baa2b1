#pragma once

#include <imgui.h>

#include <string>

#include "app/gui/ui.h"

namespace orrery {

/// A button of the row above the figures, in the colour of a check mark where it is on.
bool word_button(const char* word, bool chosen, const Ui& ui, ImVec2 size = ImVec2(0, 0));
double word_button_width(const std::string& word);

}  // namespace orrery
