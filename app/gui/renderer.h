#pragma once

#include "app/session/layers.h"

namespace orrery::gui {

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
  /// After ImGui::Render: clears to the window's colour and draws, `width` by `height` pixels.
  void draw(int width, int height);
};

}  // namespace orrery::gui
