#pragma once

#include <imgui.h>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// The space between the edge of an area and its content, at scale 1.
inline constexpr double area_margin = 14;
/// The same around the figures, which need the room more.
inline constexpr double page_margin = 6;

/// The size of an area for Dear ImGui, which takes no side below one pixel.
ImVec2 area_size(const Rect& area);

/// Begins a child window over `area` with a background of its own. End it with ImGui::EndChild().
void begin_area(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags = 0);

/// begin_area with square corners, for areas that reach the edge of the window.
void begin_column(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags = 0);

/// `area` without a margin on all four sides.
Rect inset(const Rect& area, double margin);

/// A line of muted text in the middle of `area`.
void draw_centered(const char* text, const Rect& area);

}  // namespace orrery
