#include "core/attention/linear_attention.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/invariance.h"
#include "core/encodings/rope.h"
#include "core/random.h"
#include "tests/support/golden.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

template <class T>
struct LinearScene {
  nlohmann::json file = golden("linear.json");
  Positions at = file.at("positions").get<Positions>();
  Matrix<T> q = matrix_of<T>(file.at("q")), k = matrix_of<T>(file.at("k")),
            v = matrix_of<T>(file.at("v"));

  AttentionInputs<T> inputs() const { return {q, k, v, at, at}; }

  void check(const std::string& name, const FeatureMap<T>& map, const QkTransform<T>* rotation,
             const LinearOptions& options) const {
    INFO(name);
    const double tolerance = sizeof(T) == 8 ? 1e-12 : 1e-4;
    const Matrix<T> expected = matrix_of<T>(file.at("cases").at(name));
    const auto out = linear_attention<T>(inputs(), map, rotation, options);
    CHECK(largest_difference<T>(out.output, expected) < tolerance);
    const Matrix<T> weights = linear_attention_weights<T>(inputs(), map, rotation, options);
    CHECK(largest_difference<T>(weights * v, expected) < tolerance);
    for (Index i = 0; i < weights.rows(); ++i)  // numerators over normalisers are the row sums
      CHECK(out.numerators(i, 0) / out.normalizers(i, 0) ==
            Approx(weights.row(i).sum()).margin(tolerance));
  }

  void check_variants(const std::string& name, const FeatureMap<T>& map, bool causal) const {
    const std::string mask = causal ? " causal" : " full";
    const Rope<T> of_features({.d_head = map.features(4)});
    const Rope<T> of_channels({.d_head = 4});
    using V = LinearVariant;
    check(name + " plain" + mask, map, nullptr, {V::paper, causal});
    check(name + " paper" + mask, map, &of_features, {V::paper, causal});
    check(name + " both_rotated" + mask, map, &of_features, {V::both_rotated, causal});
    check(name + " rotated_before_features" + mask, map, &of_channels,
          {V::rotated_before_features, causal});
  }
};

}  // namespace

TEMPLATE_TEST_CASE("Linear attention equals explicit double sums, in every variant", "", float,
                   double) {
  const LinearScene<TestType> scene;
  const Favor<TestType> favor(matrix_of<TestType>(scene.file.at("w")));
  for (const bool causal : {false, true}) {
    scene.check_variants("elu", EluPlusOne<TestType>(), causal);
    scene.check_variants("favor", favor, causal);
  }
  scene.check_variants("relu", Relu<TestType>(), false);
  const Rope<TestType> rope({.d_head = 4});
  scene.check("elu paper full eps", EluPlusOne<TestType>(), &rope, {.epsilon = 0.5});
}

TEST_CASE("elu + 1 equals the reference") {
  const auto expected = golden("formulas.json").at("elu plus one");
  for (const auto& [x, value] : expected.items()) {
    const Matrix<double> y =
        EluPlusOne<double>().of_queries(Matrix<double>::Constant(1, 1, std::stod(x)));
    CHECK(y(0, 0) == Approx(value.get<double>()).epsilon(1e-15));
  }
}

TEST_CASE(
    "By hand: features 1 everywhere average the values; turned by RoPE they weigh cos(m − n)") {
  const Matrix<double> zero = Matrix<double>::Zero(3, 2);  // elu(0) + 1 = 1
  Matrix<double> v(3, 1);
  v << 1, 2, 6;
  const Positions at{0, 1, 2};
  const AttentionInputs<double> in{zero, zero, v, at, at};
  const EluPlusOne<double> elu;
  CHECK(linear_attention<double>(in, elu, nullptr).output(1, 0) == Approx(3));
  const Rope<double> rope({.d_head = 2});
  const Matrix<double> w = linear_attention_weights<double>(in, elu, &rope);
  for (Index m = 0; m < 3; ++m)
    for (Index n = 0; n < 3; ++n)
      CHECK(w(m, n) == Approx(std::cos(static_cast<double>(m - n)) / 3));
  CHECK(w(0, 2) < 0);
}

TEST_CASE("Eq. (19) depends on m − n only; rotating before the features does not") {
  const LinearScene<double> scene;
  const Rope<double> rope({.d_head = 4});
  const Positions there = shifted(scene.at, 12345);
  const EluPlusOne<double> elu;
  const auto change = [&](LinearVariant variant) {
    const auto here = linear_attention<double>(scene.inputs(), elu, &rope, {variant});
    const auto moved =
        linear_attention<double>({scene.q, scene.k, scene.v, there, there}, elu, &rope, {variant});
    return largest_difference<double>(here.output, moved.output);
  };
  CHECK(change(LinearVariant::paper) < 1e-13);
  CHECK(change(LinearVariant::rotated_before_features) > 1e-2);
}

