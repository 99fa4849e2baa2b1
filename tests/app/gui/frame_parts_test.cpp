// Frames that are drawn in parts have the pixels that Dear ImGui's own backend draws.
#include "app/gui/renderer.h"

#include <GL/gl.h>
#include <backends/imgui_impl_opengl3.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "app/gui/imgui_shim.h"
#include "app/gui/ui.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/app/offscreen_or_none.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

constexpr int width = 1280, height = 800;

std::int64_t covered(const std::vector<PixelRect>& areas) {
  std::int64_t sum = 0;
  for (const PixelRect& area : areas) sum += area.area();
  return sum;
}

bool covers(const std::vector<PixelRect>& areas, int x, int y) {
  return std::any_of(areas.begin(), areas.end(), [&](const PixelRect& area) {
    return x >= area.left && x < area.right && y >= area.top && y < area.bottom;
  });
}

void prepare() {
  ImGuiIO& io = ImGui::GetIO();
  shim::prepare_without_renderer(io);
  shim::map_keys(io);
  io.DisplaySize = ImVec2(width, height);
  io.DeltaTime = 1.0f / 60.0f;
}

/// Frames of Dear ImGui without a renderer.
class NullFrames {
 public:
  NullFrames() { prepare(); }
  std::vector<PixelRect> draw(const std::function<void(ImDrawList&)>& body) {
    ImGui::NewFrame();
    body(*ImGui::GetBackgroundDrawList());
    ImGui::Render();
    return changes_.update(*ImGui::GetDrawData(), width, height);
  }
  void forget() { changes_.forget(); }

 private:
  ImGuiContextGuard imgui_{};
  ChangedAreas changes_{};
};

TEST_CASE("What is drawn as before is not drawn again, and the first frame is drawn as a whole") {
  NullFrames frames;
  const auto picture = [](ImDrawList& list) {
    list.AddRectFilled({10, 10}, {400, 300}, IM_COL32(200, 0, 0, 255));
    list.AddCircle({700, 500}, 80, IM_COL32(0, 200, 0, 255), 40, 2.0f);
  };
  CHECK(frames.draw(picture) == std::vector<PixelRect>{{0, 0, width, height}});
  CHECK(frames.draw(picture).empty());
  CHECK(frames.draw(picture).empty());
  frames.forget();
  CHECK(frames.draw(picture) == std::vector<PixelRect>{{0, 0, width, height}});
}

TEST_CASE("Only where something moves, changes or goes away is drawn again") {
  NullFrames frames;
  const auto square = [](float x, ImU32 color) {
    return [=](ImDrawList& list) {
      list.AddRectFilled({0, 0}, {width, height}, IM_COL32(20, 20, 20, 255));
      if (color) list.AddRectFilled({x, 100}, {x + 20, 120}, color);
    };
  };
  const ImU32 red = IM_COL32(255, 0, 0, 255), half_red = IM_COL32(255, 0, 0, 128);
  frames.draw(square(100, red));
  for (const auto& [x, color] : {std::pair(600.0f, red), {600.0f, half_red}, {600.0f, 0u}}) {
    const auto areas = frames.draw(square(x, color));
    CHECK(covers(areas, 610, 110));
    CHECK(covered(areas) < 20000);
    CHECK_FALSE(covers(areas, 300, 400));
  }
  // It moved once: where it had been changed too.
  frames.draw(square(100, red));
  const auto moved = frames.draw(square(600, red));
  CHECK(covers(moved, 110, 110));
  CHECK(covers(moved, 610, 110));
  CHECK_FALSE(covers(moved, 350, 110));
}

TEST_CASE("What lies above what is a change too") {
  NullFrames frames;
  const auto pile = [](ImU32 first, ImU32 second) {
    return [=](ImDrawList& list) {
      for (const ImU32 color : {first, second}) list.AddRectFilled({100, 100}, {200, 200}, color);
    };
  };
  const ImU32 red = IM_COL32(255, 0, 0, 255), blue = IM_COL32(0, 0, 255, 255);
  frames.draw(pile(red, blue));
  CHECK(covers(frames.draw(pile(blue, red)), 150, 150));
}

TEST_CASE("Another clip rectangle is a change of what it had shown and of what it shows") {
  NullFrames frames;
  const auto clipped = [](float right) {
    return [=](ImDrawList& list) {
      list.PushClipRect({0, 0}, {right, 200});
      list.AddRectFilled({0, 0}, {800, 100}, IM_COL32(255, 0, 0, 255));
      list.PopClipRect();
    };
  };
  frames.draw(clipped(600));
  CHECK(covers(frames.draw(clipped(300)), 400, 50));
  CHECK(covers(frames.draw(clipped(600)), 400, 50));
}

