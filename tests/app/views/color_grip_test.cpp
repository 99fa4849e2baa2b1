#include "app/views/figures.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

/// A bar of 100 pixels over 0 … 10.
FigureLayout bar_frame() {
  FigureLayout frame;
  frame.color_bar = {0, 0, 10, 100};
  frame.color = {.data = {0, 10}, .at_min = 100, .at_max = 0};
  return frame;
}

TEST_CASE("The ends of a colour bar are held near them, both between") {
  const FigureLayout frame = bar_frame();
  CHECK(color_grip_at(frame, Meaning::sequential, {5, 5}) == ColorGrip::high);
  CHECK(color_grip_at(frame, Meaning::sequential, {5, 50}) == ColorGrip::both);
  CHECK(color_grip_at(frame, Meaning::sequential, {5, 95}) == ColorGrip::low);
  CHECK(color_grip_at(frame, Meaning::diverging, {5, 45}) == ColorGrip::high);
  CHECK(color_grip_at(frame, Meaning::cyclic, {5, 5}) == ColorGrip::none);
  CHECK(color_grip_at(frame, Meaning::sequential, {15, 5}) == ColorGrip::none);
}

TEST_CASE("An end lands where it is dropped") {
  const AxisMap axis = bar_frame().color;
  CHECK(dragged_color(axis, ColorGrip::high, Meaning::sequential, 0, 40) == Range{0, 6});
  CHECK(dragged_color(axis, ColorGrip::low, Meaning::sequential, 100, 80) == Range{2, 10});
  CHECK(dragged_color(axis, ColorGrip::both, Meaning::sequential, 50, 40) == Range{1, 11});
  CHECK(dragged_color(axis, ColorGrip::high, Meaning::diverging, 0, 40) == Range{-6, 6});
}

TEST_CASE("An end cannot be dragged past the other") {
  const AxisMap axis = bar_frame().color;
  CHECK_FALSE(dragged_color(axis, ColorGrip::high, Meaning::sequential, 0, 120));
  CHECK_FALSE(dragged_color(axis, ColorGrip::low, Meaning::sequential, 100, -5));
  CHECK_FALSE(dragged_color(axis, ColorGrip::high, Meaning::diverging, 0, 120));
}

}  // namespace
}  // namespace orrery
