#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "app/session/references.h"
#include "app/shell/start.h"
#include "app/views/figures.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

using namespace std::chrono_literals;

TEST_CASE("What is pointed at shows in the next frame, and in no later one") {
  LinkedCursor links;
  links.begin_frame(1);
  links.point({.distance = 3.0, .figure = "curve"});
  CHECK_FALSE(links.distance());
  links.begin_frame(1);  // another view of the same frame
  CHECK_FALSE(links.distance());
  links.begin_frame(2);
  CHECK(links.distance() == 3.0);
  CHECK(links.points_from("curve"));
  links.begin_frame(3);
  CHECK_FALSE(links.distance());
}

TEST_CASE("A held distance shows when nothing is pointed at") {
  LinkedCursor links;
  links.hold(5.0);
  CHECK(links.distance() == 5.0);
  links.begin_frame(1);
  links.point({.distance = 2.0});
  links.begin_frame(2);
  CHECK(links.distance() == 2.0);
}

Heatmap query_by_key(std::size_t rows, std::size_t columns) {
  return std::get<Heatmap>(test::map("map", rows, columns).content);
}

TEST_CASE("The diagonal of a distance runs through the cells i − j = r") {
  const auto below = diagonal_at(query_by_key(8, 8), 3);
  REQUIRE(below);
  CHECK((*below)[0].x == 0);
  CHECK((*below)[0].y == 3);
  CHECK((*below)[1].x == 4);
  CHECK((*below)[1].y == 7);
  const auto above = diagonal_at(query_by_key(4, 8), -5);
  REQUIRE(above);
  CHECK((*above)[0].x == 5);
  CHECK((*above)[0].y == 0);
  CHECK((*above)[1].x == 7);
  CHECK_FALSE(diagonal_at(query_by_key(8, 8), 8));
  CHECK(distance_of(query_by_key(8, 8), {5, 2}) == 3);
}

TEST_CASE("Positions that an axis names count, not indices") {
  Heatmap map = query_by_key(3, 3);
  map.y.range = Range{100, 120};
  map.x.range = Range{0, 20};
  CHECK(distance_of(map, {1, 2}) == 90);
  const auto diagonal = diagonal_at(map, 100);
  REQUIRE(diagonal);
  CHECK((*diagonal)[0].y == 100);
  CHECK((*diagonal)[1].x == 20);
}

Figure by_distance(std::string id, std::vector<double> y) {
  Figure figure = test::lines(std::move(id), {std::move(y)});
  std::get<LinePlot>(figure.content).x.role = AxisRole::relative_distance;
  return figure;
}

