#pragma once

#include <memory>

#include "app/gui/frame_parts.h"

namespace orrery {

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
