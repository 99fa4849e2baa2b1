// The least that each number may be, and what is just below it: what edits of a bound change.
#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "core/attention/feature_map.h"
#include "core/attention/mask.h"
#include "core/attention/multi_head.h"
#include "core/attention/weight_rules.h"
#include "core/encodings/alibi.h"
#include "core/encodings/fire.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/kerple.h"
#include "core/encodings/learned.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/encodings/sandwich.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/xpos.h"
#include "core/errors.h"
#include "tests/support/catalogue_cases.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Matrix<double> ones(Index rows, Index columns) { return Matrix<double>::Ones(rows, columns); }

}  // namespace

TEST_CASE("A cap below 1 caps, and so does its derivative") {
  for (const double cap : {0.25, 1.0, 3.0}) {
    Matrix<double> logits{{0.0, 0.1, -0.2, 50.0}}, d = ones(1, 4);
    const Matrix<double> given = logits;
    cap_logits(cap, logits);
    pull_cap_back(cap, logits, d);
    for (Index i = 0; i < 4; ++i) {
      CHECK(logits(0, i) == Approx(cap * std::tanh(given(0, i) / cap)).margin(1e-15));
      const double cosh = std::cosh(given(0, i) / cap);
      CHECK(d(0, i) == Approx(1 / (cosh * cosh)).margin(1e-15));
    }
  }
  Matrix<double> as_they_are{{-7.0, 9.0}};
  cap_logits(0.0, as_they_are);
  CHECK(as_they_are == Matrix<double>{{-7.0, 9.0}});
}

TEST_CASE("Numbers of attention: the least that is taken, and what is refused") {
  const Positions at{0, 1, 2};
  const Mask self = Mask::sliding_window(at, at, 1);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) CHECK(self.allows(i, j) == (i == j));
  CHECK_THROWS_WITH(Mask::sliding_window(at, at, 0), Contains("window width 0"));
  CHECK_NOTHROW(Favor<double>::orthogonal(1, 1, 1));
  CHECK_THROWS_WITH(Favor<double>::orthogonal(1, 0, 1), Contains("features=0"));
  CHECK_THROWS_WITH(Favor<double>::orthogonal(1, 1, 0), Contains("d=0"));
}

TEST_CASE("Numbers of biases: the least that is taken, and what is refused") {
  CHECK(alibi_slopes(1, 0.5) == std::vector<double>{std::exp2(-0.5)});
  CHECK_THROWS_WITH(alibi_slopes(0), Contains("heads=0"));
  CHECK_THROWS_WITH(alibi_slopes(1, 0.0), Contains("bias_max=0"));
  CHECK_NOTHROW(
      Fire<double>({.c = 1e-3, .threshold = 1}, {ones(1, 2), ones(1, 2), ones(2, 1), ones(1, 1)}));
  CHECK_THROWS_WITH(Fire<double>({.c = 0}, {}), Contains("fire.c=0"));
  CHECK_THROWS_WITH(Fire<double>({.threshold = 0.875}, {}), Contains("fire.threshold=0.875"));
  CHECK_NOTHROW(Kerple<double>(KerpleVariant::logarithmic, {{0.25}, {0.25}}));
  CHECK_THROWS_WITH(Kerple<double>(KerpleVariant::logarithmic, {{0.0}, {0.25}}),
                    Contains("kerple.r1=0"));
  CHECK_NOTHROW(Sandwich<double>({.channels = 2, .heads = 1}));
  CHECK_THROWS_WITH(Sandwich<double>({.channels = 2, .heads = 0}), Contains("heads=0"));
  CHECK_NOTHROW(t5_bucket(3, {.buckets = 4, .max_distance = 2, .bidirectional = true}));
  CHECK_NOTHROW(t5_bucket(3, {.buckets = 2, .max_distance = 2, .bidirectional = false}));
  const auto with_buckets = [](const char* buckets, const char* bidirectional) {
    return make_case<double>({"t5", {{"t5.bidirectional", bidirectional}, {"t5.buckets", buckets}}},
                             8, 1);
  };
  CHECK_NOTHROW(with_buckets("4", "yes"));
  CHECK_THROWS_AS(with_buckets("2", "yes"), UsageError);
  CHECK_THROWS_AS(with_buckets("5", "yes"), UsageError);
}

TEST_CASE("Numbers of frequencies: the least that is taken, and what is refused") {
  CHECK(inverse_frequencies(2, 1.5) == std::vector<double>{1.0});
  CHECK_THROWS_WITH(inverse_frequencies(1, 1e4), Contains("use d=2 or d=4"));
  CHECK_THROWS_WITH(inverse_frequencies(3, 1e4), Contains("use d=2 or d=4"));
  CHECK_THROWS_WITH(inverse_frequencies(5, 1e4), Contains("use d=4 or d=6"));
  CHECK_THROWS_WITH(inverse_frequencies(2, 1.0), Contains("base=1"));
  const RopeScaling ntk{.kind = RopeScalingKind::ntk, .factor = 8};
  CHECK(scaled_frequencies(1, 1e4, ntk, Precision::fp64) == std::vector<double>{1.0});
  // base·8^(4/2) of two pairs: the slowest is divided by 8.
  const std::vector<double> two = scaled_frequencies(2, 1e4, ntk, Precision::fp64);
  CHECK(two.at(0) == 1.0);
  CHECK(two.at(1) == Approx(0.01 / 8).epsilon(1e-14));
  CHECK_NOTHROW(
      scaled_frequencies(2, 1e4, {.kind = RopeScalingKind::linear, .factor = 1}, Precision::fp64));
  CHECK_NOTHROW(Xpos<double>({.d_head = 2, .scale_base = 0.5, .gamma = 0.125}));
  const auto rope_of = [](const char* fraction) {
    ParamSet params(rope_params(false));
    params.set("rope.fraction", fraction);
    return rope_convention_of({.d_model = 8, .d_head = 8, .params = params}).rotary_dims;
  };
  CHECK(rope_of("0.25") == 2);
  CHECK_THROWS_WITH(rope_of("0.125"), Contains("turns 1 channels") && Contains("fraction=0.25"));
  CHECK_THROWS_WITH(rope_of("0.375"), Contains("turns 3 channels") && Contains("fraction=0.5"));
}

TEST_CASE("Positions of tables: the first, the last, and those beyond") {
  const Learned<double> learned(ones(3, 8));
  Matrix<double> x = ones(2, 8);
  CHECK_NOTHROW(learned.add_to_input(Positions{0, 2}, x));
  CHECK_THROWS_AS(learned.add_to_input(Positions{0, 3}, x), UsageError);
  CHECK_THROWS_AS(learned.add_to_input(Positions{-1, 0}, x), UsageError);
  const TransformerXl<double>::Weights weights{ones(1, 8), ones(1, 8), ones(8, 8)};
  CHECK_NOTHROW(TransformerXl<double>(weights, 1e4, {}, 0));
  CHECK_THROWS_WITH(TransformerXl<double>(weights, 1e4, {}, -1), Contains("clamp_len=-1"));
}
