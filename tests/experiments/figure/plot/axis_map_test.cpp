#include "experiments/figure/plot/axis_map.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace orrery;

namespace {
const AxisMap linear{AxisScale::linear, 1.0, {-3.0, 7.0}, 40.0, 640.0};
const AxisMap upward{AxisScale::log10, 1.0, {1e-16, 1e2}, 400.0, 10.0};
const AxisMap octaves{AxisScale::log2, 1.0, {1.0, 65536.0}, 0.0, 500.0};
const AxisMap both_signs{AxisScale::symlog, 1e-3, {-10.0, 1000.0}, 0.0, 500.0};
}  // namespace

TEST_CASE("An axis maps data to the canvas and back") {
  for (const AxisMap& axis : {linear, upward, octaves, both_signs}) {
    for (double part = 0.0; part <= 1.0; part += 0.0625) {
      const double at = axis.at_min + part * (axis.at_max - axis.at_min);
      CHECK(axis.to_canvas(axis.to_data(at)) == Approx(at).margin(1e-9));
    }
    CHECK(axis.to_canvas(axis.data.min) == Approx(axis.at_min));
    CHECK(axis.to_canvas(axis.data.max) == Approx(axis.at_max));
  }
}

TEST_CASE("A log axis gives every decade the same length") {
  const double first = upward.to_canvas(1e-10) - upward.to_canvas(1e-11);
  CHECK(upward.to_canvas(10.0) - upward.to_canvas(1.0) == Approx(first));
}

TEST_CASE("A log axis shows no value at or below zero") {
  for (const double value : {0.0, -0.0, -1.0, -std::numeric_limits<double>::infinity()}) {
    CHECK(std::isnan(upward.to_canvas(value)));
    CHECK(std::isnan(octaves.to_canvas(value)));
  }
}

TEST_CASE("A symlog axis is linear within its threshold, odd, and continuous there") {
  const auto f = [](double v) { return scale_forward(AxisScale::symlog, 2.0, v); };
  CHECK(f(1.0) == Approx(0.5));
  CHECK(f(-1.0) == Approx(-0.5));
  CHECK(f(2.0) == Approx(f(2.0 + 1e-12)));
  CHECK(f(20.0) == Approx(2.0));
}

TEST_CASE("Finite values have bounded coordinates, others have none") {
  const double huge = std::numeric_limits<double>::max();
  for (const double value : {huge, -huge, 1e-300}) {
    CHECK(std::abs(linear.to_canvas(value)) < 1e10);
  }
  CHECK(std::isnan(linear.to_canvas(std::numeric_limits<double>::infinity())));
  CHECK(std::isnan(linear.to_canvas(std::nan(""))));
}

TEST_CASE("An axis without extent maps every value to its middle") {
  const AxisMap point{AxisScale::linear, 1.0, {2.0, 2.0}, 10.0, 30.0};
  CHECK(point.to_canvas(2.0) == 20.0);
}
