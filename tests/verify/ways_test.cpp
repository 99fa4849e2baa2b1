// Which way attention takes where no map is asked for, in what parts, and what it weighs there.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/attention/content.h"
#include "core/attention/logit_factors.h"
#include "core/encodings/none.h"
#include "core/encodings/t5.h"
#include "experiments/verify/cases.h"
#include "tests/verify/agreement.h"

using namespace orrery;

namespace {
namespace in_ways {

constexpr Index d = 8;

/// A block of the map, given by the factors of its logits.
struct Part {
  Index queries{}, keys{};
  Position last_seen{};
  friend bool operator==(const Part&, const Part&) = default;
};

/// Adds nothing to the values; notes of which queries and keys it is asked.
class ValueProbe : public Encoding, public ValueTerm<double> {
 public:
  EncodingTraits traits() const override { return {.relative = true}; }
  void add_to_output(const ValueInputs<double>& in, MatrixOut<double>) const override {
    tiles_.emplace_back(in.weights.rows(), in.weights.cols());
  }
  void add_value_gradients(const ValueInputs<double>&, const MatrixIn<double>&, MatrixOut<double>,
                           MatrixOut<double>, Tables&) const override {}
  const std::vector<std::pair<Index, Index>>& tiles() const { return tiles_; }

 private:
  mutable std::vector<std::pair<Index, Index>> tiles_{};
};

/// Products and −|n − m|/100, as terms and as factors; counts how it is asked.
class Probe final : public ValueProbe, public ScoreTerms<double> {
 public:
  std::vector<ScoreTerm<double>> score_terms(const ScoreInputs<double>& in) const override {
    ++terms_;
    const Rows products = in.q * in.k.transpose();
    Rows bias(in.q.rows(), in.k.rows());
    for (Index i = 0; i < bias.rows(); ++i)
      for (Index j = 0; j < bias.cols(); ++j)
        bias(i, j) = of(in.n[static_cast<std::size_t>(j)] - in.m[static_cast<std::size_t>(i)]);
    return {{"content", products}, {"bias", bias}};
  }
  void add_score_gradients(const ScoreInputs<double>& in, const MatrixIn<double>& d_logits,
                           const ScoreGradients<double>& by) const override {
    add_content_gradients<double>(in, 0, d_logits, by);
  }
  std::optional<LogitFactors<double>> logit_factors(const ScoreInputs<double>& in,
                                                    const Distances& distances) const override {
    parts_.push_back({in.q.rows(), in.k.rows(), distances.last_seen - distances.first});
    LogitFactors<double> out{.q = in.q, .bias = Rows(1, distances.count)};
    for (Index i = 0; i < distances.count; ++i) out.bias(0, i) = of(distances.first + i);
    return out;
  }

  std::optional<DistanceVectors<double>> value_vectors(const Distances&) const override {
    return DistanceVectors<double>{};
  }

