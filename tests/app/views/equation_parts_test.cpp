#include "app/views/figures.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/shell/start.h"
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

TEST_CASE("The maps of an equation are zoomed, panned and fitted together") {
  FigureHarness harness(test::equation_figure(tokens));
  const Range whole = harness.frame().parts.at(0).x.data;
  const Point at = cell_of(harness, 1, 3, 4);
  harness.wheel(at, 3);
  harness.frames(2);
  REQUIRE(harness.view.x);
  REQUIRE(harness.view.y);
  const double width = harness.view.x->max - harness.view.x->min;
  CHECK(width < 0.7 * (whole.max - whole.min));
  for (std::size_t term = 0; term < 4; ++term) {
    const FigureLayout& part = harness.frame().parts.at(term);
    CHECK(part.x.data == *harness.view.x);
    CHECK(part.y.data == *harness.view.y);
  }
  const Range before = *harness.view.x;
  harness.drag(at, {at.x - 25, at.y});
  CHECK(harness.view.x->min > before.min);
  CHECK(harness.view.x->max - harness.view.x->min == Approx(width));
  harness.double_click(at);
  harness.frames(2);
  CHECK(harness.frame().parts.at(2).x.data == whole);
}

TEST_CASE("A box on one map of an equation is what all maps show") {
  FigureHarness harness(test::equation_figure(tokens));
  harness.drag(cell_of(harness, 2, 2, 1), cell_of(harness, 2, 6, 5), 1);
  harness.frames(2);
  REQUIRE(harness.view.x);
  CHECK(harness.view.x->min == Approx(1).margin(0.2));
  CHECK(harness.view.x->max == Approx(5).margin(0.2));
  CHECK(harness.view.y->min == Approx(2).margin(0.2));
  // What the mouse points at is read where it is now.
  harness.move(cell_of(harness, 0, 5, 3));
  harness.frames(2);
  CHECK(harness.links.distance() == 2.0);
}

TEST_CASE("Around the maps of an equation nothing is zoomed or panned") {
  FigureHarness harness(test::equation_figure(tokens));
  const FigureView before = harness.view;
  const Rect& profile = harness.frame().parts.at(5).plot;
  const Point at{std::floor(profile.x + profile.width / 2), std::floor(profile.y + 20)};
  harness.wheel(at, 3);
  harness.drag(at, {at.x + 40, at.y + 30});
  harness.drag(at, {at.x + 30, at.y + 15}, 1);
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
  test::FakeExperiment experiment("maps", {test::n_param()}, [&](const ParamSet&, Progress&) {
    Result result;
    for (const std::string& kind : kinds) {
      Figure figure = kind == "pipeline" ? test::equation_figure(tokens) : test::map("", 4, 4);
      figure.id = kind;
      figure.role = {.kind = kind, .encodings = {"rope"}};
      result.figures.push_back(std::move(figure));
    }
    return result;
  });
  experiment.info.view = {.layout = ViewLayout::small_multiples, .grouping = Grouping::by_kind};
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
