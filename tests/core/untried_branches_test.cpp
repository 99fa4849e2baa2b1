// Branches of core that no other test takes: what a count of branches taken shows, as drawn edits do.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/linear_attention.h"
#include "core/attention/softmax_attention.h"
#include "core/encodings/alibi.h"
#include "core/encodings/axis_layout.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/cope.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/kerple.h"
#include "core/encodings/path.h"
#include "core/encodings/pope.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/rope.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/sandwich.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/xpos.h"
#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
double difference_of_ways(const Encoding& encoding, Position first, Index tokens) {
  Random random(3, "both ways of a branch");
  const Positions at = consecutive_positions(tokens, first);
  const Matrix<T> q = normal_matrix<T>(random, tokens, 8), k = normal_matrix<T>(random, tokens, 8),
                  v = normal_matrix<T>(random, tokens, 8);
  const auto doors = SoftmaxDoors<T>::of(encoding);
  const Mask mask = Mask::causal(at, at);
  return largest_difference(softmax_attention<T>({q, k, v, at, at}, doors, mask).output,
                            attention_output<T>({q, k, v, at, at}, doors, mask).output);
}

/// Of the encoding of that name with its defaults and one table replaced.
std::unique_ptr<Encoding> made_with(const std::string& name, const std::string& table,
                                    const Matrix<double>& values) {
  const Tables tables{{table, values}};
  const ParamSet params = params_of({name, {}});
  return make_encoding<double>(
      name, {.d_model = 8, .d_head = 8, .heads = 2, .params = params, .tables = &tables});
}

Matrix<double> logits_of(const Encoding& encoding, const Matrix<double>& x) {
  const Positions at = consecutive_positions(x.rows());
  return softmax_attention<double>({x, x, x, at, at}, SoftmaxDoors<double>::of(encoding)).logits;
}

}  // namespace

TEST_CASE("A bias whose positions are rounded is that of the map without one, too") {
  const StageRounding rounding(Precision::bf16, {Stage::position});
  const Alibi<double> alibi(1, AlibiForm::symmetric, rounding);
  const Kerple<double> kerple(KerpleVariant::logarithmic, {{1.0}, {0.5}}, rounding);
  const Sandwich<double> sandwich({.channels = 8}, rounding);
  for (const Encoding* encoding :
       {static_cast<const Encoding*>(&alibi), static_cast<const Encoding*>(&kerple),
        static_cast<const Encoding*>(&sandwich)})
    CHECK(difference_of_ways<double>(*encoding, 700, 60) < 1e-13);  // bf16 has every fourth there
}

TEST_CASE("Linear attention reads values within a wider matrix as it reads their copy") {
  constexpr Index tokens = 500, channels = 64;
  const Positions at = consecutive_positions(tokens);
  Random random(8, "values in a wider matrix");
  const Matrix<float> x = normal_matrix<float>(random, tokens, 8);
  const Matrix<float> finite = normal_matrix<float>(random, tokens, channels + 5);
  for (const auto& [row, last] : {std::pair{tokens - 1, 0.5F},
                                  {tokens - 1, 1e35F},
                                  {Index{0}, 1e35F},
                                  {Index{0}, std::numeric_limits<float>::quiet_NaN()},
                                  {tokens - 1, std::numeric_limits<float>::quiet_NaN()}}) {
    Matrix<float> wide = finite;
    wide(row, channels - 1) = last;
    const Matrix<float> copy = wide.leftCols(channels);
    for (const bool causal : {false, true}) {
      const auto attend = [&](const MatrixIn<float>& v) {
        return linear_attention<float>({x, x, v, at, at}, EluPlusOne<float>(), nullptr,
                                       {.causal = causal})
            .output;
      };
      const Matrix<float> of_wide = attend(wide.leftCols(channels)), of_copy = attend(copy);
      for (Index i = 0; i < of_copy.size(); ++i) {
        const float a = of_wide.data()[i], b = of_copy.data()[i];
        if (a != b && !(std::isnan(a) && std::isnan(b))) FAIL(a << " for " << b << " at " << i);
      }
      CHECK(std::isnan(of_wide(tokens - 1, channels - 1)) == std::isnan(last));
      CHECK(std::isfinite(of_wide(0, 0)));
    }
  }
}

TEST_CASE("Sinusoids in fp64 have the bits of the exact angle") {
  const Positions at{0, 1, 3, 1000, 123457, (Position{1} << 40) + 1};
  const Sinusoidal<double> sinusoids(16);
  Matrix<double> p = Matrix<double>::Zero(static_cast<Index>(at.size()), 16);
  sinusoids.add_to_input(at, p);
  const std::vector<double> theta = inverse_frequencies(16, 10000);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const CosSin exact = rotation_at(at[i], theta[t]);
      const auto row = static_cast<Index>(i), column = static_cast<Index>(2 * t);
      CHECK(p(row, column) == exact.sin);
      CHECK(p(row, column + 1) == exact.cos);
    }
}

