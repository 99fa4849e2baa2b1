// What drawn edits of core showed that no test looked at: see tests/mutation/README.md.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/head.h"
#include "core/attention/linear_attention.h"
#include "core/attention/logit_factors.h"
#include "core/attention/softmax_attention.h"
#include "core/attention/weight_rules.h"
#include "core/encodings/axis_layout.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/grape_multiplicative.h"
#include "core/encodings/path.h"
#include "core/encodings/pope.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/xpos.h"
#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("Rounded, positions equal on all axes turn as RoPE does, in part of the channels too") {
  const StageRounding rounding(Precision::bf16, {Stage::cos_sin, Stage::rotated_qk});
  for (const Index turning : {16, 8}) {
    const RopeConvention convention{.d_head = 16,
                                    .rotary_dims = turning,
                                    .pairing = RopePairing::half_split,
                                    .sections = {turning / 4, turning / 8, turning / 8}};
    const AxisRope<float> axes(convention, {.rounding = rounding});
    const Rope<float> rope(convention, {.rounding = rounding});
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

TEST_CASE("Scalable-Softmax counts the keys that a mask of flags leaves, query by query") {
  const LogitRule rule{LogitRuleKind::scalable_softmax, 1.0, 1.0, 0.0};
  const Positions at = consecutive_positions(6);
  const Mask mask = Mask::causal(at, at) & Mask::padding(6, {true, false, true, true, false, true});
  const std::vector<double> factors = logit_factors_of(rule, at, mask, 6);
  const int seen[] = {1, 1, 2, 3, 3, 4};
  for (std::size_t i = 0; i < 6; ++i) CHECK(factors[i] == Approx(std::log(seen[i])));
}

TEST_CASE("Equal channels do not deceive the bound of products that stands for the largest") {
  const Positions at = consecutive_positions(40);
  Matrix<float> q = Matrix<float>::Ones(40, 16), k = q;
  for (Index i = 0; i < 40; ++i) {
    q.row(i) *= static_cast<float>(20 + i);
    k.row(i) *= static_cast<float>(i % 7);
  }
  Random random(3, "values");
  const Matrix<float> v = normal_matrix<float>(random, 40, 5);
  const AttentionInputs<float> in{q, k, v, at, at};
  const auto map = softmax_attention<float>(in, {});
  const auto alone = attention_output<float>(in, {});
  CHECK(map.output.allFinite());
  CHECK(alone.output.allFinite());
  CHECK(test::largest_difference(map.output, alone.output) < 1e-5);
}

TEST_CASE("A bias of keys that a window hides does not stand for the largest logit") {
  const Positions at = consecutive_positions(40);
  Random random(4, "window");
  const Matrix<float> q = normal_matrix<float>(random, 40, 8),
                      k = normal_matrix<float>(random, 40, 8),
                      v = normal_matrix<float>(random, 40, 5);
  Matrix<float> table = Matrix<float>::Zero(8, 1);
  table.bottomRows(2).setConstant(300);  // from a distance of 5 on
  const T5<float> t5({.buckets = 8, .max_distance = 8, .bidirectional = false}, table);
  const Mask mask = Mask::causal(at, at) & Mask::sliding_window(at, at, 4);
  const AttentionInputs<float> in{q, k, v, at, at};
  const auto doors = SoftmaxDoors<float>::of(t5);
  const auto map = softmax_attention<float>(in, doors, mask);
  const auto alone = attention_output<float>(in, doors, mask);
  CHECK(map.logits(39, 0) > 250);
  CHECK(alone.output.allFinite());
  CHECK(test::largest_difference(map.output, alone.output) < 1e-5);
}

TEST_CASE("Distances that fp64 cannot count are none, whichever end they are at") {
  const Position most = max_position;
  CHECK(consecutive_distances(Positions{0}, Positions{most}));
  CHECK_FALSE(consecutive_distances(Positions{-1, 0}, Positions{most}));
  CHECK(consecutive_distances(Positions{most - 1, most}, Positions{0}));
  CHECK_FALSE(consecutive_distances(Positions{most - 1, most}, Positions{-1}));
  CHECK_FALSE(consecutive_distances(Positions{most, most + 1}, Positions{most}));
  CHECK_FALSE(consecutive_distances(Positions{most}, Positions{most, most + 1}));
}

TEST_CASE("No pairs of time are asked for by 0, and the design's by −1") {
  ParamSet params(axis_design_params());
  params.set("axis_rope.time_pairs", "0");
  CHECK(axis_sections_of(params, 16)[0] == 0);
  params.set("axis_rope.time_pairs", "-1");
  CHECK(axis_sections_of(params, 16)[0] > 0);
}

TEST_CASE("A convolution of one number in PaTH is one: with 0 no direction is left") {
  const Matrix<double> one = Matrix<double>::Ones(1, 1);
  const PathTables plain{one, one, one};
  PathTables silent = plain;
  silent.convolution = Matrix<double>::Zero(1, 1);
  const Matrix<double> x = Matrix<double>::Constant(3, 1, 0.7);
  const Positions at{0, 1, 2};
  const auto logits = [&](const PathTables& tables) {
    return attention_from_qkv<double>(Path<double>(tables), {x, x, x, at, at}).logits;
  };
  CHECK(logits(silent)(2, 0) == Approx(0.49));
  CHECK(logits(plain)(2, 0) != Approx(0.49));
}

TEST_CASE("xPos takes a centre with which position 0 alone has a length, and none below") {
  ParamSet params(Xpos<float>::info().params);
  const auto made = [&](Position centre) {
    params.set_value("xpos.centre", std::int64_t{centre});
    return Xpos<float>::make({.d_model = 16, .d_head = 16, .params = params});
  };
  const Position last = made(0)->traits().last_position;
  CHECK(made(-last)->traits().last_position == 0);
  CHECK_THROWS_WITH(made(-last - 1), Contains("before the first token"));
}

TEST_CASE("An additive mask of one cell is one") {
  const Mask mask = Mask::additive(Matrix<double>::Constant(1, 1, 0.5));
  REQUIRE(mask.added() != nullptr);
  CHECK((*mask.added())(0, 0) == 0.5);
}

TEST_CASE("GRAPE's planes are made of so many channels at most, one plane of any number") {
  ParamSet params(GrapeMultiplicative<double>::info().params);
  const auto check = [&](const char* planes, Index d) {
    params.set("grape_multiplicative.planes", planes);
    GrapeMultiplicative<double>::check({.d_model = d, .d_head = d, .params = params});
  };
  CHECK_NOTHROW(check("all", 512));
  CHECK_NOTHROW(check("one", 4096));
  CHECK_THROWS_WITH(check("all", 4096), Contains("planes=one"));
}

TEST_CASE("An encoding that is relative at first is so up to the last query of which it says so") {
  ParamSet params(Fire<double>::info().params);
  const auto fire = Fire<double>::make({.d_model = 8, .d_head = 8, .params = params});
  const Position last = fire->traits().relative_up_to.value();
  CHECK(fire->traits().relative_weights_up_to(last));
  CHECK_FALSE(fire->traits().relative_weights_up_to(last + 1));
}

TEST_CASE("PaTH's tables are counted by what they read") {
  ParamSet params(Path<double>::info().params);
  const auto check = [&](const char* reads, Index d_model, Index d_head, int heads) {
    params.set("path.reads", reads);
    Path<double>::check({.d_model = d_model, .d_head = d_head, .heads = heads, .params = params});
  };
  CHECK_NOTHROW(check("key", 4096, 128, 64));
  CHECK_NOTHROW(check("input", 4096, 128, 64));
  CHECK_THROWS_WITH(check("input", 4097, 128, 64), Contains("path.direction"));
  CHECK_NOTHROW(check("key", 1 << 20, 5792, 64));
  CHECK_THROWS_WITH(check("key", 64, 5793, 1), Contains("path.direction"));
}

TEST_CASE("Forget gates of additive GRAPE have a weight and a bias a head, of its channels") {
  const auto make = [](Index rows, Index columns, Index biases) {
    return GrapeAdditive<double>(
        2, GrapeGate::forget,
        {.key = Matrix<double>::Ones(2, 4),
         .query = Matrix<double>::Ones(2, 4),
         .forget = {Matrix<double>::Ones(rows, columns), Matrix<double>::Ones(1, biases)}});
  };
  CHECK_NOTHROW(make(2, 4, 2));
  CHECK_THROWS_WITH(make(2, 4, 3), Contains("weight [2, 4] and bias [1, 3]"));
  CHECK_THROWS_WITH(make(3, 4, 3), Contains("forget gates [3, 4] of 2 heads"));
  CHECK_THROWS_WITH(make(2, 5, 2), Contains("forget gates [2, 5]"));
}

TEST_CASE("The catalogue's doors are those of the types that it makes") {
  for (const test::CatalogueCase& c : test::catalogue_cases()) {
    const auto encoding = test::make_case<double>(c, 16);
    const EncodingEntry& entry = find_encoding(c.name);
    INFO(c.title());
    const auto is = [&]<class D>(const D*) {
      return dynamic_cast<const D*>(encoding.get()) != nullptr;
    };
    CHECK(entry.uses(Door::input_term) == is(static_cast<const InputTerm<double>*>(nullptr)));
    CHECK(entry.uses(Door::qk_transform) == is(static_cast<const QkTransform<double>*>(nullptr)));
    CHECK(entry.uses(Door::score_terms) == is(static_cast<const ScoreTerms<double>*>(nullptr)));
    CHECK(entry.uses(Door::value_term) == is(static_cast<const ValueTerm<double>*>(nullptr)));
  }
}

TEST_CASE("Directions that stand for all of them are of length 1") {
  int found = 0;
  for (const test::CatalogueCase& c : test::catalogue_cases()) {
    const auto encoding = test::make_case<double>(c, 16);
    const Matrix<double> x = encoding->mean_directions(16);
    INFO(c.title());
    if (x.size() == 0) continue;
    ++found;
    CHECK((x.rows() == 1 || x.rows() == 16));
    CHECK(x.cols() == 16);
    CHECK(x.rowwise().norm().isApproxToConstant(1));
  }
  CHECK(found > 0);
}

TEST_CASE("Where GRAPE's constant penalty overflows its format, contents change nothing of it") {
  ParamSet params(GrapeAdditive<double>::info().params);
  params.set("grape_additive.gate", "query_key");
  const auto grape =
      GrapeAdditive<double>::make({.d_model = 4, .d_head = 4, .heads = 1, .params = params});
  Scoring scoring;
  scoring.rounding.set(Stage::scale, Precision::fp16);
  Random random(6, "far tokens");
  const Matrix<double> x = normal_matrix<double>(random, 1, 4);
  const auto gated = [&](Position distance) {
    const Positions m{distance}, n{0};
    const auto terms = grape->score_terms({x, x, m, n, 0, scoring});
    return std::abs(terms[2].logits(0, 0)) + std::abs(terms[3].logits(0, 0));
  };
  // The penalty of one head is distance/256, and times 2 ln 2 without content.
  CHECK(gated(256 * 40000) > 0);   // 55,452
  CHECK(gated(256 * 60000) == 0);  // 83,178
}

TEST_CASE("Weights of linear attention take masks of queries by keys, and no others") {
  const Positions m{0, 1, 2}, n{0, 1, 2, 3, 4};
  const Matrix<double> q = Matrix<double>::Ones(3, 4), k = Matrix<double>::Ones(5, 4);
  const auto weights = [&](Index rows, Index columns) {
    Mask::Matrix allowed = Mask::Matrix::Constant(rows, columns, true);
    allowed(0, 1) = allowed(1, 0) = false;
    return linear_attention_weights<double>({q, k, k, m, n}, Relu<double>(), nullptr, {},
                                            Mask(allowed));
  };
  CHECK(weights(3, 5)(0, 1) == 0);
  CHECK(weights(3, 5)(1, 0) == 0);
  CHECK(weights(3, 5)(0, 0) == 0.25);
  CHECK_THROWS_WITH(weights(3, 4), Contains("a mask of [3, 4]"));
  CHECK_THROWS_WITH(weights(5, 3), Contains("a mask of [5, 3]"));
}

namespace {

/// Squares of queries, and lengths of keys.
class TwoMaps final : public FeatureMap<double> {
 public:
  Matrix<double> of_queries(const MatrixIn<double>& q) const override { return q.cwiseAbs2(); }
  Matrix<double> of_keys(const MatrixIn<double>& k) const override { return k.cwiseAbs(); }
  Index features(Index d) const override { return d; }
  Matrix<double> pull_back(const MatrixIn<double>& /*x*/, const MatrixIn<double>& /*features*/,
                           const MatrixIn<double>& d_features) const override {
    return d_features;
  }
};

}  // namespace

namespace {

/// One channel of logits that is not the contents'.
class OneChannel final : public Encoding, public ScoreTerms<double> {
 public:
  EncodingTraits traits() const override { return {.relative = true}; }
  std::vector<ScoreTerm<double>> score_terms(const ScoreInputs<double>& in) const override {
    return {{"content", Matrix<double>::Constant(in.q.rows(), in.k.rows(), 1e4)}};
  }
  void add_score_gradients(const ScoreInputs<double>&, const MatrixIn<double>&,
                           const ScoreGradients<double>&) const override {}
  std::optional<LogitFactors<double>> logit_factors(const ScoreInputs<double>& in,
                                                    const Distances&) const override {
    return LogitFactors<double>{.q = Matrix<double>::Constant(in.q.rows(), 1, 1),
                                .k = Matrix<double>::Constant(in.k.rows(), 1, 1e4)};
  }
};

}  // namespace

TEST_CASE("One factor of one key bounds its logit, whatever the contents are") {
  const Positions at{0};
  const Matrix<double> x = Matrix<double>::Constant(1, 1, 1e-3);
  const auto out =
      attention_output<double>({x, x, x, at, at}, SoftmaxDoors<double>::of(OneChannel()));
  CHECK(out.output(0, 0) == 1e-3);
  CHECK(out.nan_rows == 0);
}

TEST_CASE("A map of queries is not one of keys") {
  Random random(9, "two maps");
  const Positions at = consecutive_positions(6);
  const Matrix<double> q = normal_matrix<double>(random, 6, 3),
                       k = normal_matrix<double>(random, 6, 3),
                       v = normal_matrix<double>(random, 6, 2);
  Matrix<double> weights = q.cwiseAbs2() * k.cwiseAbs().transpose();
  for (Index i = 0; i < 6; ++i) weights.row(i) /= weights.row(i).sum();
  const AttentionInputs<double> in{q, k, v, at, at};
  CHECK(test::largest_difference(linear_attention<double>(in, TwoMaps(), nullptr).output,
                                 Matrix<double>(weights * v)) < 1e-13);
  CHECK(test::largest_difference(linear_attention_weights<double>(in, TwoMaps(), nullptr),
                                 weights) < 1e-13);
}

TEST_CASE("Queries before every key attend to none, without a map as with one") {
  Random random(8, "queries before keys");
  const Positions m = consecutive_positions(40), n = consecutive_positions(15, 30);
  const Matrix<float> q = normal_matrix<float>(random, 40, 8),
                      k = normal_matrix<float>(random, 15, 8),
                      v = normal_matrix<float>(random, 15, 3);
  const AttentionInputs<float> in{q, k, v, m, n};
  const Mask mask = Mask::causal(m, n);
  const auto alone = attention_output<float>(in, {}, mask);
  CHECK(alone.fully_masked_rows == 30);
  CHECK(alone.output.topRows(30).isZero(0));
  CHECK(test::largest_difference(alone.output, softmax_attention<float>(in, {}, mask).output) <
        1e-5);
}

TEST_CASE("Logits of −inf among many weigh nothing, wherever in a row they lie") {
  constexpr Index keys = 200;
  for (Index at = 0; at < keys; ++at) {
    AttentionOutput<float> out;
    out.logits = Matrix<float>::Zero(1, keys);
    out.logits(0, at) = -std::numeric_limits<float>::infinity();
    masked_softmax<float>({}, out);
    CHECK(out.nan_rows == 0);
    CHECK(out.weights(0, at) == 0);
    CHECK(out.weights(0, (at + 1) % keys) == Approx(1.0 / (keys - 1)));
  }
}

TEST_CASE("XLNet reads segments where it has a table of them, and nowhere else") {
  const auto reads = [](const Matrix<double>& s, const Matrix<double>& segments) {
    const Matrix<double> u = Matrix<double>::Ones(1, 4);
    return TransformerXl<double>({u, u, Matrix<double>::Ones(4, 4), s, segments}, 10000.0)
        .traits()
        .reads_segments;
  };
  CHECK_FALSE(reads({}, {}));
  CHECK(reads(Matrix<double>::Ones(1, 4), Matrix<double>::Ones(2, 4)));
}

TEST_CASE("A value too large for fp32's sums is found in any column of a view") {
  constexpr Index tokens = 3, channels = 40;
  const Positions at = consecutive_positions(tokens);
  const Matrix<float> x = Matrix<float>::Constant(tokens, 8, 1e3F);
  Matrix<float> wide = Matrix<float>::Ones(tokens, channels + 5);
  wide.col(channels - 1).setConstant(1e36F);
  const auto out = linear_attention<float>({x, x, wide.leftCols(channels), at, at}, Relu<float>(),
                                           nullptr, {.causal = true});
  for (Index i = 0; i < tokens; ++i) {
    CHECK(out.output(i, 0) == Approx(1.0F));
    CHECK(out.output(i, channels - 1) == Approx(1e36F));
  }
}

TEST_CASE("Rounded terms of PoPE are those of its paper: positions with positions are not none") {
  const Positions at{3, 9};
  const Matrix<float> x = Matrix<float>::Zero(2, 4);
  const Pope<float> pope(10000.0, Matrix<double>::Zero(1, 4));
  ScoreInputs<float> in{.q = x, .k = x, .m = at, .n = at};
  const auto exact = pope.score_terms(in);
  in.scoring.rounding = StageRounding(Precision::bf16, {Stage::term});
  const auto rounded = pope.score_terms(in);
  REQUIRE(exact.back().name == "position_to_position");
  REQUIRE(rounded.back().name == "position_to_position");
  for (Index i = 0; i < 4; ++i)
    CHECK(rounded.back().logits.data()[i] == Approx(exact.back().logits.data()[i]).epsilon(0.01));
  CHECK(exact.back().logits(0, 0) == Approx(4 * std::pow(std::log(2.0), 2) / 2));
}

TEST_CASE("Shaw's values of other channels than v has are refused, as many as there are keys too") {
  constexpr Index keys = 6;
  const Positions at = consecutive_positions(keys);
  const Matrix<float> x = Matrix<float>::Ones(keys, 8), v = Matrix<float>::Ones(keys, 4);
  const Shaw<float> shaw(Matrix<float>::Ones(5, 8), Matrix<float>::Ones(5, keys));
  CHECK_THROWS_AS(attention_output<float>({x, x, v, at, at}, SoftmaxDoors<float>::of(shaw)),
                  UsageError);
}

TEST_CASE("A table of positions without a row is refused") {
  ParamSet params(AxisRope<double>::info().params);
  const Tables tables{{"axis_rope.positions", Matrix<double>(0, 3)}};
  CHECK_THROWS_WITH(
      AxisRope<double>::make({.d_model = 16, .d_head = 16, .params = params, .tables = &tables}),
      Contains("axis_rope.positions [0, 3]"));
}

TEST_CASE("Shaw's keys that score positions leave its values in the output without a map") {
  constexpr Index tokens = 70;
  Random random(3, "Shaw's method 4 with values");
  const Positions at = consecutive_positions(tokens);
  const Matrix<double> q = normal_matrix<double>(random, tokens, 8),
                       k = normal_matrix<double>(random, tokens, 8),
                       v = normal_matrix<double>(random, tokens, 8);
  for (const ShawScores scores : {ShawScores::queries, ShawScores::queries_and_keys}) {
    const Shaw<double> shaw(normal_matrix<double>(random, 9, 8),
                            normal_matrix<double>(random, 9, 8),
                            {.left = 4, .right = 4, .scores = scores});
    for (const Mask& mask : {Mask(), Mask::causal(at, at)}) {
      const auto doors = SoftmaxDoors<double>::of(shaw);
      const auto with_map = softmax_attention<double>({q, k, v, at, at}, doors, mask);
      const auto without = attention_output<double>({q, k, v, at, at}, doors, mask);
      CHECK((with_map.output - without.output).norm() < 1e-12 * with_map.output.norm());
    }
  }
}