TEST_CASE("Changes in many places are joined to few rectangles that do not overlap") {
  NullFrames frames;
  const auto dots = [](int count, int step) {
    return [=](ImDrawList& list) {
      for (int i = 0; i < count; ++i) {
        const auto x = static_cast<float>(40 + (i * step) % 1200);
        const auto y = static_cast<float>(40 + (i * 7 * step) % 700);
        list.AddRectFilled({x, y}, {x + 3, y + 3}, IM_COL32(255, 255, 255, 255));
      }
    };
  };
  for (const int count : {3, 20, 60, 400}) {
    frames.draw(dots(count, 97));
    const auto areas = frames.draw(dots(count, 101));
    INFO(count << " dots");
    CHECK(areas.size() <= 12);
    for (std::size_t a = 0; a < areas.size(); ++a)
      for (std::size_t b = a + 1; b < areas.size(); ++b)
        CHECK(intersection(areas[a], areas[b]).is_empty());
    for (int i = 1; i < count; ++i)  // the first stays
      CHECK(covers(areas, 41 + (i * 101) % 1200, 41 + (i * 707) % 700));
  }
}

TEST_CASE("Only upright rectangles in one opaque colour are taken for solid") {
  const ImGuiContextGuard imgui;
  prepare();
  const auto first_solid = [](const std::function<void(ImDrawList&)>& body) {
    ImGui::NewFrame();
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    body(list);
    ImGui::Render();
    const ImDrawCmd command = list.CmdBuffer.front();
    return solid_rect(triangles_of(command, list.IdxBuffer, list.VtxBuffer), 0);
  };
  const ImU32 red = IM_COL32(255, 0, 0, 255);
  const auto solid = first_solid([&](ImDrawList& list) {
    list.AddRectFilled({10, 20.4f}, {30.6f, 50}, red);
  });
  REQUIRE(solid);
  // A pixel belongs to it when its centre does.
  CHECK(solid->area == PixelRect{10, 20, 31, 50});
  CHECK(solid->color == red);
  CHECK_FALSE(first_solid([](ImDrawList& list) {
    list.AddRectFilled({10, 20}, {30, 50}, IM_COL32(255, 0, 0, 254));
  }));
  CHECK_FALSE(first_solid([&](ImDrawList& list) {
    list.AddRectFilledMultiColor({10, 20}, {30, 50}, red, red, red, IM_COL32(254, 0, 0, 255));
  }));
  CHECK_FALSE(first_solid([&](ImDrawList& list) {
    list.PrimReserve(6, 4);
    list.PrimQuadUV({10, 20}, {30, 21}, {30, 50}, {10, 50}, ImGui::GetFontTexUvWhitePixel(),
                    ImGui::GetFontTexUvWhitePixel(), ImGui::GetFontTexUvWhitePixel(),
                    ImGui::GetFontTexUvWhitePixel(), red);
  }));
  CHECK_FALSE(first_solid([](ImDrawList& list) { list.AddText({10, 20}, ~0u, "M"); }));
  CHECK_FALSE(first_solid([](ImDrawList& list) {
    list.AddImage(shim::texture_id(77), {10, 20}, {30, 50});
  }));
}

/// The frame that was drawn last, by Dear ImGui's backend and nothing else.
std::shared_ptr<const Image> by_backend(OffscreenDesktop& desktop) {
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  return desktop.pixels();
}

std::size_t differing(const Image& a, const Image& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    count += a.pixels[i].r != b.pixels[i].r || a.pixels[i].g != b.pixels[i].g ||
             a.pixels[i].b != b.pixels[i].b;
  return count;
}

TEST_CASE("Frame after frame, the mouse moving and dragging, has the backend's own pixels") {
  const auto session = start_session({}, {});
  const auto desktop = test::offscreen_or_none(*session, width, height);
  if (!desktop) return;
  ImGuiIO& io = ImGui::GetIO();
  for (std::size_t view = 0; view < session->size(); ++view) {
    if (!test::is_tried(view)) continue;
    session->select(view);
    desktop->settle();
    INFO(session->current().experiment->info.name);
    for (int step = 0; step < 6; ++step) {
      const double turn = 0.9 * step + static_cast<double>(view);
      shim::inject_mouse_position(io, {width * (0.5 + 0.35 * std::sin(turn)),
                                       height * (0.5 + 0.45 * std::cos(1.7 * turn))});
      if (step == 3) shim::inject_mouse_button(io, 0, true);
      desktop->frame();
      const auto drawn = desktop->pixels();
      INFO("step " << step);
      CHECK(differing(*drawn, *by_backend(*desktop)) == 0);
    }
    shim::inject_mouse_button(io, 0, false);
    desktop->frame();
  }
}

TEST_CASE("A picture that takes the texture of one that is gone is drawn") {
  const test::FakeExperiment experiment(
      "map", {test::n_param()}, [](const ParamSet& params, Progress&) {
        const auto n = params.integer("n");
        return test::result_of({test::map("map", static_cast<std::size_t>(n), 8)});
      });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  const auto desktop = test::offscreen_or_none(session, width, height);
  if (!desktop) return;
  for (const std::int64_t n : {4, 9, 5, 12, 3}) {
    session.set_value("n", n);
    desktop->settle();
    const auto drawn = desktop->pixels();
    INFO(n << " rows");
    CHECK(differing(*drawn, *by_backend(*desktop)) == 0);
  }
}

}  // namespace
}  // namespace orrery