TEST_CASE("A position that overflowed its format turns to NaN, not to a number") {
  const StageRounding rounding(Precision::fp16, {Stage::position});  // up to 65504
  const Rope<float> rope({.d_head = 8}, {.rounding = rounding});
  Matrix<float> x = Matrix<float>::Ones(2, 8);
  rope.transform_queries(Positions{65504, 70000}, x);
  CHECK(x.row(0).allFinite());
  CHECK(x.row(1).array().isNaN().all());
}

TEST_CASE("NaN contents give NaN logits where gates read them, and no others") {
  Matrix<double> x = Matrix<double>::Constant(5, 8, 0.25);
  x(3, 2) = not_a_number;
  for (const char* name : {"cope", "fox", "grape_additive", "path"}) {
    INFO(name);
    const Matrix<double> logits = logits_of(*make_case<double>({name, {}}, 8, 2), x);
    CHECK(std::isnan(logits(3, 3)));
    CHECK(std::isnan(logits(3, 0)));
    CHECK(std::isfinite(logits(1, 0)));
  }
}

TEST_CASE("A NaN between a query and a key is in their logit, where gates count keys") {
  const Matrix<double> q = Matrix<double>::Constant(5, 8, 0.25);
  Matrix<double> k = q;
  k(3, 2) = not_a_number;
  const Positions at = consecutive_positions(5);
  for (const char* name : {"cope", "fox", "path"}) {
    INFO(name);
    const auto encoding = make_case<double>({name, {}}, 8, 2);
    const auto logits =
        softmax_attention<double>({q, k, q, at, at}, SoftmaxDoors<double>::of(*encoding)).logits;
    CHECK(std::isnan(logits(4, 0)));
    CHECK(std::isfinite(logits(2, 0)));
  }
}

TEST_CASE("A table of NaN passes, and a vector of zeros has no direction") {
  Matrix<double> phases = Matrix<double>::Constant(2, 8, -1.0);
  phases(0, 1) = not_a_number;
  const Matrix<double> x = Matrix<double>::Constant(3, 8, 0.25);
  CHECK(logits_of(*made_with("pope", "pope.phases", phases), x).array().isNaN().all());
  const Matrix<double> zeros = Matrix<double>::Zero(2, 8);
  CHECK(logits_of(*made_with("grape_additive", "grape_additive.key", zeros), x).allFinite());
}

TEST_CASE("Numbers that no formula has are refused") {
  CHECK_THROWS_WITH(Fire<double>({.c = infinity}, {}), Contains("fire.c=inf"));
  CHECK_THROWS_WITH(Fire<double>({.threshold = infinity}, {}), Contains("fire.threshold=inf"));
  CHECK_THROWS_WITH(Kerple<double>(KerpleVariant::power, {{infinity}, {1.0}}),
                    Contains("kerple.r1=inf"));
  CHECK_THROWS_WITH(Kerple<double>(KerpleVariant::power, {{1.0}, {not_a_number}}),
                    Contains("kerple.r2=nan"));
  CHECK_THROWS_WITH(Xpos<double>({.d_head = 8, .gamma = infinity}), Contains("xpos.gamma=inf"));
  CHECK_THROWS_WITH(Xpos<double>({.d_head = 8, .scale_base = not_a_number}),
                    Contains("xpos.scale_base=nan"));
  for (const double factor : {infinity, not_a_number, 0.5})
    CHECK_THROWS_WITH(
        scaled_frequencies(4, 1e4, {.kind = RopeScalingKind::linear, .factor = factor},
                           Precision::fp64),
        Contains("rope.factor="));
  CHECK_THROWS_WITH(
      scaled_frequencies(
          4, 1e4, {.kind = RopeScalingKind::dynamic_ntk, .factor = 2, .original_length = infinity},
          Precision::fp64),
      Contains("rope.original_length=inf"));
  CHECK_THROWS_WITH(completed({.d_head = 16, .begin = -2, .rotary_dims = 8}),
                    Contains("rotary_dims=8"));
  CHECK_THROWS_WITH(
      completed({.d_head = 7, .rotary_dims = 2, .partial = RopePartial::proportional}),
      Contains("d_head=7"));
  CHECK_THROWS_WITH(completed({.d_head = 7}), Contains("d_head=7"));
  CHECK_THROWS_WITH(Sinusoidal<double>(0), Contains("d=0"));
  CHECK_THROWS_AS(Xpos<double>({.d_head = 8, .centre = 2 * max_position}), UsageError);
}

