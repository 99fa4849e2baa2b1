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

ColorBarPlan bar_of(const Heatmap& map) {
  ColorBarPlan bar;
  scale_colors(map, {}, bar);
  return bar;
}

}  // namespace

TEST_CASE("Log colours go by the exponent; what is not above 0 is lowest") {
  const Heatmap map = map_of({1.0, 0.01, 0.0, std::nan("")}, ColorScaling::log);
  const auto places = scaled_values(map);
  CHECK((*places)[0] == 0.0);
  CHECK((*places)[1] == Approx(-2.0));
  CHECK((*places)[2] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan((*places)[3]));
  const ColorBarPlan bar = bar_of(map);
  CHECK(bar.range == Range{0.01, 1.0});
  CHECK(bar.scale == AxisScale::log10);
}

TEST_CASE("Log colours end six decades below the largest") {
  const ColorBarPlan bar = bar_of(map_of({1.0, 1e-300}, ColorScaling::log));
  CHECK(bar.range.min == Approx(1e-6));
}

TEST_CASE("Quantile colours go by rank; equal numbers share theirs, masked ones have none") {
  Heatmap map = map_of({5.0, 1.0, 1.0, 100.0, 7.0}, ColorScaling::quantile);
  const auto places = scaled_values(map);
  CHECK((*places)[0] == Approx(0.5));
  CHECK((*places)[1] == Approx(0.125));
  CHECK((*places)[2] == Approx(0.125));
  CHECK((*places)[3] == 1.0);
  const ColorBarPlan bar = bar_of(map);
  CHECK(bar.ticks.front().second == "1");
  CHECK(bar.ticks.back().second == "100");
  map.masked = std::make_shared<const Array>(
      Array{.name = "m", .shape = {1, 5}, .values = std::vector<double>{0, 0, 0, 1, 0}});
  CHECK(bar_of(map).ticks.back().second == "7");
}
