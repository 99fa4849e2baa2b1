// Curves that hide each other are told apart, and only those.
#include "experiments/figure/plot/coincidence.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "experiments/figure/plot/draw_figure.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Series curve(const std::string& name, std::vector<double> y, int color) {
  Series series{.name = name, .y = std::move(y), .color = color};
  for (std::size_t i = 0; i < series.y.size(); ++i) series.x.push_back(static_cast<double>(i));
  return series;
}

/// What a plot of these curves draws, 500 x 300 points.
std::string drawn(std::vector<Series> curves, const FigureView& view = {}) {
  LinePlot plot;
  plot.series = std::move(curves);
  test::RecordingCanvas canvas;
  draw_figure(canvas, {"plot", "Title", "", plot}, {0, 0, 500, 300}, figure_style(Theme::light),
              view);
  return canvas.log();
}

bool has(const std::string& log, const std::string& words) {
  return log.find("\"" + words + "\"") != std::string::npos;
}

std::size_t count(const std::string& log, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1))
    ++found;
  return found;
}

TEST_CASE("A curve on an equal one is dashed over it, and its name says which") {
  const std::string log = drawn({curve("one", {1, 2, 4, 3}, 0), curve("two", {1, 2, 4, 3}, 1)});
  CHECK(has(log, "one"));
  CHECK(has(log, "two = one"));
  CHECK(count(log, " dashed") == 2);  // the curve and its sample
}

TEST_CASE("A third one is dotted") {
  const std::string log =
      drawn({curve("one", {1, 2, 4}, 0), curve("two", {1, 2, 4}, 1), curve("three", {1, 2, 4}, 2)});
  CHECK(has(log, "three = one"));
  CHECK(count(log, " dotted") == 2);
}

TEST_CASE("Only equal numbers are called equal") {
  CHECK(has(drawn({curve("one", {1, 2, 4}, 0), curve("two", {1, 2, 4.0001}, 1)}), "two ≈ one"));
  const std::string apart = drawn({curve("one", {1, 2, 4}, 0), curve("two", {1, 2, 3.5}, 1)});
  CHECK(has(apart, "two"));
  CHECK(count(apart, " dashed") == 0);
}

TEST_CASE("Gaps at the same places are equal, and a curve that ends earlier may be hidden too") {
  CHECK(
      has(drawn({curve("one", {1, nan, 2, 3}, 0), curve("two", {1, nan, 2, 3}, 1)}), "two = one"));
  CHECK(has(drawn({curve("one", {1, 2, 3, nan, nan}, 0), curve("two", {1, 2, 3, 4, 5}, 1)}),
            "two ≈ one"));
  CHECK_FALSE(has(drawn({curve("one", {nan, nan}, 0), curve("two", {nan, nan}, 1)}), "two = one"));
}

TEST_CASE("A hidden curve hides no other") {
  FigureView view;
  view.hidden = {"one"};
  const std::string log =
      drawn({curve("one", {1, 2, 4, 3}, 0), curve("two", {1, 2, 4, 3}, 1)}, view);
  CHECK(has(log, "two"));
  CHECK(count(log, " dashed") == 0);
}

}  // namespace
}  // namespace orrery
