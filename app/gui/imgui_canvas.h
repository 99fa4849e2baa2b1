#pragma once

#include <imgui.h>

#include <memory>
#include <span>
#include <string_view>

#include "app/gui/fonts.h"
#include "app/gui/textures.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// The Canvas of the screen: a draw list of Dear ImGui. What is not finite or far outside the clip
/// is left out, since neither the list nor the graphics card copes with it.
class ImGuiCanvas : public Canvas {
 public:
  ImGuiCanvas(ImDrawList& list, const Fonts& fonts, TextureCache& textures);

  void line_strip(std::span<const Point> points, const Stroke& stroke) override;
  void fill(std::span<const Point> polygon, Color color) override;
  void rect(const Rect& rect, Color color) override;
  void image(const std::shared_ptr<const Image>& image, const Rect& target, Filter filter) override;
  void text(Point anchor, std::string_view utf8, const TextStyle& style) override;
  void push_clip(const Rect& rect) override;
  void pop_clip() override;
  Size text_size(std::string_view utf8, const TextStyle& style) const override;

 private:
  Rect clip() const;
  void symbols(Point anchor, std::string_view utf8, const TextStyle& style);

  ImDrawList& list_;
  const Fonts& fonts_;
  TextureCache& textures_;
};

}  // namespace orrery
