// What drawn edits of core showed that no test looked at: see tests/mutation/README.md.
#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "core/attention/linear_attention.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/rope.h"
#include "core/errors.h"
#include "core/random.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("Rounded, positions equal on all axes turn as RoPE does, in part of the channels too") {
  const StageRounding rounding(Precision::bf16, {Stage::cos_sin, Stage::rotated_qk});
  for (const Index turning : {16, 8}) {
    const AxisRope<float> axes({.d_head = 16,
                                .sections = {turning / 4, turning / 8, turning / 8},
                                .rotary_dims = turning,
                                .rounding = rounding});
    RopeConfig config{.d_head = 16, .rotary_dims = turning, .rounding = rounding};
    config.pairing = axes.config().pairing;
    const Rope<float> rope(config);
    Random random(5, "rounded axes");
    const Matrix<float> x = normal_matrix<float>(random, 4, 16);
    const Positions at{0, 3, 77, 4097};
    AxisPositions everywhere(4, 3);
    for (Index i = 0; i < 4; ++i) everywhere.row(i).setConstant(at[static_cast<std::size_t>(i)]);
    Matrix<float> turned = x, expected = x;
    axes.rotate(everywhere, turned);
    rope.transform_queries(at, expected);
    CHECK(turned == expected);
    CHECK(turned != x);
  }
}

TEST_CASE("Values too small for products in fp32 are summed in fp64 in a view of them too") {
  constexpr Index tokens = 40, channels = 64;
  const Positions at = consecutive_positions(tokens);
  const Matrix<float> x = Matrix<float>::Constant(tokens, 8, 1e-9F);
  const Matrix<float> wide = Matrix<float>::Constant(tokens, channels + 3, 1e-35F);
  const auto out = linear_attention<float>({x, x, wide.leftCols(channels), at, at}, Relu<float>(),
                                           nullptr, {.causal = true});
  // Equal values: whatever weighs them, they are the output.
  for (Index i = 0; i < out.output.size(); ++i)
    CHECK(out.output.data()[i] == Approx(1e-35F).epsilon(1e-6));
}

TEST_CASE("A part of a head that is an odd number of channels is refused") {
  ParamSet params(Rope<double>::info().params);
  params.set("rope.fraction", "0.1875");
  CHECK_THROWS_WITH(Rope<double>::make({.d_model = 16, .d_head = 16, .params = params}),
                    Contains("turns 3 channels"));
}
