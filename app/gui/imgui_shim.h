#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "experiments/figure/canvas/canvas.h"

// Code that depends on the version of Dear ImGui or guards against its assertions. The
// packaged 1.86 has 16-bit indices, input in fields instead of events, and key codes of the
// platform.
namespace orrery::shim {

inline ImVec2 vec(Point p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }
inline Point point(ImVec2 v) { return {static_cast<double>(v.x), static_cast<double>(v.y)}; }
inline ImU32 packed(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }
ImVec4 floats(Color c);
/// A texture name of OpenGL as Dear ImGui stores it, and back. `serial` tells apart textures that
/// had the same name one after the other; the OpenGL backend reads the lower half alone.
ImTextureID texture_id(unsigned name, unsigned serial = 0);
unsigned texture_name(ImTextureID id);
/// The texture of a command, as a number that tells it from others.
std::uint64_t texture_bits(const ImDrawCmd& command);
/// Whether a command draws from the font atlas, which has the white pixel of plain shapes too.
bool draws_letters(const ImDrawCmd& command);

bool is_finite(Point p);
bool is_finite(const Rect& r);

/// An open polyline of any length, in pieces that 16-bit indices can hold. Points that are not
/// finite must have been filtered.
void add_polyline(ImDrawList& list, std::span<const ImVec2> points, ImU32 color, float thickness);
/// A convex polygon of finite points.
void add_convex_fill(ImDrawList& list, std::span<const ImVec2> points, ImU32 color);
/// Text with its top left corner at `position`, never culled, so that it may be turned afterwards.
void add_uncut_text(ImDrawList& list, const ImFont& font, float size, ImVec2 position, ImU32 color,
                    std::string_view utf8);
/// From the top of a line to its baseline, for letters drawn at `size`.
double baseline_of(const ImFont& font, float size);
/// A rectangle without fill.
void add_frame(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 color, float rounding,
               float thickness);

/// BeginChild with the padding of a window. End with ImGui::EndChild().
bool begin_panel(const char* id, ImVec2 size, ImGuiWindowFlags flags);

/// Events that a platform backend would send, for tests and for rendering without a window.
void inject_mouse_position(ImGuiIO& io, Point position);
void inject_mouse_away(ImGuiIO& io);
void inject_mouse_button(ImGuiIO& io, int button, bool down);
void inject_wheel(ImGuiIO& io, float steps);
void inject_control(ImGuiIO& io, bool down);
void inject_shift(ImGuiIO& io, bool down);
void inject_alt(ImGuiIO& io, bool down);
/// A key by its GLFW code.
void inject_key(ImGuiIO& io, int glfw_key, bool down);
void inject_text(ImGuiIO& io, const char* utf8);
/// Makes a key, by its GLFW code, look down or up in the next NewFrame. Does nothing where Dear
/// ImGui queues the events and so loses none.
void hold_key(ImGuiIO& io, int glfw_key, bool down);
/// The same of the modifiers, for the frame that begins next.
void hold_modifiers(ImGuiIO& io, bool control, bool shift);
/// Whether a key, by its GLFW code, went down in this frame (or repeats) or is down.
bool key_pressed(int glfw_key, bool repeats);
bool key_down(int glfw_key);
/// The code to hand to Dear ImGui's GLFW backend for a key: by its position, which the backend
/// turns into its label from 1.87 on, or by its label.
int backend_key(int by_position, int by_label);
/// Tells Dear ImGui which GLFW codes its own keys have; a backend with a window does it by itself.
void map_keys(ImGuiIO& io);

/// ImGui::BeginTooltip, at the same place in every version, and fully legible also where it explains
/// an item that is dimmed: beside the mouse, or below or above `item`, wherever there is more room,
/// for a tip that is at most `width` wide. End with end_tooltip().
void begin_tooltip(const std::optional<Rect>& item = std::nullopt, double width = 0);
void end_tooltip();

/// The next item gets the keyboard and shows it, from whichever window the keyboard was in.
void focus_next_item();

/// ImGui::NewFrame, and Enter activates what the keyboard is on, as Space does: a button, a line of
/// a list.
void new_frame();

/// Whether any key went down in this frame.
bool any_key_pressed(const ImGuiIO& io);
/// Whether the keyboard gave this character before this frame.
bool was_typed(const ImGuiIO& io, char32_t character);

/// Renderers without OpenGL must promise vertex offsets and own the font texture.
void prepare_without_renderer(ImGuiIO& io);

}  // namespace orrery::shim
