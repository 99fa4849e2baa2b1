#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace orrery {

// What Dear ImGui's draw commands cover, in whole pixels of a framebuffer that has one pixel per
// unit of Dear ImGui's coordinates.

/// Whole pixels of a framebuffer, y downwards; `right` and `bottom` are the first ones outside.
struct PixelRect {
  int left{}, top{}, right{}, bottom{};

  bool is_empty() const { return right <= left || bottom <= top; }
  std::int64_t area() const {
    return is_empty() ? 0 : static_cast<std::int64_t>(right - left) * (bottom - top);
  }
  bool operator==(const PixelRect&) const = default;
};

inline PixelRect intersection(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

/// The smallest rectangle around two that are not empty.
inline PixelRect hull(const PixelRect& a, const PixelRect& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

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

/// Finds where a frame differs from the frame before it, so that only that is drawn again. Every
/// tile of the window has a hash of all triangles that reach it, in their order.
class ChangedAreas {
 public:
  /// The tiles whose hash has changed since the last call, in a few disjoint rectangles; the whole
  /// window after `forget` and when its size has changed. A texture counts as unchanged while its
  /// id is.
  std::vector<PixelRect> update(const ImDrawData& data, int width, int height);
  /// The next frame is drawn as a whole: textures were uploaded again, or pixels were lost.
  void forget() { hashes_.clear(); }

 private:
  std::vector<PixelRect> changed(const std::vector<std::uint64_t>& hashes) const;

  int width_{0}, height_{0};
  int columns_{0}, rows_{0};
  std::vector<std::uint64_t> hashes_{};  ///< [rows · columns], or none
};

/// Commands of Dear ImGui's frame cut down to parts of the window, for as long as this lives; the
/// frame has its own commands back afterwards. Large rectangles in one opaque colour are cleared
/// instead of being blended: on a processor that is ten times as fast.
class FrameParts {
 public:
  /// Both arguments must outlive this; `areas` are disjoint.
  FrameParts(ImDrawData& data, const std::vector<PixelRect>& areas, int width, int height);
  ~FrameParts();
  FrameParts(const FrameParts&) = delete;
  FrameParts& operator=(const FrameParts&) = delete;

 private:
  struct Saved {
    ImDrawList* list;
    ImVector<ImDrawCmd> commands;
    ImVector<ImDrawIdx> indices;
  };
  /// A rectangle to clear, y upwards as OpenGL has it.
  struct Clear {
    int left, bottom, width, height;
    ImU32 color;
  };
  void cut(ImDrawList& list);
  void cut(const Triangles& all, ImDrawList& out);
  void add_triangles(const Triangles& all, std::size_t begin, std::size_t end, ImDrawList& out);
  void add_clear(const SolidRect& solid, const PixelRect& scissor, ImDrawList& out);
  static void clear(const ImDrawList*, const ImDrawCmd* command);

  const std::vector<PixelRect>& areas_;
  int width_, height_;
  std::vector<Saved> saved_{};
  std::deque<Clear> clears_{};  // commands point at them
};

/// Dear ImGui's drawing in the current OpenGL 3 context, for as long as it lives.
class GlRenderer {
 public:
  /// Throws std::runtime_error when the context cannot be used.
  GlRenderer();
  ~GlRenderer();
  GlRenderer(const GlRenderer&) = delete;
  GlRenderer& operator=(const GlRenderer&) = delete;

  /// Before ImGui::NewFrame. `new_fonts` uploads the font atlas again.
  void begin(bool new_fonts);
  /// After ImGui::Render: draws what has changed since the last frame, and shows the whole frame,
  /// `width` by `height` pixels, in the framebuffer that is bound.
  void draw(int width, int height);
  /// Draws all of the next frame.
  void forget() { changes_.forget(); }

 private:
  /// What has been drawn so far: a window's own pixels are lost when it shows them.
  class Canvas;
  void draw_changes(int width, int height);

  ChangedAreas changes_{};
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace orrery