TEST_CASE("An encoding made for other channels refuses q and k, each by itself") {
  Random random(4, "other channels");
  const Matrix<double> eight = normal_matrix<double>(random, 3, 8),
                       six = normal_matrix<double>(random, 3, 6);
  const Positions at = consecutive_positions(3);
  for (const char* name : {"grape_additive", "path", "pope", "transformer_xl", "shaw"}) {
    INFO(name);
    const auto encoding = make_case<double>({name, {}}, 8, 2);
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    CHECK_NOTHROW(attention_output<double>({eight, eight, eight, at, at}, doors));
    CHECK_THROWS_AS(softmax_attention<double>({eight, six, eight, at, at}, doors), UsageError);
    CHECK_THROWS_AS(softmax_attention<double>({six, eight, eight, at, at}, doors), UsageError);
    CHECK_THROWS_AS(softmax_attention<double>({six, six, six, at, at}, doors), UsageError);
    CHECK_THROWS_AS(attention_output<double>({six, six, six, at, at}, doors), UsageError);
  }
  const AxisRope<double> axes({.d_head = 8, .sections = {2, 1, 1}}, {});
  Matrix<double> x = eight;
  CHECK_NOTHROW(axes.rotate(AxisPositions::Zero(3, 3), x));
  CHECK_THROWS_WITH(axes.rotate(AxisPositions::Zero(2, 3), x), Contains("positions [2, 3]"));
  CHECK_THROWS_WITH(axes.rotate(AxisPositions::Zero(3, 2), x), Contains("positions [3, 2]"));
}

TEST_CASE("Positions too far on either side of xPos's centre are refused") {
  const Xpos<double> xpos({.d_head = 8, .centre = 1000000});
  Matrix<double> x = Matrix<double>::Ones(1, 8);
  for (const Position far : {Position{-2000000000}, Position{2000000000}})
    CHECK_THROWS_WITH(xpos.transform_queries(Positions{far}, x), Contains("xpos.centre=1000000"));
  CHECK_NOTHROW(xpos.transform_queries(Positions{1000000}, x));
}

TEST_CASE("LongRoPE attends as it did where nothing is stretched") {
  CHECK(attention_factor({.kind = RopeScalingKind::longrope, .factor = 1.0}) == 1.0);
  CHECK(attention_factor(
            {.kind = RopeScalingKind::longrope, .factor = 4.0, .original_length = 4096}) ==
        Approx(std::sqrt(1 + 2.0 / 12)));
}

TEST_CASE("Without sections of axes frequencies are those of all pairs") {
  const std::vector<double> plain = frequencies_of(completed({.d_head = 16}), Precision::fp64);
  for (const AxisDesign design : {AxisDesign::axial, AxisDesign::time_still})
    CHECK(frequencies_of(completed({.d_head = 16, .design = design}), Precision::fp64) == plain);
  CHECK(axes_of_pairs(AxisDesign::time_last, {}).empty());
  CHECK(axes_of_pairs(AxisDesign::time_last, {2, 1, 2}) == std::vector<std::size_t>{1, 2, 2, 0, 0});
}

TEST_CASE("Terms of a shape of their own are refused, and so is none at all") {
  struct Wrong final : Encoding, ScoreTerms<double> {
    explicit Wrong(std::vector<std::pair<Index, Index>> given) : shapes(std::move(given)) {}
    EncodingTraits traits() const override { return {.relative = true}; }
    std::vector<ScoreTerm<double>> score_terms(const ScoreInputs<double>&) const override {
      std::vector<ScoreTerm<double>> terms;
      for (const auto& [rows, columns] : shapes)
        terms.push_back({"mine", Matrix<double>::Ones(rows, columns)});
      return terms;
    }
    void add_score_gradients(const ScoreInputs<double>&, const MatrixIn<double>&,
                             const ScoreGradients<double>&) const override {}
    std::vector<std::pair<Index, Index>> shapes;
  };
  const Matrix<double> q = Matrix<double>::Ones(2, 4), k = Matrix<double>::Ones(3, 4);
  const Positions m = consecutive_positions(2), n = consecutive_positions(3);
  const auto attend = [&](const Wrong& encoding) {
    return softmax_attention<double>({q, k, k, m, n}, SoftmaxDoors<double>::of(encoding));
  };
  CHECK_NOTHROW(attend(Wrong({{2, 3}, {2, 3}})));
  CHECK_THROWS_WITH(attend(Wrong({{2, 3}, {3, 2}})),
                    Contains("the term mine of [3, 2]: must be [queries, keys] = [2, 3]"));
  CHECK_THROWS_WITH(attend(Wrong({{2, 4}})), Contains("the term mine of [2, 4]"));
  CHECK_THROWS_WITH(attend(Wrong({})), Contains("without terms"));
}
