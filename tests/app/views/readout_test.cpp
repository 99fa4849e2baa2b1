#include "app/views/readout.h"

#include <catch2/catch.hpp>
#include <limits>
#include <memory>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

/// x from 0 to 10 on pixels 0 to 100, y from 0 to 10 upwards.
FigureLayout square_frame() {
  FigureLayout frame;
  frame.plot = {0, 0, 100, 100};
  frame.x = {.data = {0, 10}, .at_min = 0, .at_max = 100};
  frame.y = {.data = {0, 10}, .at_min = 100, .at_max = 0};
  return frame;
}

TEST_CASE("The readout snaps to the nearest sample and lists every visible curve, highest first") {
  const Figure figure = test::lines("curves", {{1, 2, 3}, {9, 8, 7}, {5, 5, 5}});
  const auto& plot = std::get<LinePlot>(figure.content);
  FigureView view;
  view.hidden = {"curve 2"};
  const auto readout = read_lines(plot, square_frame(), view, {13, 50});
  REQUIRE(readout);
  CHECK(readout->x == 1);
  REQUIRE(readout->entries.size() == 2);
  CHECK(readout->entries[0].name == "curve 1");
  CHECK(readout->entries[0].value == 8);
  CHECK(readout->entries[1].value == 2);
}

TEST_CASE("A gap is listed last, as no value") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Figure figure = test::lines("curves", {{nan, nan}, {1, 2}});
  const auto readout = read_lines(std::get<LinePlot>(figure.content), square_frame(), {}, {1, 50});
  REQUIRE(readout);
  CHECK(readout->entries[0].name == "curve 1");
  CHECK(entry_text(readout->entries[1], readout->x) == "no value");
}

TEST_CASE("A curve sampled elsewhere is read at its own nearest sample, which the readout names") {
  LinePlot plot{.series = {{.name = "fine", .x = {0, 1, 2, 3, 4}, .y = {0, 1, 2, 3, 4}},
                           {.name = "coarse", .x = {0, 4}, .y = {10, 14}},
                           {.name = "short", .x = {0, 1}, .y = {7, 7}}}};
  const auto readout = read_lines(plot, square_frame(), {}, {31, 50});
  REQUIRE(readout);
  CHECK(readout->x == 3);
  REQUIRE(readout->entries.size() == 2);  // "short" has ended before
  CHECK(entry_text(readout->entries[0], readout->x) == "14 at 4");
  CHECK(entry_text(readout->entries[1], readout->x) == "3");
}

TEST_CASE("A band of spread is read beside its curve") {
  const LinePlot plot{
      .series = {
          {.name = "mean", .x = {0, 1}, .y = {5, 6}, .band_low = {4, 4.5}, .band_high = {6, 7.5}}}};
  const auto readout = read_lines(plot, square_frame(), {}, {9, 50});
  REQUIRE(readout);
  CHECK(entry_text(readout->entries[0], readout->x) == "6 (4.5 … 7.5)");
}

TEST_CASE("A cell is read with every named term of its encoding") {
  const auto array = [](FigureRole role, float value, std::string columns = "key") {
    auto a = std::make_shared<Array>();
    *a = {.shape = {1, 2}, .axes = {"query", std::move(columns)}, .role = std::move(role)};
    a->values = std::vector<float>{0, value};
    return a;
  };
  const FigureRole role{.kind = "weights", .encodings = {"transformer_xl"}};
  const auto weights = array(role, 1);
  const Heatmap map{.values = weights};
  Result result;
  result.arrays = {weights,
                   array({"logits", {"transformer_xl"}}, 2),
                   array({"term", {"transformer_xl"}, "global_content"}, 3),
                   array({"output", {"transformer_xl"}}, 9, "channel"),
                   array({"logits", {"rope"}}, 4),
                   array({"term", {"rope"}, "content"}, 5),
                   array({"logits", {"rope", "transformer_xl"}}, 6)};
  const auto terms = read_terms(result, role, map, {0, 1});
  REQUIRE(terms.size() == 2);
  CHECK(terms[0].first == "logits");
  CHECK(terms[0].second == 2);
  CHECK(terms[1].first == "global content");
  CHECK(terms[1].second == 3);
  CHECK(read_terms(result, {}, map, {0, 1}).empty());  // saved before figures had roles
}

TEST_CASE("A single term, which is the logit, gives way to its parts") {
  const auto array = [](const char* kind, const char* term, float value) {
    auto a = std::make_shared<Array>();
    *a = {.shape = {1, 1},
          .axes = {"query", "key"},
          .values = std::vector<float>{value},
          .role = {.kind = kind, .encodings = {"rope"}, .term = term}};
    return a;
  };
  const auto weights = array("weights", "", 1);
  Result result;
  result.arrays = {weights, array("logits", "", 3), array("term", "content", 3),
                   array("part", "without_position", 2), array("part", "by_position", 1)};
  const auto read = read_terms(result, weights->role, {.values = weights}, {0, 0});
  std::vector<std::string> names;
  for (const auto& [name, value] : read) names.push_back(name);
  CHECK(names == std::vector<std::string>{"logits", "without position", "by position"});
}

TEST_CASE("The nearest arrow's tip is read, if it is near enough") {
  const VectorPlot plot{.arrows = {{0, 0, 1, 1, 0}, {1, 1, 2, 1, 1}}};
  CHECK(read_arrow(plot, square_frame(), {18, 88}, 10) == 1);
  CHECK_FALSE(read_arrow(plot, square_frame(), {60, 50}, 10));
}

TEST_CASE("Outside of the plot there is nothing to read") {
  const Figure figure = test::lines("curves", {{1, 2}});
  CHECK_FALSE(read_lines(std::get<LinePlot>(figure.content), square_frame(), {}, {120, 50}));
}

TEST_CASE("Numbers are read with five digits and a true minus sign") {
  CHECK(readout_number(0.123456789) == "0.12346");
  CHECK(readout_number(-2) == "−2");
  CHECK(readout_number(1e-15, 3) == "1e-15");
  CHECK(readout_number(-std::numeric_limits<double>::infinity()) == "−∞");
}

}  // namespace
}  // namespace orrery
