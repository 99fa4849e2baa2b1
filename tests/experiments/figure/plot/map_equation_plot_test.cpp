#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "experiments/figure/plot/draw_figure.h"
#include "tests/support/recording_canvas.h"
#include "tests/support/sample_figures.h"

namespace orrery {
namespace {

using test::RecordingCanvas;

constexpr Rect page{0.0, 0.0, 1200.0, 640.0};

RecordingCanvas drawn(const Figure& figure) {
  RecordingCanvas canvas;
  draw_figure(canvas, figure, page, figure_style(Theme::light));
  return canvas;
}

std::ptrdiff_t times(const RecordingCanvas& canvas, const std::string& text) {
  return std::count_if(canvas.texts.begin(), canvas.texts.end(),
                       [&](const auto& t) { return t.utf8 == text; });
}

TEST_CASE("An equation of maps says signs, names, factors, spreads and what is relative") {
  const RecordingCanvas canvas = drawn(test::equation_figure(8));
  for (const char* text : {"=", "+", "logit", "bias", "softmax", "relative", "spread 0.40"})
    CHECK(times(canvas, text) >= 1);
  CHECK(times(canvas, "relative") == 1);
  CHECK(times(canvas, "spread 0.020") == 2);
  CHECK(times(canvas, "×200") == 2);  // beside the name and at the profile
}

TEST_CASE("Maps of one quantity have one colour bar, which states its ends") {
  const RecordingCanvas canvas = drawn(test::equation_figure(8));
  CHECK(times(canvas, "-5") + times(canvas, "−5") >= 1);
  CHECK(times(canvas, "weight") == 2);  // a name and a bar
  Figure single = test::equation_figure(8);
  for (MapTerm& term : std::get<MapEquation>(single.content).terms) {
    term.map.quantity = "logit";
    term.map.meaning = Meaning::diverging;
  }
  CHECK(times(drawn(single), "weight") == 1);
}

TEST_CASE("A spread that is not a number is not called relative") {
  Figure figure = test::equation_figure(8);
  auto& equation = std::get<MapEquation>(figure.content);
  for (MapTerm& term : equation.terms) {
    term.spread = std::nan("");
    term.rounding = 1.0;
  }
  const RecordingCanvas canvas = drawn(figure);
  CHECK(times(canvas, "relative") == 0);
  for (const auto& text : canvas.texts) CHECK(text.utf8.find("spread") == std::string::npos);
}

TEST_CASE("A symbol that is no formula is written as it is") {
  Figure figure = test::equation_figure(8);
  std::get<MapEquation>(figure.content).terms[0].symbol = R"(\nothing{)";
  CHECK(times(drawn(figure), R"(\nothing{)") == 1);
}

TEST_CASE("For any numbers an equation of maps is drawn with finite points") {
  const double inf = std::numeric_limits<double>::infinity();
  const double odd[] = {0.0,    1.0,    -1.0,   inf,   -inf,  std::nan(""), 1e308,
                        -1e308, 5e-324, 1e-300, 1e200, -1e30, 3.5,          1e16};
  std::size_t next = 1;
  const auto number = [&] { return odd[(next = next * 1103515245 + 12345) / 65536 % 14]; };
  for (int turn = 0; turn < 200; ++turn) {
    Figure figure = test::equation_figure(4);
    auto& equation = std::get<MapEquation>(figure.content);
    for (MapTerm& term : equation.terms) {
      Array values = *term.map.values;
      std::vector<double> cells(values.size());
      for (double& cell : cells) cell = number();
      values.values = std::move(cells);
      term.map.values = std::make_shared<const Array>(std::move(values));
      if (turn % 3 == 0) term.map.range.reset();
      if (turn % 3 == 1) term.map.range = Range{number(), number()};
      const double factor = number();
      if (factor > 0 && std::isfinite(factor)) term.factor = factor;
      term.spread = number();
      term.rounding = number();
    }
    for (Series& series : equation.profiles.series)
      for (auto* values : {&series.x, &series.y, &series.band_low, &series.band_high})
        for (double& value : *values)
          value = turn % 2 == 0 || values != &series.x ? number() : value;
    INFO("turn " << turn);
    const RecordingCanvas canvas = drawn(figure);
    REQUIRE(canvas.all_finite);
    REQUIRE(canvas.balanced());
  }
}

}  // namespace
}  // namespace orrery