TEST_CASE("Causal linear attention equals decoding step by step, in any order of rows") {
  const LinearScene<double> scene;
  const Rope<double> rope({.d_head = 4});
  const EluPlusOne<double> elu;
  const auto whole = linear_attention<double>(scene.inputs(), elu, &rope, {.causal = true});
  for (Index i = 0; i < 5; ++i) {
    const Matrix<double> q = scene.q.row(i);
    const Positions m{scene.at[static_cast<std::size_t>(i)]};
    const auto step =
        linear_attention<double>({q, scene.k, scene.v, m, scene.at}, elu, &rope, {.causal = true});
    CHECK(largest_difference(step.output, whole.output.row(i)) < 1e-13);
  }
  const Matrix<double> q = scene.q.colwise().reverse();
  const Matrix<double> k = scene.k.colwise().reverse();
  const Matrix<double> v = scene.v.colwise().reverse();
  const Positions at(scene.at.rbegin(), scene.at.rend());
  const auto reversed = linear_attention<double>({q, k, v, at, at}, elu, &rope, {.causal = true});
  CHECK(largest_difference<double>(reversed.output.colwise().reverse(), whole.output) < 1e-13);
}

namespace {

/// Noise of a head in which q and k may be small, and values large.
template <class T>
struct Head {
  Matrix<T> q, k, v;
  Positions m, n;

  Head(Index queries, Index keys, Index d, Index width, T shift = 0, T scale = 1) {
    Random random(9, "linear attention");
    q = normal_matrix<T>(random, queries, d).array() + shift;
    k = normal_matrix<T>(random, keys, d).array() + shift;
    v = normal_matrix<T>(random, keys, width) * scale;
    m = consecutive_positions(queries, keys - queries);
    n = consecutive_positions(keys);
  }
  AttentionInputs<T> inputs() const { return {q, k, v, m, n}; }
};

/// linear_attention against its own weights, which are formed one by one in fp64.
template <class T>
double distance_from_weights(const Head<T>& head, const LinearOptions& options) {
  const Rope<T> rope({.d_head = head.q.cols()});
  const EluPlusOne<T> elu;
  const auto out = linear_attention<T>(head.inputs(), elu, &rope, options);
  const Matrix<double> w =
      linear_attention_weights<T>(head.inputs(), elu, &rope, options).template cast<double>();
  const Matrix<double> expected = w * head.v.template cast<double>();
  return largest_difference<double>(out.output.template cast<double>(), expected) /
         largest_magnitude<double>(expected);
}

}  // namespace

TEMPLATE_TEST_CASE("Linear attention equals its weights over many blocks, with every remainder", "",
                   float, double) {
  const double tolerance = sizeof(TestType) == 8 ? 1e-13 : 2e-6;
  for (const bool causal : {false, true})
    for (const Index keys : {1, 63, 64, 65, 385, 800})
      for (const Index width : {1, 16, 37}) {
        INFO(keys << " keys, " << width << " values" << (causal ? ", causal" : ""));
        const Index queries = std::max<Index>(1, keys - 5);
        const Head<TestType> head(queries, keys, 6, width);
        CHECK(distance_from_weights(head, {.causal = causal}) < tolerance);
      }
}

TEST_CASE("fp32 features whose products fp32 would lose are multiplied in fp64") {
  for (const bool causal : {false, true}) {
    // elu(−60) + 1 is 9e-27: a product of two is 0 in fp32.
    CHECK(distance_from_weights(Head<float>(70, 80, 4, 3, -60), {.causal = causal}) < 2e-6);
    // Values of 1e30 with features of 1e9: their products are infinite in fp32.
    CHECK(distance_from_weights(Head<float>(70, 80, 4, 3, 1e9F, 1e30F), {.causal = causal}) < 2e-6);
  }
}

TEST_CASE("One key far behind the others whose products fp32 would lose is enough for fp64") {
  for (const bool causal : {false, true})
    for (const Index key : {0, 64, 399, 500}) {
      INFO("key " << key << (causal ? ", causal" : ""));
      Head<float> head(520, 520, 4, 3);
      head.k.row(key).setConstant(-60);
      CHECK(distance_from_weights(head, {.causal = causal}) < 2e-6);
    }
}

TEMPLATE_TEST_CASE("A causal query's output is the same bits whatever comes after or beside it", "",
                   float, double) {
  using T = TestType;
  const Head<T> head(300, 300, 8, 5);
  const Rope<T> rope({.d_head = 8});
  const EluPlusOne<T> elu;
  const auto whole = linear_attention<T>(head.inputs(), elu, &rope, {.causal = true});
  for (const Index i : {0, 1, 63, 64, 65, 128, 299}) {
    INFO("query " << i);
    const Index keys = i + 1;
    const Matrix<T> q = head.q.row(i), k = head.k.topRows(keys), v = head.v.topRows(keys);
    const Positions m{head.m[static_cast<std::size_t>(i)]};
    const Positions n(head.n.begin(), head.n.begin() + keys);
    const auto step = linear_attention<T>({q, k, v, m, n}, elu, &rope, {.causal = true});
    CHECK(step.output == whole.output.row(i));
    CHECK(step.normalizers(0, 0) == whole.normalizers(i, 0));
    CHECK(step.numerators(0, 0) == whole.numerators(i, 0));
  }
}

