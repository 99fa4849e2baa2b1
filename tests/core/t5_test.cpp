#include "core/encodings/t5.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("T5's buckets equal the reference, behind and at every causal edge") {
  const auto reference = golden("formulas.json").at("t5");
  for (const auto& [distance, bucket] :
       reference.at("bucket by distance behind, bidirectional").items())
    CHECK(t5_bucket(std::stol(distance), {}) == bucket.get<Index>());
  for (const auto& edge : reference.at("first distance and bucket, causal"))
    CHECK(t5_bucket(edge.at(0).get<Position>(), {.bidirectional = false}) ==
          edge.at(1).get<Index>());
}

TEST_CASE("Keys ahead have the upper half, whose first bucket is never used") {
  for (Position r = -2000; r < 0; ++r) CHECK(t5_bucket(r, {}) > 16);
  for (Position r = 0; r < 2000; ++r) CHECK(t5_bucket(r, {}) < 16);
  CHECK(t5_bucket(-1, {.bidirectional = false}) == 0);
}

TEST_CASE("By hand: 4 buckets, here and behind 0 and 1, ahead 2 and 3; logits without any √d") {
  // A side has 2 buckets, 1 of them exact: distance 0, and 1 or more.
  const T5<double> t5({.buckets = 4, .max_distance = 8}, matrix(4, 1, {10, 20, 30, 40}));
  const auto out =
      three_tokens(t5, matrix(1, 2, {1, 2}), matrix(1, 2, {3, 4}), matrix(1, 2, {0, 0}));
  CHECK(near(out.logits, matrix(3, 3, {21, 51, 51, 31, 21, 51, 31, 31, 21})));
}

TEST_CASE("The last bucket begins before max_distance, where its parameter says that it does") {
  const auto first_of_last = [](const T5Buckets& config) {
    const Index last = t5_bucket(Position{1} << 40, config);
    Position r = 0;
    while (t5_bucket(r, config) != last) ++r;
    return r;
  };
  CHECK(first_of_last({}) == 91);
  CHECK(first_of_last({.bidirectional = false}) == 113);
  for (const auto& config : std::vector<T5Buckets>{{},
                                                   {32, 128, false},
                                                   {64, 512, true},
                                                   {20, 300, true},
                                                   {8, 20, false},
                                                   {16, 1000, false}}) {
    const int side = config.bidirectional ? config.buckets / 2 : config.buckets;
    const double e = side / 2, w = side - side / 2;
    const double begins = e * std::pow(static_cast<double>(config.max_distance) / e, (w - 1) / w);
    CHECK(static_cast<double>(first_of_last(config)) == std::ceil(begins));
  }
  const auto params = T5<double>::info().params;
  CHECK_THAT(params.at(1).description, Contains(R"($⌈e·(\mathrm{max_distance}/e)^{(w − 1)/w}⌉$)"));
  CHECK_THAT(params.at(1).description, Contains("91 by default and 113 when causal"));
}

TEST_CASE("A distance that a small format rounds down stays among the logarithmic buckets") {
  // 257 is 256 in bf16, and ln(256/257)/ln(258/257) times 257 buckets is −258.
  const StageRounding bf16(Precision::bf16, {Stage::log, Stage::distance});
  const T5Buckets config{.buckets = 514, .max_distance = 258, .bidirectional = false};
  CHECK(t5_bucket(256, config, bf16) == 256);
  CHECK(t5_bucket(257, config, bf16) == 257);
  CHECK(t5_bucket(260, config, bf16) == 513);
}

TEST_CASE("T5 refuses bucket counts and tables that do not work") {
  CHECK_THROWS_WITH(t5_bucket(1, {.buckets = 2}), Contains("buckets=2"));
  CHECK_THROWS_WITH(t5_bucket(1, {.buckets = 7}), Contains("must be even"));
  CHECK_THROWS_WITH(t5_bucket(1, {.max_distance = 8}),
                    Contains("t5.max_distance=8 with t5.buckets=32: max_distance must exceed 8") &&
                        Contains("take t5.max_distance=9"));
  CHECK_THROWS_WITH(T5<double>({}, matrix(2, 1, {1, 2})), Contains("must have one a bucket, 32"));
}
