#include "experiments/figure/script.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("Text that runs to the right is left as it is") {
  CHECK(in_visual_order("m − n, θ_t, 位置") == "m − n, θ_t, 位置");
  CHECK(in_visual_order("") == "");
}

TEST_CASE("Hebrew runs to the left, numbers within it to the right") {
  CHECK(in_visual_order("אבג") == "גבא");
  CHECK(in_visual_order("אב 12") == "12 בא");
}

TEST_CASE("Arabic letters take their joined forms") {
  // beh, beh: initial form at the right, final form at the left.
  CHECK(in_visual_order("بب") == "\uFE90\uFE91");
}