/// A curve by distance beside a map, in one view.
struct CurveAndMap {
  test::FakeExperiment experiment{
      "linked", {test::n_param()}, [](const ParamSet&, Progress&) {
        return test::result_of(
            {by_distance("curve", {8, 7, 6, 5, 4, 3, 2, 1}), test::map("map", 8, 8)});
      }};
  Session session{{&experiment}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
  CurveAndMap() {
    session.select(0);
    session.shown().layout = ViewLayout::side_by_side;
    desktop.settle();
  }
};

TEST_CASE("Hovering a distance on a curve lights the map, hovering a cell lights the curve") {
  CurveAndMap both;
  test::NullDesktop& desktop = both.desktop;
  desktop.move_to(desktop.item("status", 0.01));
  desktop.frame(2);
  const std::size_t dark = desktop.vertices();
  CHECK_FALSE(both.session.links.distance());
  desktop.move_to(desktop.in_figure("curve"));
  desktop.frame(2);
  REQUIRE(both.session.links.distance());
  CHECK(both.session.links.points_from("curve"));
  CHECK(*both.session.links.distance() >= 0);
  CHECK(desktop.vertices() > dark);
  desktop.move_to(desktop.in_figure("map"));
  desktop.frame(2);
  CHECK(both.session.links.points_from("map"));
  REQUIRE(both.session.links.distance());
  desktop.move_to(desktop.item("status", 0.01));
  desktop.frame(2);
  CHECK_FALSE(both.session.links.distance());
}

TEST_CASE("A clicked distance stays lit in other views") {
  CurveAndMap both;
  both.desktop.click(both.desktop.in_figure("curve"));
  const auto held = both.session.links.held();
  REQUIRE(held);
  both.desktop.move_to(both.desktop.item("status", 0.01));
  both.desktop.frame(2);
  CHECK(both.session.links.distance() == held);
}

Figure by_pair(std::string id, AxisRole role) {
  Figure figure = test::map(std::move(id), 8, 8);
  Heatmap& map = std::get<Heatmap>(figure.content);
  map.y.role = role;
  map.x.role = AxisRole::none;
  return figure;
}

TEST_CASE("A pair pointed at in a map is lit in the arrows, and the other way round") {
  const test::FakeExperiment experiment("pairs", {test::n_param()}, [](const ParamSet&, Progress&) {
    VectorPlot plot{.value_role = AxisRole::pair};
    for (int t = 0; t < 8; ++t) plot.arrows.push_back({0, 0, 1.0, 0.5 * t, 1.0 * t});
    return test::result_of({by_pair("map", AxisRole::pair), {"arrows", "", "", plot}});
  });
  Session session({&experiment}, test::no_files, {});
  test::NullDesktop desktop(session, 1280, 800);
  session.select(0);
  session.shown().layout = ViewLayout::side_by_side;
  desktop.settle();
  desktop.move_to(desktop.in_figure("map", 0.5, 2.5 / 8));
  desktop.frame(2);
  CHECK(session.links.pair() == std::size_t{2});
  const FigureLayout& frame = *desktop.app().item_rects().figure("arrows");
  desktop.move_to({frame.x.to_canvas(1.0), frame.y.to_canvas(3.0)});
  desktop.frame(2);
  CHECK(session.links.pair() == std::size_t{6});
  desktop.move_to(desktop.item("status", 0.01));
  desktop.frame(2);
  CHECK_FALSE(session.links.pair());
}

TEST_CASE("A map by distance points at the distance that its read-out names") {
  const auto session = start_session({.view = "score_spectrogram"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.move_to(desktop.in_figure("parts_rope", 0.8));
  desktop.frame(2);
  const std::shared_ptr<const Result> result = session->current().result;
  const Heatmap* map = nullptr;
  for (const Figure& figure : result->figures)
    if (figure.id == "parts_rope") map = std::get_if<Heatmap>(&figure.content);
  REQUIRE(map);
  const FigureLayout& frame = *desktop.app().item_rects().figure("parts_rope");
  const auto cell = cell_at(*map, frame, desktop.in_figure("parts_rope", 0.8));
  REQUIRE(cell);
  CHECK(session->links.distance() == distance_at(map->x, cell->column, map->values->shape[1]));
}

TEST_CASE("Wavelengths stand beside the pairs; a click mutes the band of a pair, and lights it") {
  const auto session = start_session({.view = "score_spectrogram"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const Rect bars = *desktop.app().item_rects().find("wavelengths");
  const FigureLayout& map = *desktop.app().item_rects().figure("parts_rope");
  CHECK(bars.y == Approx(map.plot.y));
  CHECK(bars.height == Approx(map.plot.height));
  CHECK(bars.x >= map.plot.right());
  const Point on_pair_20{bars.x + 2, map.y.to_canvas(20)};
  desktop.move_to(on_pair_20);
  desktop.frame(2);
  CHECK(session->links.pair() == std::size_t{20});
  desktop.click(on_pair_20);
  CHECK(session->current().params.to_text("rope.muted") == "band2");
}

TEST_CASE("The context line of the map of pairs is dragged to set the context") {
  const auto session = start_session({.view = "score_spectrogram"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const FigureLayout& map = *desktop.app().item_rects().figure("parts_rope");
  const Point on_line{std::round(map.x.to_canvas(8192)), map.plot.y + map.plot.height / 2};
  desktop.drag(on_line, {on_line.x - 80, on_line.y});
  CHECK(session->current().params.integer("context") < 7000);
  CHECK_FALSE(session->view("parts_rope").x);
}

const VectorPlot& chain_of(const Result& result) {
  for (const Figure& figure : result.figures)
    if (const auto* plot = std::get_if<VectorPlot>(&figure.content)) return *plot;
  throw std::logic_error("no arrows");
}

TEST_CASE("Hovering a distance turns the phasors to it, and leaves the parameters alone") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  session->shown().layout = ViewLayout::side_by_side;
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const ParamSet before = session->current().params;
  desktop.move_to(desktop.in_figure("decay_bound"));
  desktop.frame(2);
  const auto distance = session->links.distance();
  REQUIRE(distance);
  const Session::Preview& preview = session->previewed(Session::Beside::at_distance);
  for (int i = 0; i < 2000 && !preview.result; ++i) {
    std::this_thread::sleep_for(5ms);
    desktop.frame();
  }
  REQUIRE(preview.result);
  CHECK(static_cast<double>(preview.params->integer("distance")) == *distance);
  CHECK(session->current().params == before);
  const Arrow& turned = chain_of(*preview.result).arrows.at(1);
  const Arrow& still = chain_of(*session->current().result).arrows.at(1);
  CHECK(turned.x1 != still.x1);
}

}  // namespace
}  // namespace orrery
