#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "app/headless/offscreen.h"
#include "app/headless/render_views.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/app/offscreen_or_none.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

Color pixel(const Image& image, int x, int y) {
  return image.pixels.at(static_cast<std::size_t>(y * image.width + x));
}

bool near(Color a, Color b, int tolerance) {
  return std::abs(a.r - b.r) <= tolerance && std::abs(a.g - b.g) <= tolerance &&
         std::abs(a.b - b.b) <= tolerance;
}

std::size_t count_near(const Image& image, Color color, int tolerance) {
  std::size_t count = 0;
  for (const Color& p : image.pixels) count += near(p, color, tolerance);
  return count;
}

std::size_t colors(const Image& image) {
  std::set<std::tuple<int, int, int>> seen;
  for (const Color& p : image.pixels) seen.emplace(p.r, p.g, p.b);
  return seen.size();
}

TEST_CASE("Every view renders a picture with its ground and its text, in both themes") {
  std::size_t seen = 0;
  for (const char* theme : {"dark", "light"}) {
    const auto session = start_session({.theme = theme}, {});
    const auto desktop = test::offscreen_or_none(*session, 1280, 800);
    if (!desktop) return;
    const FigureStyle style = figure_style(session->look.theme);
    for (std::size_t view = 0; view < session->size(); ++view) {
      if (!test::is_tried(seen++)) continue;
      session->select(view);
      desktop->settle();
      const auto image = desktop->pixels();
      INFO(theme << " " << session->current().experiment->info.name);
      REQUIRE(image->width == 1280);
      REQUIRE(image->height == 800);
      CHECK(near(pixel(*image, 640, 5), style.background, 2));
      CHECK(count_near(*image, style.text, 24) > 1000);
      CHECK(colors(*image) > 100);
    }
  }
}

TEST_CASE("Curves have the colours of their palette slots") {
  const test::FakeExperiment experiment(
      "curves", {test::n_param()}, [](const ParamSet&, Progress&) {
        return test::result_of({test::lines("curves", {{0, 1, 0}, {1, 0, 1}})});
      });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  const auto desktop = test::offscreen_or_none(session, 1000, 700);
  if (!desktop) return;
  desktop->settle();
  const FigureStyle style = figure_style(session.look.theme);
  CHECK(count_near(*desktop->pixels(), style.palette[0], 6) > 300);
  CHECK(count_near(*desktop->pixels(), style.palette[1], 6) > 300);
  session.view("curves").hidden = {"curve 0"};
  desktop->frame();
  CHECK(count_near(*desktop->pixels(), style.palette[0], 6) < 30);
}

/// Where the topmost row of `length` pixels of a colour begins; edges of letters have no such rows.
std::pair<int, int> first_run(const Image& image, Color color, int length) {
  for (int y = 0; y < image.height; ++y) {
    int run = 0;
    for (int x = 0; x < image.width; ++x) {
      run = near(pixel(image, x, y), color, 1) ? run + 1 : 0;
      if (run == length) return {x - length + 1, y};
    }
  }
  return {0, 0};
}

TEST_CASE("A map is drawn cell by cell, upright, with masked cells apart") {
  Figure figure = test::map("map", 2, 2);
  auto masked = std::make_shared<Array>();
  masked->shape = {2, 2};
  masked->values = std::vector<float>{0, 1, 0, 0};
  std::get<Heatmap>(figure.content).masked = masked;
  const test::FakeExperiment experiment("map", {test::n_param()}, [&](const ParamSet&, Progress&) {
    return test::result_of({figure});
  });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  const auto desktop = test::offscreen_or_none(session, 1000, 700);
  if (!desktop) return;
  desktop->settle();
  const auto image = desktop->pixels();
  const FigureStyle style = figure_style(session.look.theme);
  CHECK(count_near(*image, style.masked, 1) > 3000);
  const auto [left, top] = first_run(*image, style.masked, 100);
  // Row 0 is on top: the masked cell (0, 1) has (0, 0) at its left.
  REQUIRE(left > 20);
  CHECK(near(pixel(*image, left + 20, top + 20), style.masked, 1));
  CHECK_FALSE(near(pixel(*image, left - 20, top + 20), style.masked, 8));
}

TEST_CASE("The same state renders the same pixels") {
  std::shared_ptr<const Image> images[2];
  for (auto& image : images) {
    const auto session = start_session({}, {});
    const auto desktop = test::offscreen_or_none(*session, 640, 480);
    if (!desktop) return;
    // The computing time is on the screen: compare what lies above the status line.
    desktop->settle();
    image = desktop->pixels();
  }
  const auto above_status = static_cast<std::ptrdiff_t>(640 * 440);
  CHECK(std::equal(images[0]->pixels.begin(), images[0]->pixels.begin() + above_status,
                   images[1]->pixels.begin()));
}

TEST_CASE("Views are written as PNG files, over those of the last time") {
  const auto folder = std::filesystem::temp_directory_path() / "orrery_render_views_test";
  std::filesystem::remove_all(folder);
  {
    const auto session = start_session({}, {});
    if (!test::offscreen_or_none(*session, 64, 64)) return;
  }
  const RenderOptions options{.start = {.view = "long_term_decay", .overrides = {"dim=64"}},
                              .folder = folder.string(),
                              .size = "640x480"};
  render_views(options);
  render_views(options);
  CHECK(std::filesystem::file_size(folder / "long_term_decay.png") > 5000);
  RenderOptions bad = options;
  bad.start = {.view = "attention_map", .overrides = {"text=/nowhere/at/all.txt"}};
  CHECK_THROWS_WITH(render_views(bad), Catch::Contains("/nowhere/at/all.txt"));
  CHECK_FALSE(std::filesystem::exists(folder / "attention_map.png"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace orrery
