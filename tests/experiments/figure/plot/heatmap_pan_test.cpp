#include <catch2/catch.hpp>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/draw_figure.h"
#include "experiments/figure/plot/figure_view.h"
#include "tests/support/recording_canvas.h"
#include "tests/support/sample_figures.h"

namespace orrery {
namespace {

/// Draws columns and rows [first, first + 40) and returns the image of the cells.
std::shared_ptr<const Image> drawn(const Figure& figure, double first, HeatmapCache& cache,
                                   double count = 40, double width = 600) {
  FigureView view;
  view.x = Range{first, first + count};
  view.y = view.x;
  test::RecordingCanvas canvas;
  draw_figure(canvas, figure, {0, 0, width, 500}, figure_style(Theme::light), view, &cache);
  return canvas.images.at(0);
}

TEST_CASE("A dragged map is drawn with its surroundings once and then only moved") {
  const Figure figure = test::signed_figure(200);
  HeatmapCache cache;
  const auto still = drawn(figure, 99.5, cache);
  CHECK(still->width == 40);
  const auto dragged = drawn(figure, 100.5, cache);
  CHECK(dragged->width == 80);
  const double before = cache.target.x;
  for (double first = 101.5; first < 115; first += 1.0)
    CHECK(drawn(figure, first, cache) == dragged);
  CHECK(cache.target.x < before);
  CHECK(drawn(figure, 140.5, cache) != dragged);
}

TEST_CASE("A dragged map keeps its size while its labels come to the edge and leave it") {
  const Figure figure = test::signed_figure(200);
  HeatmapCache cache;
  const double narrow = 400;  // its width decides the map's size
  drawn(figure, 60.5, cache, 40, narrow);
  const auto dragged = drawn(figure, 61.5, cache, 40, narrow);
  for (double first = 61.5; first < 79; first += 0.25)
    CHECK(drawn(figure, first, cache, 40, narrow) == dragged);
}

TEST_CASE("Only the visible part of a zoomed map is drawn") {
  const Figure figure = test::signed_figure(200);
  HeatmapCache cache;
  drawn(figure, 99.5, cache);
  CHECK(drawn(figure, 99.5, cache, 20)->width == 20);
}

TEST_CASE("Drawing a map with its surroundings does not change its colours") {
  const Figure figure = test::signed_figure(200);
  HeatmapCache dragged_cache, fresh_cache;
  drawn(figure, 99.5, dragged_cache);
  const auto dragged = drawn(figure, 100.5, dragged_cache);
  const auto fresh = drawn(figure, 100.5, fresh_cache);
  const auto column =
      static_cast<int>(fresh_cache.key.first_column - dragged_cache.key.first_column);
  const auto row = static_cast<int>(fresh_cache.key.first_row - dragged_cache.key.first_row);
  for (int y = 0; y < fresh->height; ++y)
    for (int x = 0; x < fresh->width; ++x)
      REQUIRE(
          fresh->pixels.at(static_cast<std::size_t>(y * fresh->width + x)) ==
          dragged->pixels.at(static_cast<std::size_t>((y + row) * dragged->width + x + column)));
}

}  // namespace
}  // namespace orrery
