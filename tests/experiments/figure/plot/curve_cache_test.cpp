#include "experiments/figure/plot/curve_cache.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>

#include "experiments/figure/plot/draw_figure.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

std::vector<double> counted(std::size_t n) {
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 0.0);
  return x;
}

/// A plot that owns its numbers, like a result.
std::shared_ptr<const Figure> figure_of(std::vector<double> x, std::vector<double> y,
                                        LineStyle style = LineStyle::solid) {
  LinePlot plot{.series = {{.name = "curve", .x = std::move(x), .y = std::move(y)}}};
  plot.series[0].style = style;
  plot.series[0].band_low = plot.series[0].y;
  plot.series[0].band_high = plot.series[0].y;
  for (double& value : plot.series[0].band_high) value += 1;
  return std::make_shared<const Figure>(Figure{.id = "f", .content = std::move(plot)});
}

FigureLayout drawn(test::RecordingCanvas& canvas, const Figure& figure, const FigureView& view,
                   CurveCache* cache) {
  return draw_figure(canvas, figure, {0, 0, 480, 320}, figure_style(Theme::light), view, nullptr,
                     cache);
}

/// Checks that after `frames` cached frames the drawing equals that of an uncached frame.
void check_same_as_uncached(const std::shared_ptr<const Figure>& figure, const FigureView& view,
                            CurveCache& cache, int frames = 2) {
  test::RecordingCanvas plain;
  drawn(plain, *figure, view, nullptr);
  for (int i = 0; i < frames; ++i) {
    test::RecordingCanvas cached;
    cache.begin_frame(figure);
    drawn(cached, *figure, view, &cache);
    cache.end_frame();
    CHECK(cached.log() == plain.log());
  }
}

}  // namespace

TEST_CASE("A cached plot draws the same as an uncached one, for any numbers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> gaps{nan, 1, nan, 2, 3, nan};
  for (const LineStyle style : {LineStyle::solid, LineStyle::points}) {
    for (const auto& figure : {figure_of({}, {}, style), figure_of({3}, {4}, style),
                               figure_of(counted(6), std::vector<double>(6, nan), style),
                               figure_of(counted(6), gaps, style), figure_of(gaps, gaps, style),
                               figure_of({5, 1, 4, 2}, {1, 2, 3, 4}, style)}) {
      CurveCache cache;
      check_same_as_uncached(figure, {}, cache);
      check_same_as_uncached(figure, {.x = Range{1, 3}}, cache);
      check_same_as_uncached(figure, {.y_scale = AxisScale::log10}, cache);
      check_same_as_uncached(figure, {.hidden = {"curve"}}, cache);
    }
  }
}

TEST_CASE("Numbers at a reused address are not mistaken for the old ones") {
  CurveCache cache;
  // The old numbers are freed at once, so that the allocator probably reuses their address.
  for (int version = 0; version < 20; ++version) {
    std::vector<double> y(4096);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = std::sin(1e-3 * static_cast<double>(i) * (1.0 + version));
    check_same_as_uncached(figure_of(counted(y.size()), std::move(y)), {}, cache);
  }
}

TEST_CASE("Without an owner nothing is cached") {
  CurveCache cache;
  LinePlot plot{.series = {{.name = "curve", .x = counted(100), .y = counted(100)}}};
  Figure figure{.id = "f", .content = plot};
  for (double& y : std::get<LinePlot>(figure.content).series[0].y) {
    y = -y;  // in place, so that the address stays the same
    test::RecordingCanvas cached, plain;
    cache.begin_frame(nullptr);
    drawn(cached, figure, {}, &cache);
    cache.end_frame();
    drawn(plain, figure, {}, nullptr);
    REQUIRE(cached.log() == plain.log());
  }
}

TEST_CASE("Values used in the previous frame are cached, others are computed again") {
  CurveCache cache;
  const auto owner = std::make_shared<const int>(0);
  const std::vector<double> numbers{1, 2, 3};
  int made = 0;
  const auto ask = [&](AxisScale scale) {
    cache.begin_frame(owner);
    cache.extent({array_key(numbers), scale}, [&] { return Range{0.0, double(++made)}; });
    cache.end_frame();
  };
  ask(AxisScale::linear);
  ask(AxisScale::linear);
  ask(AxisScale::linear);
  CHECK(made == 1);
  ask(AxisScale::log10);
  CHECK(made == 2);
  ask(AxisScale::linear);
  CHECK(made == 3);
}

TEST_CASE("A curve of 10^7 points is traversed once, in any order of its points") {
  constexpr std::size_t n = 10'000'000;
  std::vector<double> x = counted(n), y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = std::sin(1e-5 * static_cast<double>(i));
  SECTION("sorted") {}
  SECTION("unsorted") { std::reverse(x.begin() + n / 2, x.end()); }
  LinePlot plot{.series = {{.name = "curve", .x = std::move(x), .y = std::move(y)}}};
  const bool sorted = std::is_sorted(plot.series[0].x.begin(), plot.series[0].x.end());
  const auto figure = std::make_shared<const Figure>(Figure{.id = "f", .content = std::move(plot)});
  CurveCache cache;
  test::RecordingCanvas first, second;
  const std::clock_t start = std::clock();
  cache.begin_frame(figure);
  const FigureLayout frame = drawn(first, *figure, {}, &cache);
  cache.end_frame();
  const std::clock_t after_first = std::clock();
  REQUIRE(frame.curves.size() == 1);
  CHECK(frame.curves[0].sorted == sorted);
  CHECK(frame.curves[0].x.max == static_cast<double>(n - 1));
  cache.begin_frame(figure);
  drawn(second, *figure, {}, &cache);
  cache.end_frame();
  CHECK(first.log() == second.log());
  CHECK(10 * (std::clock() - after_first) < after_first - start);
}

}  // namespace orrery
