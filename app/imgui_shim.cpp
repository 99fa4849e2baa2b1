#include "app/imgui_shim.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>

namespace orrery::shim {
namespace {

// An antialiased thick line takes up to four vertices a point; 65536 / 4 with room to spare.
constexpr std::size_t kPointsPerPiece = 4096;

#if IMGUI_VERSION_NUM >= 18700
ImGuiKey imgui_key(int glfw_key) {
  switch (glfw_key) {
    case GLFW_KEY_TAB:
      return ImGuiKey_Tab;
    case GLFW_KEY_LEFT:
      return ImGuiKey_LeftArrow;
    case GLFW_KEY_RIGHT:
      return ImGuiKey_RightArrow;
    case GLFW_KEY_UP:
      return ImGuiKey_UpArrow;
    case GLFW_KEY_DOWN:
      return ImGuiKey_DownArrow;
    case GLFW_KEY_BACKSPACE:
      return ImGuiKey_Backspace;
    case GLFW_KEY_DELETE:
      return ImGuiKey_Delete;
    case GLFW_KEY_ENTER:
      return ImGuiKey_Enter;
    case GLFW_KEY_ESCAPE:
      return ImGuiKey_Escape;
    case GLFW_KEY_SPACE:
      return ImGuiKey_Space;
    case GLFW_KEY_HOME:
      return ImGuiKey_Home;
    case GLFW_KEY_F6:
      return ImGuiKey_F6;
    case GLFW_KEY_A:
      return ImGuiKey_A;
    case GLFW_KEY_R:
      return ImGuiKey_R;
    default:
      return ImGuiKey_None;
  }
}
#endif

}  // namespace

ImVec4 floats(Color c) {
  constexpr float kFull = 255.0f;
  return {static_cast<float>(c.r) / kFull, static_cast<float>(c.g) / kFull,
          static_cast<float>(c.b) / kFull, static_cast<float>(c.a) / kFull};
}

ImTextureID texture_id(unsigned name) {
#if IMGUI_VERSION_NUM >= 19110
  return static_cast<ImTextureID>(name);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name));
#endif
}

unsigned texture_name(ImTextureID id) {
#if IMGUI_VERSION_NUM >= 19110
  return static_cast<unsigned>(id);
#else
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(id));
#endif
}

bool is_finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

bool is_finite(const Rect& r) {
  return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.width) &&
         std::isfinite(r.height);
}

void add_polyline(ImDrawList& list, std::span<const ImVec2> points, ImU32 color, float thickness) {
  for (std::size_t begin = 0; begin + 1 < points.size(); begin += kPointsPerPiece - 1) {
    const auto piece = points.subspan(begin, std::min(kPointsPerPiece, points.size() - begin));
    const int count = static_cast<int>(piece.size());
#if IMGUI_VERSION_NUM >= 19280
    list.AddPolyline(piece.data(), count, color, thickness, ImDrawFlags_None);
#else
    list.AddPolyline(piece.data(), count, color, ImDrawFlags_None, thickness);
#endif
  }
}

void add_convex_fill(ImDrawList& list, std::span<const ImVec2> points, ImU32 color) {
  if (points.size() < 3 || points.size() > kPointsPerPiece) return;
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
void inject_key(ImGuiIO& io, int glfw_key, bool down) { io.AddKeyEvent(imgui_key(glfw_key), down); }
void hold_key(ImGuiIO&, int, bool) {}
bool key_pressed(int glfw_key, bool repeats) {
  return ImGui::IsKeyPressed(imgui_key(glfw_key), repeats);
}
bool key_down(int glfw_key) { return ImGui::IsKeyDown(imgui_key(glfw_key)); }
void map_keys(ImGuiIO&) {}
#else
void inject_mouse_position(ImGuiIO& io, Point position) { io.MousePos = vec(position); }
void inject_mouse_away(ImGuiIO& io) { io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX); }
void inject_mouse_button(ImGuiIO& io, int button, bool down) { io.MouseDown[button] = down; }
void inject_wheel(ImGuiIO& io, float steps) { io.MouseWheel += steps; }
void inject_control(ImGuiIO& io, bool down) { io.KeyCtrl = down; }
void inject_key(ImGuiIO& io, int glfw_key, bool down) { io.KeysDown[glfw_key] = down; }
void hold_key(ImGuiIO& io, int glfw_key, bool down) {
  const bool known = glfw_key >= 0 && glfw_key < IM_ARRAYSIZE(io.KeysDown);
  if (known) io.KeysDown[glfw_key] = down;
}
bool key_pressed(int glfw_key, bool repeats) { return ImGui::IsKeyPressed(glfw_key, repeats); }
bool key_down(int glfw_key) { return ImGui::IsKeyDown(glfw_key); }
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
  io.KeyMap[ImGuiKey_A] = GLFW_KEY_A;
}
#endif

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

}  // namespace orrery::shim
