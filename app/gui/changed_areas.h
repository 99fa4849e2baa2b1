#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "app/gui/pixel_rect.h"

namespace orrery {

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

}  // namespace orrery
