#include "experiments/figure/plot/ticks.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "experiments/text/number_text.h"

using namespace orrery;

namespace {

TickRoom room_of(const AxisMap& axis, double size = 10.0) {
  TickRoom room;
  room.spacing = 4.0 * size;
  room.gap = 0.5 * size;
  room.bounds = {std::min(axis.at_min, axis.at_max) - size,
                 std::max(axis.at_min, axis.at_max) + size};
  room.extent = [size](std::string_view label) {
    double characters = 0.0;
    for (const char c : label) characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    return 0.6 * size * characters;
  };
  return room;
}

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> found;
  for (const Tick& tick : ticks.major) found.push_back(tick.label);
  return found;
}

AxisMap axis(AxisScale scale, double min, double max, double length = 500.0) {
  return {scale, 1.0, {min, max}, 0.0, length};
}

std::vector<std::string> labels_of(AxisScale scale, double min, double max, double length = 500.0) {
  const AxisMap map = axis(scale, min, max, length);
  return labels(choose_ticks(map, room_of(map)));
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("Ticks step by 1, 2 or 5 and their labels show no rounding errors") {
  CHECK(labels_of(AxisScale::linear, 0.0, 0.5, 300.0) ==
        Labels{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(labels_of(AxisScale::linear, 0.0, 250.0) == Labels{"0", "50", "100", "150", "200", "250"});
  CHECK(labels_of(AxisScale::linear, 0.0, 1.0, 300.0) ==
        Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
}

TEST_CASE("Negative labels have a true minus sign, and zero has none") {
  CHECK(labels_of(AxisScale::linear, -1.0, 1.0, 200.0) ==
        Labels{"−1.0", "−0.5", "0.0", "0.5", "1.0"});
  CHECK(decimal_label(-0.0, 1) == "0.0");
  CHECK(decimal_label(-0.04, 1) == "0.0");
}

TEST_CASE("Very large and very small labels are powers of ten") {
  CHECK(labels_of(AxisScale::linear, 0.0, 2e7, 200.0) == Labels{"0", "1×10⁷", "2×10⁷"});
  CHECK(labels_of(AxisScale::linear, 0.0, 5e-6, 200.0) == Labels{"0", "2×10⁻⁶", "4×10⁻⁶"});
  CHECK(superscript(-16) == "⁻¹⁶");
  CHECK(scientific_label(-2.5e-6, 1) == "−2.5×10⁻⁶");
  CHECK(short_label(0.1 + 0.2) == "0.3");
  for (const double value : {std::nan(""), -HUGE_VAL}) {
    const std::string text = std::isnan(value) ? "NaN" : "−∞";
    CHECK(short_label(value) == text);
    CHECK(scientific_label(value, 1) == text);
    CHECK(decimal_label(value, 2) == text);
  }
}

TEST_CASE("A log10 axis has ticks at decades, a log2 axis at powers of two") {
  CHECK(labels_of(AxisScale::log10, 1e-16, 1e2, 400.0).front() == "10⁻¹⁶");
  CHECK(labels_of(AxisScale::log10, 1.0, 1000.0, 300.0) == Labels{"1", "10", "100", "1000"});
  CHECK(labels_of(AxisScale::log2, 1.0, 16.0) == Labels{"1", "2", "4", "8", "16"});
  CHECK(labels_of(AxisScale::log2, 1.0, 0x1p20).back() == "2²⁰");
}

TEST_CASE("A log axis of few decades has ticks between them") {
  CHECK(labels_of(AxisScale::log10, 1.0, 50.0, 500.0) == Labels{"1", "2", "5", "10", "20", "50"});
}

TEST_CASE("A symlog axis shows zero and both signs") {
  AxisMap map{AxisScale::symlog, 1.0, {-100.0, 100.0}, 0.0, 500.0};
  CHECK(labels(choose_ticks(map, room_of(map))) ==
        Labels{"−100", "−10", "−1", "0", "1", "10", "100"});
}

TEST_CASE("A symlog axis over less than a decade has numbers all the same") {
  const AxisMap map{AxisScale::symlog, 0.0625, {0.05, 0.08}, 0.0, 500.0};
  CHECK(choose_ticks(map, room_of(map)).major.size() >= 3);
}

TEST_CASE("A symlog axis of few decades has ticks between its powers") {
  const AxisMap map{AxisScale::symlog, 1.0, {-120.0, 0.0}, 0.0, 600.0};
  CHECK(labels(choose_ticks(map, room_of(map))) ==
        Labels{"−100", "−50", "−20", "−10", "−5", "−2", "−1", "0"});
}

TEST_CASE("A short symlog axis over many decades labels every few of them, and not 0 alone") {
  AxisMap map{AxisScale::symlog, 1e-17, {0.0, 10.0}, 0.0, 230.0};
  CHECK(labels(choose_ticks(map, room_of(map))) ==
        Labels{"0", "10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"});
}

TEST_CASE("Labels never overlap nor leave their bounds, at any size") {
  const std::vector<Range> ranges{{0.0, 1.0},    {-1e-9, 1e-9},  {1e6, 1e6 + 0.01}, {-1e12, 3e11},
                                  {0.1, 0.7},    {1e-20, 1e20},  {1.0, 3.0},        {5.0, 5.0},
                                  {1e-300, 1e9}, {-1e150, 1e150}};
  for (const AxisScale scale :
       {AxisScale::linear, AxisScale::log2, AxisScale::log10, AxisScale::symlog}) {
    for (const Range& range : ranges) {
      if (range.min <= 0.0 && (scale == AxisScale::log2 || scale == AxisScale::log10)) continue;
      for (const double length : {0.0, 1.0, 20.0, 77.0, 300.0, 1500.0}) {
        for (const double size : {6.0, 11.0, 33.0}) {
          const AxisMap map = axis(scale, range.min, range.max, length);
          const TickRoom room = room_of(map, size);
          double end = room.bounds.min;
          for (const Tick& tick : choose_ticks(map, room).major) {
            REQUIRE(std::isfinite(tick.at));
            if (tick.label.empty()) continue;
            const double half = 0.5 * room.extent(tick.label);
            REQUIRE(tick.label_at - half >= end - 1e-9);
            end = tick.label_at + half;
          }
          REQUIRE(end <= room.bounds.max + 1e-9);
        }
      }
    }
  }
}

TEST_CASE("Ticks of positions are integers") {
  const AxisMap map = axis(AxisScale::linear, -0.5, 2.5);
  TickRoom room = room_of(map);
  room.integers = true;
  CHECK(labels(choose_ticks(map, room)) == Labels{"0", "1", "2"});
}

TEST_CASE("Ticks of a full turn are multiples of π") {
  const AxisMap map = axis(AxisScale::linear, -std::numbers::pi, std::numbers::pi);
  CHECK(labels(choose_angle_ticks(map, room_of(map))) == Labels{"−π", "−π/2", "0", "π/2", "π"});
}

TEST_CASE("Where not all names fit, every second, third … has one, and the others a small tick") {
  std::vector<std::string> names;
  for (int i = 0; i < 24; ++i) names.push_back("word" + std::to_string(i));
  const AxisMap half = axis(AxisScale::linear, -0.5, 23.5, 200.0);
  const Ticks ticks = name_ticks(half, names, room_of(half));
  REQUIRE(ticks.major.size() >= 3);
  REQUIRE(ticks.major.size() < names.size());
  CHECK(ticks.major.size() + ticks.minor.size() == names.size());
  CHECK(ticks.major[0].label == "word0");
  const double step = ticks.major[1].value - ticks.major[0].value;
  for (std::size_t i = 1; i < ticks.major.size(); ++i)
    CHECK(ticks.major[i].value == step * static_cast<double>(i));
}

TEST_CASE("Names for which there is no room are left to numbers") {
  const std::vector<std::string> names{"the", "working", "model"};
  const AxisMap wide = axis(AxisScale::linear, -0.5, 2.5, 300.0);
  const AxisMap narrow = axis(AxisScale::linear, -0.5, 2.5, 40.0);
  CHECK(labels(name_ticks(wide, names, room_of(wide))) == names);
  CHECK(name_ticks(narrow, names, room_of(narrow)).major.empty());
}
