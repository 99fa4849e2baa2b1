#include "app/gui/ui.h"

#include <imgui.h>

#include <catch2/catch.hpp>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

TEST_CASE("Words beside a formula are as bold as words alone") {
  const ImGuiContextGuard imgui;
  const Fonts fonts = Fonts::load(1.0);
  TextureCache textures{make_null_textures()};
  const Ui ui{fonts, textures};
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(800, 600);
  shim::map_keys(io);
  shim::prepare_without_renderer(io);
  ImGui::NewFrame();
  const auto words = [&](ImFont* font, bool beside_formula) {
    ImGui::PushFont(font);
    const double width = beside_formula
                             ? rich_width(ui, "Where is the key? $r$") - rich_width(ui, "$r$")
                             : rich_width(ui, "Where is the key? ");
    ImGui::PopFont();
    return width;
  };
  constexpr double whole_pixels = 3;
  for (ImFont* font : {fonts.title(), fonts.body()})
    CHECK(words(font, true) == Approx(words(font, false)).margin(whole_pixels));
  ImGui::EndFrame();
}

}  // namespace
}  // namespace orrery
