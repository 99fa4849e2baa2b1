#include "app/gui/fonts.h"

#include <imgui.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "app/gui/ui.h"
#include "app/shell/app.h"
#include "experiments/files/file.h"
#include "tests/support/temp_folder.h"

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

TEST_CASE("A damaged font is refused before Dear ImGui believes it") {
  const TempFolder folder;
  const std::string sound = read_file(dejavu_file(false), 1 << 24);
  const std::vector<char32_t> letters{U'a', U'θ', U'≤'};
  const auto refused = [&](const std::string& bytes) {
    const std::string file = folder.file("font.ttf", bytes).string();
    CHECK_THROWS_WITH(
        read_font(file, 0, letters),
        Catch::Matchers::EndsWith("is not a readable font; install its package again"));
  };
  CHECK(*read_font(folder.file("sound.ttf", sound).string(), 0, letters) == sound);
  CHECK_THROWS_AS(read_font(folder.file("sound.ttf", sound).string(), 7, letters), DataError);
  refused("");
  refused("no font at all");
  for (const std::size_t length : {12U, 400U, 20'000U, 300'000U}) refused(sound.substr(0, length));
  std::string garbled = sound;
  std::fill(garbled.begin() + 2000, garbled.end(), '\xff');
  refused(garbled);
  CHECK_THROWS_AS(read_font((folder.path() / "none.ttf").string(), 0, letters), IoError);
}

}  // namespace
}  // namespace orrery