  int terms() const { return terms_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  static double of(Position r) { return -0.01 * static_cast<double>(std::abs(r)); }

  mutable int terms_{0};
  mutable std::vector<Part> parts_{};
};

/// Equal contents, and a NaN among the values where asked.
struct WayCase {
  Positions m, n;
  Mask mask{};
  Scoring scoring{};
  bool nan{false};
};

void attend(const Encoding& probe, const WayCase& c) {
  const auto rows = [](const Positions& at) {
    return Rows(Rows::Constant(static_cast<Index>(at.size()), d, 0.1));
  };
  const Rows q = rows(c.m), k = rows(c.n);
  Rows v = k;
  if (c.nan) v(0, 0) = std::numeric_limits<double>::quiet_NaN();
  attention_output<double>({q, k, v, c.m, c.n}, SoftmaxDoors<double>::of(probe), c.mask, c.scoring);
}

/// Asked by the factors of these parts, and by nothing else.
void check_parts(const WayCase& c, const std::vector<Part>& expected) {
  const Probe probe;
  attend(probe, c);
  CHECK(probe.terms() == 0);
  CHECK(probe.tiles().empty());
  CHECK((probe.parts() == expected));
}

TEST_CASE("Of consecutive tokens attention without a map asks by factors, 3072 × 4096 at once") {
  // All is seen: the last distance is that of the first query to the last key.
  check_parts({consecutive_positions(60), consecutive_positions(70, 5)}, {{60, 70, 128}});
  check_parts({consecutive_positions(1, 9), consecutive_positions(1, 3)}, {{1, 1, 0}});
  // Causal: nothing ahead of a query. The last query, at 59, is the first distance from key 0.
  const Positions at = consecutive_positions(60);
  check_parts({at, at, Mask::causal(at, at)}, {{60, 60, 59}});
  const Positions two{4000, 4001}, many = consecutive_positions(8192),
                                   more = consecutive_positions(8300);
  check_parts({two, many}, {{2, 8192, 8192}});
  check_parts({two, more}, {{2, 4096, 4096}, {2, 4096, 4096}, {2, 108, 108}});
  check_parts({two, more, Mask::causal(two, more)}, {{2, 4096, 4001}});
  const Positions late{8100, 8101};
  check_parts({late, more, Mask::sliding_window(late, more, 10)},
              {{2, 4096, 4096}, {2, 4096, 4014}});
  check_parts({consecutive_positions(3100), consecutive_positions(8193)}, {{3072, 4096, 7166},
                                                                           {3072, 4096, 7166},
                                                                           {3072, 1, 3071},
                                                                           {28, 4096, 4122},
                                                                           {28, 4096, 4122},
                                                                           {28, 1, 27}});
}

void check_terms(const std::string& what, const WayCase& c) {
  INFO(what);
  const Probe probe;
  attend(probe, c);
  CHECK(probe.terms() > 0);
  CHECK_FALSE(probe.tiles().empty());
}

TEST_CASE("Gaps, NaN, masks that add, roundings and rules are attended to by terms") {
  const Positions at = consecutive_positions(60), gaps{0, 1, 3, 4}, none_between{2, 2, 3};
  check_terms("gaps between keys", {at, gaps});
  check_terms("gaps between queries", {gaps, at});
  check_terms("a position twice", {none_between, at});
  check_terms("a NaN among the values", {.m = at, .n = at, .nan = true});
  check_terms("a mask that adds", {at, at, Mask::additive(Rows::Constant(60, 60, 0.5))});
  for (const Stage stage :
       {Stage::term, Stage::scale, Stage::logits, Stage::weights, Stage::output}) {
    WayCase rounded{at, at};
    rounded.scoring.rounding.set(stage, Precision::bf16);
    check_terms("rounded at " + std::string(name(stage)), rounded);
  }
  WayCase sticks{at, at}, ruled{at, at};
  sticks.scoring.weights = WeightRule::stick_breaking;
  ruled.scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  check_terms("sticks that break", sticks);
  check_terms("a rule of logits", ruled);
}

TEST_CASE("Without terms of its own an encoding of values is asked tile by tile, 48 × 512") {
  const ValueProbe probe;
  attend(probe, {consecutive_positions(50), consecutive_positions(600)});
  std::vector<std::pair<Index, Index>> tiles = probe.tiles();
  std::sort(tiles.begin(), tiles.end());
  CHECK((tiles == std::vector<std::pair<Index, Index>>{{2, 88}, {2, 512}, {48, 88}, {48, 512}}));
}

/// Both ways against the literal one.
template <class T>
void check_ways(const Encoding& encoding, const AttentionInputs<T>& in, const Mask& mask,
                const Rows& logits, const literal::Visible& sees) {
  const auto doors = SoftmaxDoors<T>::of(encoding);
  const Rows expected =
      literal::product(literal::softmax(logits, sees), Rows(in.v.template cast<double>()));
  const double bound = softmax_bound(logits, 2 * rounding_bound<T>(roundings_of(in.q.cols())));
  test::check_agreement<T>("output of a map", softmax_attention<T>(in, doors, mask).output,
                           expected, bound);
  test::check_agreement<T>("output without a map", attention_output<T>(in, doors, mask).output,
                           expected, bound);
}

// No product may pass for a small one.
TEMPLATE_TEST_CASE("One channel after the other may have nearly all of q and k", "", float,
                   double) {
  constexpr Index channels = 24, queries = 20, keys = 30;
  Random random(test::drawn_seed(), "a long channel");
  const Positions m = consecutive_positions(queries, 10), n = consecutive_positions(keys);
  for (Index channel = 0; channel < channels; ++channel) {
    Matrix<TestType> q = normal_matrix<TestType>(random, queries, channels, 0.1),
                     k = normal_matrix<TestType>(random, keys, channels, 0.1);
    q.col(channel).setConstant(TestType(90));
    k.col(channel) = normal_matrix<TestType>(random, keys, 1, 1e-3) * TestType(10);
    k(7, channel) = TestType(90);  // whose logits are far beyond what exp has
    const Matrix<TestType> v = normal_matrix<TestType>(random, keys, 5);
    check_ways<TestType>(NoEncoding<TestType>(), {q, k, v, m, n}, {},
                         literal::scores(wide(q), wide(k), std::sqrt(double{channels})),
                         literal::everything);
  }
}

TEMPLATE_TEST_CASE("A bias of 300 beyond the distances that a window leaves does not count", "",
                   float, double) {
  constexpr Index tokens = 70;
  Random random(test::drawn_seed(), "a hidden bias");
  const Positions at = consecutive_positions(tokens);
  const auto draw = [&] { return normal_matrix<TestType>(random, tokens, d); };
  const Matrix<TestType> q = draw(), k = draw(), v = draw();
  Matrix<TestType> table = normal_matrix<TestType>(random, 8, 1);
  table.bottomRows(2).setConstant(TestType(300));
  const T5<TestType> t5({.buckets = 8, .max_distance = 8, .bidirectional = false}, table);
  Rows logits =
      literal::sum_of(literal::t5({wide(q), wide(k), wide(v), at, at}, wide(table),
                                  {.buckets = 8, .max_distance = 8, .bidirectional = false}));
  const auto sees = [&](Index i, Index j) { return j <= i && i - j < 4; };
  for (Index i = 0; i < tokens; ++i)
    for (Index j = 0; j < tokens; ++j)
      if (!sees(i, j)) logits(i, j) = 0;
  check_ways<TestType>(t5, {q, k, v, at, at},
                       Mask::causal(at, at) & Mask::sliding_window(at, at, 4), logits, sees);
}

TEMPLATE_TEST_CASE("Of one query and one key the weight is 1, whatever is added", "", float,
                   double) {
  Random random(test::drawn_seed(), "one query and one key");
  const T5<TestType> t5({}, normal_matrix<TestType>(random, 32, 1, 30));
  for (const Position r : {0, 1, 90, -90}) {
    const Positions m{100}, n{100 - r};
    const Matrix<TestType> x = normal_matrix<TestType>(random, 1, d);
    check_ways<TestType>(t5, {x, x, x, m, n}, {}, Rows::Ones(1, 1), literal::everything);
  }
}

}  // namespace in_ways
}  // namespace
