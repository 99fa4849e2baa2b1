#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "experiments/figure/plot/draw_figure.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

using test::RecordingCanvas;

constexpr Rect area{0.0, 0.0, 640.0, 440.0};

Series sampled(std::string name, double (*y)(double), std::string ghost = {}) {
  Series series{.name = std::move(name), .ghost = std::move(ghost)};
  for (double x = 0; x <= 100; ++x) {
    series.x.push_back(x);
    series.y.push_back(y(x));
  }
  return series;
}

FigureLayout drawn(RecordingCanvas& canvas, std::vector<Series> series,
                   const FigureView& view = {}) {
  const Figure figure{.id = "curves", .content = LinePlot{.series = std::move(series)}};
  return draw_figure(canvas, figure, area, figure_style(Theme::light), view);
}

std::vector<std::string> names(const std::vector<FigureLayout::LegendEntry>& entries) {
  std::vector<std::string> all;
  for (const auto& entry : entries) all.push_back(entry.series);
  return all;
}

/// The distance from a box to the nearest point of a curve.
double distance_to(const Series& series, const FigureLayout& frame, const Rect& box) {
  double least = 1e9;
  for (std::size_t i = 0; i + 1 < series.x.size(); ++i)
    for (double part = 0; part < 1; part += 0.02) {
      const double x = frame.x.to_canvas(series.x[i] + part * (series.x[i + 1] - series.x[i]));
      const double y = frame.y.to_canvas(series.y[i] + part * (series.y[i + 1] - series.y[i]));
      const double dx = std::max({box.x - x, 0.0, x - box.right()});
      const double dy = std::max({box.y - y, 0.0, y - box.bottom()});
      least = std::min(least, std::hypot(dx, dy));
    }
  return least;
}

using Names = std::vector<std::string>;

TEST_CASE("A ghost is named beside its line, nearer to it than to any other and covering none") {
  const Series own = sampled("RoPE", [](double x) { return 1 / (1 + x / 10); });
  const Series high = sampled(
      "base 500", [](double x) { return 1 / (1 + x / 40); }, "base 500");
  const Series low = sampled(
      "dim 64", [](double x) { return 0.5 / (1 + x / 10); }, "dim 64");
  RecordingCanvas canvas;
  const FigureLayout frame = drawn(canvas, {own, high, low});
  REQUIRE(names(frame.ghost_names) == Names{"base 500", "dim 64"});
  CHECK(names(frame.legend) == Names{"RoPE"});
  const Series* all[] = {&own, &high, &low};
  for (const auto& entry : frame.ghost_names) {
    INFO(entry.series);
    const double text = entry.box.height;
    for (const Series* series : all) {
      const double apart = distance_to(*series, frame, entry.box);
      if (series->name == entry.series)
        CHECK((apart > 0 && apart < text));
      else
        CHECK(apart > 0.5 * text);
    }
  }
}

TEST_CASE("A name between two curves would be of either: it goes to the other side") {
  const Series own = sampled("RoPE", [](double) { return 5.6; });
  const Series rising = sampled("T5", [](double x) { return x / 10; });
  const Series ghost = sampled(
      "run 1", [](double) { return 5.0; }, "run 1");
  RecordingCanvas canvas;
  const FigureLayout frame = drawn(canvas, {own, rising, ghost});
  REQUIRE(names(frame.ghost_names) == Names{"run 1"});
  const Rect box = frame.ghost_names[0].box;
  const double line = frame.y.to_canvas(5.0), other = frame.y.to_canvas(5.6);
  REQUIRE(line - other > box.height + 4);  // it would fit
  CHECK(box.y > line);
}

