#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>

#include "app/gui/pixel_rect.h"

// What Dear ImGui's draw commands cover, in whole pixels of a framebuffer that has one pixel per
// unit of Dear ImGui's coordinates.
namespace orrery {

/// A command with the triangles that it draws.
struct Triangles {
  const ImDrawCmd& command;
  std::span<const ImDrawIdx> corners;    ///< three per triangle
  std::span<const ImDrawVert> vertices;  ///< what `corners` count in
};
Triangles triangles_of(const ImDrawCmd& command, const ImVector<ImDrawIdx>& indices,
                       const ImVector<ImDrawVert>& vertices);

/// The pixels that Dear ImGui's OpenGL backend lets the command draw to: it cuts position and size
/// of the clip rectangle, counted from below, to integers.
PixelRect scissor_of(const ImDrawCmd& command, int width, int height);

/// The pixels that the triangle whose corners begin at `first` may touch.
PixelRect reach_of(const Triangles& triangles, std::size_t first);

/// An upright rectangle in one opaque colour, which hides everything below it.
struct SolidRect {
  PixelRect area;
  ImU32 color{};
};

/// The solid rectangle that the two triangles whose corners begin at `first` make, if they do.
std::optional<SolidRect> solid_rect(const Triangles& triangles, std::size_t first);

}  // namespace orrery
