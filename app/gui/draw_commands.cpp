#include "app/gui/draw_commands.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

// No window is as wide; beyond it an integer may not hold the number.
constexpr float far_away = 1e6f;

int before(float edge) {
  return static_cast<int>(std::floor(std::clamp(edge, -far_away, far_away)));
}

/// The first pixel whose centre does not lie before an edge.
int first_inside(float edge) {
  return static_cast<int>(std::ceil(std::clamp(edge, -far_away, far_away) - 0.5f));
}

bool is_opaque(ImU32 color) { return (color & IM_COL32_A_MASK) == IM_COL32_A_MASK; }

}  // namespace

Triangles triangles_of(const ImDrawCmd& command, const ImVector<ImDrawIdx>& indices,
                       const ImVector<ImDrawVert>& vertices) {
  return {command,
          {indices.Data + command.IdxOffset, command.ElemCount},
          {vertices.Data + command.VtxOffset,
           static_cast<std::size_t>(vertices.Size) - command.VtxOffset}};
}

PixelRect scissor_of(const ImDrawCmd& command, int width, int height) {
  const ImVec4& clip = command.ClipRect;
  if (clip.z <= clip.x || clip.w <= clip.y) return {};
  const auto full = static_cast<float>(height);
  const int left = static_cast<int>(clip.x), below = static_cast<int>(full - clip.w);
  const PixelRect scissor{left, height - below - static_cast<int>(clip.w - clip.y),
                          left + static_cast<int>(clip.z - clip.x), height - below};
  return intersection(scissor, {0, 0, width, height});
}

PixelRect reach_of(const Triangles& triangles, std::size_t first) {
  const auto at = [&](std::size_t i) { return triangles.vertices[triangles.corners[i]].pos; };
  const ImVec2 a = at(first), b = at(first + 1), c = at(first + 2);
  return {before(std::min({a.x, b.x, c.x})), before(std::min({a.y, b.y, c.y})),
          before(std::max({a.x, b.x, c.x})) + 1, before(std::max({a.y, b.y, c.y})) + 1};
}

std::optional<SolidRect> solid_rect(const Triangles& triangles, std::size_t first) {
  if (first + 6 > triangles.corners.size()) return std::nullopt;
  const auto index = triangles.corners.subspan(first, 6);
  if (index[3] != index[0] || index[4] != index[2]) return std::nullopt;
  const auto at = [&](std::size_t i) { return triangles.vertices[index[i]]; };
  const std::array corners{at(0), at(1), at(2), at(5)};
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  const ImU32 color = corners[0].col;
  for (const ImDrawVert& corner : corners)
    if (corner.col != color || corner.uv.x != white.x || corner.uv.y != white.y)
      return std::nullopt;
  const ImVec2 min = corners[0].pos, max = corners[2].pos;
  const bool upright = corners[1].pos.x == max.x && corners[1].pos.y == min.y &&
                       corners[3].pos.x == min.x && corners[3].pos.y == max.y;
  if (!upright || !is_opaque(color) || !shim::draws_letters(triangles.command)) return std::nullopt;
  return SolidRect{
      {first_inside(min.x), first_inside(min.y), first_inside(max.x), first_inside(max.y)}, color};
}

}  // namespace orrery
