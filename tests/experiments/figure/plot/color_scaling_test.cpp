#include "experiments/figure/plot/color_bar.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>

using namespace orrery;

namespace {

Heatmap map_of(std::vector<double> values, ColorScaling colors) {
  const std::size_t count = values.size();
  return {.values = std::make_shared<const Array>(
              Array{.name = "w", .shape = {1, count}, .values = std::move(values)}),
          .colors = colors};
}

}  // namespace

TEST_CASE("Log colours go by the exponent; what is not above 0 is lowest") {
  const Heatmap map = map_of({1.0, 0.01, 0.0, std::nan("")}, ColorScaling::log);
  const auto places = scaled_values(map);
  CHECK((*places)[0] == 0.0);
  CHECK((*places)[1] == Approx(-2.0));
  CHECK((*places)[2] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan((*places)[3]));
  const auto colors = scaled_colors(map, {});
  CHECK(colors.bar == Range{0.01, 1.0});
  CHECK(colors.scale == AxisScale::log10);
}

TEST_CASE("Log colours end six decades below the largest") {
  const auto colors = scaled_colors(map_of({1.0, 1e-300}, ColorScaling::log), {});
  CHECK(colors.bar.min == Approx(1e-6));
}

TEST_CASE("Quantile colours go by rank; equal numbers share theirs, masked ones have none") {
  Heatmap map = map_of({5.0, 1.0, 1.0, 100.0, 7.0}, ColorScaling::quantile);
  const auto places = scaled_values(map);
  CHECK((*places)[0] == Approx(0.5));
  CHECK((*places)[1] == Approx(0.125));
  CHECK((*places)[2] == Approx(0.125));
  CHECK((*places)[3] == 1.0);
  const auto colors = scaled_colors(map, {});
  CHECK(colors.ticks.front().second == "1");
  CHECK(colors.ticks.back().second == "100");
  map.masked = std::make_shared<const Array>(
      Array{.name = "m", .shape = {1, 5}, .values = std::vector<double>{0, 0, 0, 1, 0}});
  CHECK(scaled_colors(map, {}).ticks.back().second == "7");
}
