#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/gui/fonts.h"
#include "app/gui/textures.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

using StripSink = std::function<void(std::span<const Point>)>;

/// Cuts a line strip into the strips that are drawn: inside `clip` (a cut end lies on its border),
/// without the points that are not finite, and in dashes. Dashes keep their phase along the whole
/// strip, so that panning does not make them crawl.
void cut_strip(std::span<const Point> points, const Stroke& stroke, const Rect& clip,
               const StripSink& sink);

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