TEMPLATE_TEST_CASE("A NaN or an infinity among the values reaches no query that does not see it",
                   "", float, double) {
  using T = TestType;
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    Head<T> head(100, 100, 4, 2);
    const Rope<T> rope({.d_head = 4});
    const EluPlusOne<T> elu;
    const auto clean = linear_attention<T>(head.inputs(), elu, &rope, {.causal = true});
    head.v(70, 1) = bad;
    const auto out = linear_attention<T>(head.inputs(), elu, &rope, {.causal = true});
    CHECK(largest_difference<T>(out.output.topRows(70), clean.output.topRows(70)) < T(1e-5));
    CHECK(largest_difference<T>(out.output.leftCols(1), clean.output.leftCols(1)) < T(1e-5));
    for (Index i = 70; i < 100; ++i) CHECK_FALSE(std::isfinite(out.output(i, 1)));
  }
}

TEST_CASE("A query whose normaliser is 0 gets a zero output and is counted") {
  const Matrix<double> negative = -Matrix<double>::Ones(2, 2);
  const Positions at{0, 1};
  const auto out =
      linear_attention<double>({negative, negative, negative, at, at}, Relu<double>(), nullptr);
  CHECK(out.zero_normalizers == 2);
  CHECK(out.output.isZero(0));
}

TEST_CASE("A normaliser that overflowed is divided by as IEEE 754 has it, and is not one of 0") {
  constexpr double huge = 1e308, nan = std::numeric_limits<double>::quiet_NaN();
  const Positions at{0, 1};
  const Matrix<double> q = matrix(2, 2, {huge, huge, 1, 1});
  const Matrix<double> v = matrix(2, 2, {huge, 0, huge, 0});
  for (const bool causal : {false, true}) {
    const LinearOptions options{.causal = causal};
    const auto out = linear_attention<double>({q, q, v, at, at}, Relu<double>(), nullptr, options);
    CHECK(out.zero_normalizers == 0);
    CHECK(std::isinf(out.normalizers(0, 0)));
    CHECK(std::isnan(out.output(0, 0)));  // infinite above and below
    CHECK(out.output(0, 1) == 0);
    const Matrix<double> weights =
        linear_attention_weights<double>({q, q, v, at, at}, Relu<double>(), nullptr, options);
    CHECK(std::isnan(weights(0, 0)));
  }
  const Matrix<double> undefined = matrix(2, 2, {nan, 1, 1, 1});
  const auto out = linear_attention<double>({undefined, q, v, at, at}, Relu<double>(), nullptr, {});
  CHECK(out.zero_normalizers == 0);
  CHECK(std::isnan(out.normalizers(0, 0)));
  CHECK(std::isnan(out.output(0, 0)));
}

TEST_CASE("FAVOR+ features: rows orthogonal, and their products average to exp(q·k/√d)") {
  const auto favor = Favor<double>::orthogonal(1, 8, 8);
  const Matrix<double> gram = favor.projection() * favor.projection().transpose();
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 8; ++j)
      if (i != j) CHECK(std::abs(gram(i, j)) < 1e-13 * gram(i, i) + 1e-13);
  Random random(4, "favor");
  const Matrix<double> q = normal_matrix<double>(random, 1, 8, 0.7);
  const Matrix<double> k = normal_matrix<double>(random, 1, 8, 0.7);
  double mean = 0;
  constexpr int seeds = 400;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto map = Favor<double>::orthogonal(seed, 64, 8);
    mean += map.of_queries(q).row(0).dot(map.of_keys(k).row(0)) / seeds;
  }
  CHECK(mean == Approx(std::exp(q.row(0).dot(k.row(0)) / std::sqrt(8.0))).epsilon(0.02));
}

TEST_CASE(
    "FAVOR+ of fewer features has the first ones of the last rotation, as one of more has them") {
  constexpr Index d = 6;
  const Matrix<double> whole = Favor<double>::orthogonal(3, 3 * d, d).projection();
  for (Index features = 1; features < 3 * d; ++features) {
    const Matrix<double> rows = Favor<double>::orthogonal(3, features, d).projection();
    // Directions alone: a row's length is drawn after all of them.
    CHECK(largest_difference<double>(rows.rowwise().normalized(),
                                     whole.topRows(features).rowwise().normalized()) < 1e-14);
  }
}

TEST_CASE("Linear attention refuses what does not fit") {
  const Matrix<double> q = Matrix<double>::Ones(2, 4);
  const Matrix<double> narrow = Matrix<double>::Ones(2, 3);
  const Positions at{0, 1};
  const EluPlusOne<double> elu;
  CHECK_THROWS_WITH(linear_attention<double>({q, narrow, q, at, at}, elu, nullptr),
                    Contains("share their channels"));
  const Rope<double> wide({.d_head = 6});
  CHECK_THROWS_WITH(linear_attention<double>({q, q, q, at, at}, elu, &wide), Contains("d_head=6"));
  CHECK_THROWS_WITH(Favor<double>::orthogonal(0, 0, 4), Contains("features=0"));
  CHECK_THROWS_WITH(Favor<double>::orthogonal(0, 4, 3).of_queries(q), Contains("drawn for 3"));
}
