#include "app/views/equation_parts.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/shell/start.h"
#include "tests/app/layers.h"
#include "tests/app/views/figure_harness.h"
#include "tests/support/sample_figures.h"

namespace orrery {
namespace {

using test::FigureHarness;

constexpr std::size_t tokens = 8;

/// The middle of a cell of the map of a term.
Point cell_of(const FigureHarness& harness, std::size_t term, double row, double column) {
  const FigureLayout& part = harness.frame().parts.at(term);
  return {std::floor(part.x.to_canvas(column)), std::floor(part.y.to_canvas(row))};
}

TEST_CASE("Every map of an equation and every profile has its place, and none covers another") {
  const FigureHarness harness(test::equation_figure(tokens));
  const std::vector<FigureLayout>& parts = harness.frame().parts;
  REQUIRE(parts.size() == 8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Rect& plot = parts[i].plot;
    CHECK(plot.width > 60);
    CHECK(plot.x >= harness.frame().plot.x);
    CHECK(plot.bottom() <= harness.frame().plot.bottom() + 1e-9);
    for (std::size_t k = 0; k < i; ++k) {
      const Rect& other = parts[k].plot;
      const bool apart = plot.x >= other.right() || other.x >= plot.right() ||
                         plot.y >= other.bottom() || other.y >= plot.bottom();
      CHECK(apart);
    }
  }
}

TEST_CASE("A factor makes the axis of a profile finer, so that a read-out has the true values") {
  const FigureHarness harness(test::equation_figure(tokens));
  const AxisMap &whole = harness.frame().parts.at(4).y, &faint = harness.frame().parts.at(5).y;
  CHECK(faint.data.max == Approx(whole.data.max / 200));
  CHECK(faint.data.min == Approx(whole.data.min / 200));
}

TEST_CASE("Hovering a cell of one map points at its distance, and a click holds it") {
  FigureHarness harness(test::equation_figure(tokens));
  harness.move(cell_of(harness, 1, 6, 2));
  harness.frames(2);
  CHECK(harness.links.distance() == 4.0);
  harness.click(cell_of(harness, 2, 7, 2));
  CHECK(harness.links.held() == 5.0);
  const FigureLayout& profile = harness.frame().parts.at(6);
  harness.move({std::floor(profile.x.to_canvas(3)), profile.plot.y + profile.plot.height / 2});
  harness.frames(2);
  CHECK(harness.links.distance() == 3.0);
}

TEST_CASE("An equation of maps is neither zoomed nor panned") {
  FigureHarness harness(test::equation_figure(tokens));
  const FigureView before = harness.view;
  const Point at = cell_of(harness, 0, 3, 3);
  harness.wheel(at, 3);
  harness.drag(at, {at.x + 40, at.y + 30});
  harness.drag(at, {at.x + 60, at.y + 50}, 1);
  CHECK(harness.view == before);
}

TEST_CASE("A part of an equation is found by its place and read by its name") {
  const Figure figure = test::equation_figure(tokens);
  const auto& equation = std::get<MapEquation>(figure.content);
  const FigureHarness harness(figure);
  const auto map = part_at(equation, harness.frame(), cell_of(harness, 2, 1, 1));
  REQUIRE(map);
  CHECK(map->term == 2);
  CHECK_FALSE(map->is_profile);
  CHECK(map_of_part(equation, 2).quantity == "bias");
  CHECK(profile_of_part(equation, 2).series.at(0).name == "bias");
  CHECK_FALSE(part_at(equation, harness.frame(), {0, 0}));
  CHECK(parts_of(equation, FigureLayout{}).empty());
}

/// What an attention map of these kinds shows first.
std::vector<std::string> first_on_screen(const std::vector<std::string>& kinds) {
  const test::FakeExperiment experiment(
      "attention_map", {test::n_param()}, [&](const ParamSet&, Progress&) {
        Result result;
        for (const std::string& kind : kinds) {
          Figure figure = kind == "pipeline" ? test::equation_figure(tokens) : test::map("", 4, 4);
          figure.id = kind;
          figure.role = {.kind = kind, .encodings = {"rope"}};
          result.figures.push_back(std::move(figure));
        }
        return result;
      });
  Session session({&experiment}, test::no_files, {});
  test::NullDesktop desktop(session, 1280, 800);
  session.select(0);
  desktop.settle();
  std::vector<std::string> shown;
  for (const Figure* figure : session.on_screen) shown.push_back(figure->id);
  return shown;
}

TEST_CASE("An equation of maps has a tab of its own: it stands beside no other figure") {
  using Ids = std::vector<std::string>;
  CHECK(first_on_screen({"weights", "logits"}) == Ids{"weights", "logits"});
  CHECK(first_on_screen({"weights", "pipeline"}) == Ids{"weights"});
  CHECK(first_on_screen({"weights", "logits", "pipeline"}) == Ids{"weights", "logits"});
  CHECK(first_on_screen({"pipeline"}) == Ids{"pipeline"});
}

TEST_CASE("The decomposition opens on its equation, five maps across at 1280 × 800") {
  const auto session = start_session({.view = "score_decomposition"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->look.show_list.reset();
  session->look.show_panel.reset();
  desktop.settle();
  REQUIRE(session->on_screen.size() == 1);
  CHECK(session->on_screen.front()->id == "equation_sinusoidal");
  const FigureLayout* frame = desktop.app().item_rects().figure("equation_sinusoidal");
  REQUIRE(frame);
  REQUIRE(frame->parts.size() == 10);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(frame->parts[i].plot.width >= 150);
    CHECK(frame->parts[i].plot.y == frame->parts[0].plot.y);
  }
}

}  // namespace
}  // namespace orrery
