#include "app/gui/fonts.h"
#include "app/gui/imgui_context.h"

#include <imgui.h>

#include <catch2/catch.hpp>

#include "app/shell/app.h"
#include "tests/app/layers.h"

namespace orrery {
namespace {

// What every graphics card of the last ten years holds.
constexpr int max_texture = 16384;

float width_of(double scale) {
  const ImGuiContextGuard session;
  const Fonts fonts = Fonts::load(scale);
  ImGuiIO& io = ImGui::GetIO();
  CHECK(io.Fonts->TexWidth <= max_texture);
  CHECK(io.Fonts->TexHeight <= max_texture);
  const float size = fonts.body()->FontSize * io.FontGlobalScale;
  return fonts.body()->CalcTextSizeA(size, 1e9f, 0.0f, "relative distance m − n").x;
}

TEST_CASE("Letters grow with the scale, and beyond what a texture holds they are enlarged") {
  const float one = width_of(1.0);
  for (const double scale : {2.0, 3.0, 5.4, 16.2}) {
    INFO(scale);
    CHECK(width_of(scale) == Approx(scale * static_cast<double>(one)).epsilon(0.04));
  }
}

}  // namespace
}  // namespace orrery
