#include "app/gui/imgui_shim.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>

#if IMGUI_VERSION_NUM < 19140
#include <imgui_internal.h>  // the keyboard's frame and the undo steps of text fields are only there
#endif

namespace orrery::shim {
namespace {

// An antialiased thick line takes up to four vertices per point; 65536 / 4 with room to spare.
constexpr std::size_t points_per_piece = 4096;

/// Dear ImGui keeps the undo steps of the last text field for when it is entered again, without
/// asking whether its text is still the same: they would then write outside of it.
void forget_left_text() {
#if IMGUI_VERSION_NUM < 19140
  ImGuiID& field = ImGui::GetCurrentContext()->InputTextState.ID;
  if (field != ImGui::GetActiveID()) field = 0;
#endif
}

/// Below the item, or above where it lies low in the window.
void begin_tooltip_beside(const Rect& item, double width) {
  constexpr double gap = 6;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const bool low = item.bottom() > 0.6 * static_cast<double>(window.y);
  const double x = std::max(0.0, std::min(item.x, static_cast<double>(window.x) - width));
  ImGui::SetNextWindowPos(vec({x, low ? item.y - gap : item.bottom() + gap}), ImGuiCond_Always,
                          ImVec2(0, low ? 1.0f : 0.0f));
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);
  ImGui::BeginTooltip();
}

#if IMGUI_VERSION_NUM >= 18700
struct KeyPair {
  int glfw;
  ImGuiKey imgui;
};
constexpr KeyPair key_pairs[] = {{GLFW_KEY_TAB, ImGuiKey_Tab},
                                 {GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
                                 {GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
                                 {GLFW_KEY_UP, ImGuiKey_UpArrow},
                                 {GLFW_KEY_DOWN, ImGuiKey_DownArrow},
                                 {GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
                                 {GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
                                 {GLFW_KEY_HOME, ImGuiKey_Home},
                                 {GLFW_KEY_END, ImGuiKey_End},
                                 {GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
                                 {GLFW_KEY_DELETE, ImGuiKey_Delete},
                                 {GLFW_KEY_ENTER, ImGuiKey_Enter},
                                 {GLFW_KEY_ESCAPE, ImGuiKey_Escape},
                                 {GLFW_KEY_SPACE, ImGuiKey_Space},
                                 {GLFW_KEY_PERIOD, ImGuiKey_Period},
                                 {GLFW_KEY_EQUAL, ImGuiKey_Equal},
                                 {GLFW_KEY_MINUS, ImGuiKey_Minus},
                                 {GLFW_KEY_MENU, ImGuiKey_Menu},
                                 {GLFW_KEY_KP_ENTER, ImGuiKey_KeypadEnter},
                                 {GLFW_KEY_KP_ADD, ImGuiKey_KeypadAdd},
                                 {GLFW_KEY_KP_SUBTRACT, ImGuiKey_KeypadSubtract},
                                 {GLFW_KEY_KP_0, ImGuiKey_Keypad0}};

ImGuiKey imgui_key(int glfw_key) {
  const auto in_row = [&](int first, int last, ImGuiKey start) -> std::optional<ImGuiKey> {
    if (glfw_key < first || glfw_key > last) return std::nullopt;
    return static_cast<ImGuiKey>(start + (glfw_key - first));
  };
  if (const auto letter = in_row(GLFW_KEY_A, GLFW_KEY_Z, ImGuiKey_A)) return *letter;
  if (const auto digit = in_row(GLFW_KEY_0, GLFW_KEY_9, ImGuiKey_0)) return *digit;
  if (const auto function = in_row(GLFW_KEY_F1, GLFW_KEY_F12, ImGuiKey_F1)) return *function;
  for (const KeyPair& pair : key_pairs)
    if (pair.glfw == glfw_key) return pair.imgui;
  return ImGuiKey_None;
}
#endif

}  // namespace

ImVec4 floats(Color c) {
  constexpr float full_channel = 255.0f;
  return {static_cast<float>(c.r) / full_channel, static_cast<float>(c.g) / full_channel,
          static_cast<float>(c.b) / full_channel, static_cast<float>(c.a) / full_channel};
}

ImTextureID texture_id(unsigned name, unsigned serial) {
  const std::uint64_t bits = static_cast<std::uint64_t>(serial) << 32 | name;
#if IMGUI_VERSION_NUM >= 19110
  return static_cast<ImTextureID>(bits);
#else
  // Dear ImGui keeps names of textures as pointers.  NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(bits));
#endif
}

unsigned texture_name(ImTextureID id) {
#if IMGUI_VERSION_NUM >= 19110
  return static_cast<unsigned>(id);
#else
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(id));
#endif
}

std::uint64_t texture_bits(const ImDrawCmd& command) {
#if IMGUI_VERSION_NUM >= 19110
  return static_cast<std::uint64_t>(command.GetTexID());
#else
  return reinterpret_cast<std::uintptr_t>(command.GetTexID());
#endif
}

bool draws_letters(const ImDrawCmd& command) {
#if IMGUI_VERSION_NUM >= 19200
  return command.GetTexID() == ImGui::GetIO().Fonts->TexRef.GetTexID();
#else
  return command.GetTexID() == ImGui::GetIO().Fonts->TexID;
#endif
}

bool is_finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

bool is_finite(const Rect& r) {
  return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.width) &&
         std::isfinite(r.height);
}

void add_polyline(ImDrawList& list, std::span<const ImVec2> points, ImU32 color, float thickness) {
  for (std::size_t begin = 0; begin + 1 < points.size(); begin += points_per_piece - 1) {
    const auto piece = points.subspan(begin, std::min(points_per_piece, points.size() - begin));
    const int count = static_cast<int>(piece.size());
#if IMGUI_VERSION_NUM >= 19280
    list.AddPolyline(piece.data(), count, color, thickness, ImDrawFlags_None);
#else
    list.AddPolyline(piece.data(), count, color, ImDrawFlags_None, thickness);
#endif
  }
}

void add_convex_fill(ImDrawList& list, std::span<const ImVec2> points, ImU32 color) {
  if (points.size() < 3 || points.size() > points_per_piece) return;
  list.AddConvexPolyFilled(points.data(), static_cast<int>(points.size()), color);
}

void add_uncut_text(ImDrawList& list, const ImFont& font, float size, ImVec2 position, ImU32 color,
                    std::string_view utf8) {
  const ImVec4 everywhere(-FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX);
#if IMGUI_VERSION_NUM >= 19200
  const_cast<ImFont&>(font).RenderText(&list, size, position, color, everywhere, utf8.data(),
                                       utf8.data() + utf8.size());
#else
  font.RenderText(&list, size, position, color, everywhere, utf8.data(), utf8.data() + utf8.size());
#endif
}

double baseline_of(const ImFont& font, float size) {
#if IMGUI_VERSION_NUM >= 19200
  return static_cast<double>(const_cast<ImFont&>(font).GetFontBaked(size)->Ascent);
#else
  return std::round(static_cast<double>(font.Ascent)) * static_cast<double>(size / font.FontSize);
#endif
}

void add_frame(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 color, float rounding,
               float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  list.AddRect(min, max, color, rounding, thickness);
#else
  list.AddRect(min, max, color, rounding, ImDrawFlags_None, thickness);
#endif
}

bool begin_panel(const char* id, ImVec2 size, ImGuiWindowFlags flags) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_AlwaysUseWindowPadding, flags);
#else
  return ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
#endif
}

#if IMGUI_VERSION_NUM >= 18700
void inject_mouse_position(ImGuiIO& io, Point position) {
  const ImVec2 at = vec(position);
  io.AddMousePosEvent(at.x, at.y);
}
void inject_mouse_away(ImGuiIO& io) { io.AddMousePosEvent(-FLT_MAX, -FLT_MAX); }
void inject_mouse_button(ImGuiIO& io, int button, bool down) {
  io.AddMouseButtonEvent(button, down);
}
void inject_wheel(ImGuiIO& io, float steps) { io.AddMouseWheelEvent(0.0f, steps); }
void inject_control(ImGuiIO& io, bool down) { io.AddKeyEvent(ImGuiMod_Ctrl, down); }
void inject_shift(ImGuiIO& io, bool down) { io.AddKeyEvent(ImGuiMod_Shift, down); }
void inject_alt(ImGuiIO& io, bool down) { io.AddKeyEvent(ImGuiMod_Alt, down); }
bool key_pressed(int glfw_key, bool repeats) {
  const ImGuiKey key = imgui_key(glfw_key);
  return key != ImGuiKey_None && ImGui::IsKeyPressed(key, repeats);
}
bool any_key_pressed(const ImGuiIO&) {
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key)
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) return true;
  return false;
}
void inject_key(ImGuiIO& io, int glfw_key, bool down) { io.AddKeyEvent(imgui_key(glfw_key), down); }
void hold_key(ImGuiIO&, int, bool) {}
void hold_modifiers(ImGuiIO&, bool, bool) {}
bool key_down(int glfw_key) { return ImGui::IsKeyDown(imgui_key(glfw_key)); }
void begin_tooltip(const std::optional<Rect>& item, double width) {
  if (item) return begin_tooltip_beside(*item, width);
#if IMGUI_VERSION_NUM >= 18960 && IMGUI_VERSION_NUM < 19140
  // Beside the mouse, where 1.86 has it, and not below.
  ImGuiWindow* const last = ImGui::FindWindowByName("##Tooltip_00");
  if (last && last->WasActive) {
    const ImVec2 at = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
    const ImRect mouse(at.x - 16, at.y - 8, at.x + 24, at.y + 24);
    ImRect room(ImVec2(0, 0), screen);
    room.Expand(ImVec2(-ImGui::GetStyle().DisplaySafeAreaPadding.x,
                       -ImGui::GetStyle().DisplaySafeAreaPadding.y));
    ImGui::SetNextWindowPos(
        ImGui::FindBestWindowPosForPopupEx(at, last->Size, &last->AutoPosLastDirection, room, mouse,
                                           ImGuiPopupPositionPolicy_Tooltip));
  }
#endif
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);
  ImGui::BeginTooltip();
}
int backend_key(int by_position, int) { return by_position; }
void map_keys(ImGuiIO&) {}
void focus_next_item() {
  // 1.90 looks for the item only in the scope of the window that has the focus already.
  ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
  // After a move of the mouse the item would have the keyboard unseen, and ignore Enter.
#if IMGUI_VERSION_NUM >= 19140
  ImGui::SetNavCursorVisible(true);
#else
  ImGuiContext& context = *ImGui::GetCurrentContext();
  context.NavDisableHighlight = false;
  context.NavDisableMouseHover = true;
#endif
}
void new_frame() {  // Enter activates already
  ImGui::NewFrame();
  forget_left_text();
}
#else
void inject_mouse_position(ImGuiIO& io, Point position) { io.MousePos = vec(position); }
void inject_mouse_away(ImGuiIO& io) { io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX); }
void inject_mouse_button(ImGuiIO& io, int button, bool down) { io.MouseDown[button] = down; }
void inject_wheel(ImGuiIO& io, float steps) { io.MouseWheel += steps; }
void inject_control(ImGuiIO& io, bool down) { io.KeyCtrl = down; }
void inject_shift(ImGuiIO& io, bool down) { io.KeyShift = down; }
void inject_alt(ImGuiIO& io, bool down) { io.KeyAlt = down; }
bool any_key_pressed(const ImGuiIO& io) {
  return std::any_of(std::begin(io.KeysDownDuration), std::end(io.KeysDownDuration),
                     [](float seconds) { return seconds == 0.0f; });
}
void inject_key(ImGuiIO& io, int glfw_key, bool down) { io.KeysDown[glfw_key] = down; }
void hold_key(ImGuiIO& io, int glfw_key, bool down) {
  const bool known = glfw_key >= 0 && glfw_key < IM_ARRAYSIZE(io.KeysDown);
  if (known) io.KeysDown[glfw_key] = down;
}
void hold_modifiers(ImGuiIO& io, bool control, bool shift) {
  io.KeyCtrl = control;
  io.KeyShift = shift;
}
bool key_pressed(int glfw_key, bool repeats) { return ImGui::IsKeyPressed(glfw_key, repeats); }
bool key_down(int glfw_key) { return ImGui::IsKeyDown(glfw_key); }
void begin_tooltip(const std::optional<Rect>& item, double width) {
  if (item) return begin_tooltip_beside(*item, width);
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);
  ImGui::BeginTooltip();
}
int backend_key(int, int by_label) { return by_label; }
void focus_next_item() { ImGui::SetKeyboardFocusHere(); }
void new_frame() {
  ImGuiIO& io = ImGui::GetIO();
  for (const int key : {GLFW_KEY_ENTER, GLFW_KEY_KP_ENTER}) {
    // Enter still held after a text field closed must not activate it again.
    const bool pressed = io.KeysDown[key] && io.KeysDownDuration[key] < 0.0f;
    if (pressed && !io.WantTextInput) io.NavInputs[ImGuiNavInput_Activate] = 1.0f;
  }
  ImGui::NewFrame();
  forget_left_text();
}
void map_keys(ImGuiIO& io) {
  io.KeyMap[ImGuiKey_Tab] = GLFW_KEY_TAB;
  io.KeyMap[ImGuiKey_LeftArrow] = GLFW_KEY_LEFT;
  io.KeyMap[ImGuiKey_RightArrow] = GLFW_KEY_RIGHT;
  io.KeyMap[ImGuiKey_UpArrow] = GLFW_KEY_UP;
  io.KeyMap[ImGuiKey_DownArrow] = GLFW_KEY_DOWN;
  io.KeyMap[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
  io.KeyMap[ImGuiKey_Delete] = GLFW_KEY_DELETE;
  io.KeyMap[ImGuiKey_Enter] = GLFW_KEY_ENTER;
  io.KeyMap[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
  io.KeyMap[ImGuiKey_Space] = GLFW_KEY_SPACE;
  io.KeyMap[ImGuiKey_PageUp] = GLFW_KEY_PAGE_UP;
  io.KeyMap[ImGuiKey_PageDown] = GLFW_KEY_PAGE_DOWN;
  io.KeyMap[ImGuiKey_Home] = GLFW_KEY_HOME;
  io.KeyMap[ImGuiKey_End] = GLFW_KEY_END;
  io.KeyMap[ImGuiKey_A] = GLFW_KEY_A;
  io.KeyMap[ImGuiKey_C] = GLFW_KEY_C;
  io.KeyMap[ImGuiKey_V] = GLFW_KEY_V;
  io.KeyMap[ImGuiKey_X] = GLFW_KEY_X;
  io.KeyMap[ImGuiKey_Y] = GLFW_KEY_Y;
  io.KeyMap[ImGuiKey_Z] = GLFW_KEY_Z;
}
#endif

bool was_typed(const ImGuiIO& io, char32_t character) {
  return std::any_of(io.InputQueueCharacters.begin(), io.InputQueueCharacters.end(),
                     [character](ImWchar typed) { return typed == character; });
}

void inject_text(ImGuiIO& io, const char* utf8) { io.AddInputCharactersUTF8(utf8); }

void prepare_without_renderer(ImGuiIO& io) {
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#else
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
#endif
}

void end_tooltip() {
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

}  // namespace orrery::shim
