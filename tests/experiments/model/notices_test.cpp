#include "experiments/model/notices.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("Of a caption its notices are left, whichever way they stand in it") {
  CHECK(notices_in("contents: random; no trained model · first 32 of 256 tokens · d = 64") ==
        "no trained model · first 32 of 256 tokens");
  CHECK(notices_in("assuming that every head attends uniformly · d = 64") ==
        "assuming that every head attends uniformly");
  CHECK(notices_in("no trained model") == "no trained model");
  CHECK(notices_in("").empty());
  CHECK(notices_in("first 64 tokens · mean of 4 draws; not a trained model").empty());
}

TEST_CASE("What was cut is counted, or said to be more than was counted") {
  CHECK(cut_notice(32, 256) == "first 32 of 256 tokens");
  CHECK(cut_notice(32, 256, true) == "first 32 of more than 256 tokens");
  CHECK(notices_in(cut_notice(1, 2, true)) == cut_notice(1, 2, true));
}