TEST_CASE("Ghosts among other curves are named in the legend, where lines tell them apart") {
  const auto wave = [](double x) { return std::sin(2 * x); };
  const auto other = [](double x) { return std::sin(2 * x + 1); };
  const auto third = [](double x) { return std::sin(2 * x + 2); };
  Series dashed = sampled("run 2", third, "run 2");
  dashed.style = LineStyle::dashed;
  RecordingCanvas canvas;
  const FigureLayout frame =
      drawn(canvas, {sampled("RoPE", wave), sampled("run 1", other, "run 1"), dashed});
  CHECK(names(frame.ghost_names) == Names{"run 1", "run 2"});
  // The legend's own rows can be clicked; a ghost is not hidden there.
  CHECK(names(frame.legend) == Names{"RoPE"});
  CHECK(frame.ghost_names[0].box.x == frame.legend[0].box.x);
}

TEST_CASE("One name serves all ghosts of a result that cannot be named each") {
  const auto wave = [](double x) { return std::sin(2 * x); };
  const auto other = [](double x) { return std::sin(2 * x + 1); };
  RecordingCanvas canvas;
  const FigureLayout frame =
      drawn(canvas, {sampled("RoPE", wave), sampled("RoPE · run 1", other, "run 1"),
                     sampled(
                         "T5 · run 1", [](double x) { return std::sin(2 * x + 2); }, "run 1")});
  CHECK(frame.ghost_names.size() == 1);
  const auto shows = [&](const char* words) {
    return std::any_of(canvas.texts.begin(), canvas.texts.end(),
                       [&](const auto& text) { return text.utf8 == words; });
  };
  CHECK(shows("run 1"));
  CHECK_FALSE(shows("T5 · run 1"));
}

TEST_CASE("What coincides with a curve is named beside it") {
  const auto flat = [](double) { return 1.0; };
  RecordingCanvas canvas;
  const FigureLayout frame =
      drawn(canvas, {sampled("RoPE", flat), sampled("n 1 = RoPE", flat, "n 1 = RoPE"),
                     sampled("T5", [](double x) { return x / 50; })});
  CHECK(names(frame.ghost_names) == Names{"n 1 = RoPE"});
  CHECK(frame.legend.size() == 2);
}

TEST_CASE("Ghosts are drawn first, in grey and thin, and count for the range") {
  const FigureStyle style = figure_style(Theme::light);
  const Series own = sampled("RoPE", [](double x) { return x / 100; });
  const Series ghost = sampled(
      "run 1", [](double x) { return x / 10; }, "run 1");
  RecordingCanvas canvas;
  const FigureLayout frame = drawn(canvas, {own, ghost});
  CHECK(frame.y.data.max >= 10);
  // The log has a line per stroke: its width, its colour and its points.
  const auto stroke = [](double width, Color c) {
    return fmt::format("line {:.2f} #{:02x}{:02x}{:02x}ff:", width, c.r, c.g, c.b);
  };
  const std::size_t grey = canvas.log().find(stroke(0.6 * style.line_width, style.ghost));
  const std::size_t colored = canvas.log().find(stroke(style.line_width, style.palette[0]));
  REQUIRE(grey != std::string::npos);
  REQUIRE(colored != std::string::npos);
  CHECK(grey < colored);
}

TEST_CASE("Names stay inside of a figure of any size, and none is drawn outside of the zoom") {
  const Series own = sampled("RoPE", [](double x) { return x; });
  const Series ghost = sampled(
      "max distance 100 · base 500", [](double x) { return 2 * x; }, "max distance 100 · base 500");
  for (const double side : {1.0, 20.0, 60.0, 120.0, 300.0}) {
    RecordingCanvas canvas;
    const Figure figure{.id = "curves", .content = LinePlot{.series = {own, ghost}}};
    const FigureLayout frame =
        draw_figure(canvas, figure, {0, 0, side, side}, figure_style(Theme::dark));
    for (const auto& entry : frame.ghost_names) {
      CHECK(entry.box.x >= 0);
      CHECK(entry.box.right() <= side);
    }
  }
  RecordingCanvas canvas;
  const FigureLayout zoomed = drawn(canvas, {own, ghost}, {.y = Range{-9, -5}});
  CHECK(zoomed.ghost_names.empty());
}

}  // namespace
}  // namespace orrery
