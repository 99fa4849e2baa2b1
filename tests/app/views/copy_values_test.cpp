#include "app/views/figure_gestures.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

FigureLayout frame_of(Range x) {
  FigureLayout frame;
  frame.plot = {0, 0, 100, 100};
  frame.x = {.data = x, .at_min = 0, .at_max = 100};
  frame.y = {.data = {0, 10}, .at_min = 100, .at_max = 0};
  return frame;
}

TEST_CASE("Curves that share x are copied with x once, what shows and no more, every digit") {
  Figure figure = test::lines("two", {{0.1, 2, 3, 4}, {5, 6, 7, 8}});
  CHECK(values_text(figure, {}, frame_of({0, 1})) ==
        "distance\tcurve 0\tcurve 1\n0\t0.10000000000000001\t5\n1\t2\t6\n");
  FigureView view;
  view.hidden = {"curve 0"};
  CHECK(values_text(figure, view, frame_of({2, 2.5})) == "distance\tcurve 1\n2\t7\n");
}

TEST_CASE("Curves of their own x are copied side by side") {
  const Figure figure{.content = LinePlot{.x = {.label = "x"},
                                          .series = {{.name = "a", .x = {1}, .y = {2}},
                                                     {.name = "b", .x = {3, 4}, .y = {5, 6}}}}};
  CHECK(values_text(figure, {}, frame_of({0, 10})) == "x\ta\tx\tb\n1\t2\t3\t5\n\t\t4\t6\n");
}

TEST_CASE("A map is copied cell by cell as far as it shows; masked cells are empty") {
  Figure figure = test::map("map", 3, 3);
  auto& map = std::get<Heatmap>(figure.content);
  auto masked = std::make_shared<Array>(*map.values);
  masked->values = std::vector<float>{0, 1, 1, 0, 0, 1, 0, 0, 0};
  map.masked = masked;
  FigureLayout frame = frame_of({-0.5, 1.5});
  frame.y = {.data = {-0.5, 2.5}, .at_min = 0, .at_max = 100};
  CHECK(value_count(figure, {}, frame) == 6);
  CHECK(values_text(figure, {}, frame) == "0\t\n3\t4\n6\t7\n");
}

}  // namespace
}  // namespace orrery
