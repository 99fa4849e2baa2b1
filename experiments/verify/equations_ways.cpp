// Which way attention takes where no map is asked for, in what parts, and what it weighs there.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/attention/content.h"
#include "core/attention/logit_factors.h"
#include "core/encodings/none.h"
#include "core/encodings/t5.h"
#include "experiments/verify/cases.h"

namespace orrery::verify {
namespace {
namespace in_equations_ways {

const Paper ways{ClaimKind::property, "(2)", "Attention without a map"};

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

/// How many of some cases are not asked in these parts, or not by them alone.
double misjudged_parts() {
  double count = 0;
  const auto see = [&](const WayCase& c, const std::vector<Part>& expected) {
    const Probe probe;
    attend(probe, c);
    count += probe.terms() != 0 || !probe.tiles().empty() || probe.parts() != expected;
  };
  // All is seen: the last distance is that of the first query to the last key.
  see({consecutive_positions(60), consecutive_positions(70, 5)}, {{60, 70, 128}});
  see({consecutive_positions(1, 9), consecutive_positions(1, 3)}, {{1, 1, 0}});
  // Causal: nothing ahead of a query. The last query, at 59, is the first distance from key 0.
  const Positions at = consecutive_positions(60);
  see({at, at, Mask::causal(at, at)}, {{60, 60, 59}});
  const Positions two{4000, 4001}, many = consecutive_positions(8192),
                                   more = consecutive_positions(8300);
  see({two, many}, {{2, 8192, 8192}});
  see({two, more}, {{2, 4096, 4096}, {2, 4096, 4096}, {2, 108, 108}});
  see({two, more, Mask::causal(two, more)}, {{2, 4096, 4001}});
  const Positions late{8100, 8101};
  see({late, more, Mask::sliding_window(late, more, 10)}, {{2, 4096, 4096}, {2, 4096, 4014}});
  const Positions queries = consecutive_positions(3100);
  see({queries, consecutive_positions(8193)}, {{3072, 4096, 7166},
                                               {3072, 4096, 7166},
                                               {3072, 1, 3071},
                                               {28, 4096, 4122},
                                               {28, 4096, 4122},
                                               {28, 1, 27}});
  return count;
}

/// How many of some cases that need a map are not given one.
double without_terms() {
  const Positions at = consecutive_positions(60), gaps{0, 1, 3, 4}, none_between{2, 2, 3};
  double count = 0;
  const auto see = [&](const WayCase& c) {
    const Probe probe;
    attend(probe, c);
    count += probe.terms() == 0 || probe.tiles().empty();
  };
  see({at, gaps});
  see({gaps, at});
  see({none_between, at});
  see({.m = at, .n = at, .nan = true});
  see({at, at, Mask::additive(Rows::Constant(60, 60, 0.5))});
  for (const Stage stage :
       {Stage::term, Stage::scale, Stage::logits, Stage::weights, Stage::output}) {
    WayCase rounded{at, at};
    rounded.scoring.rounding.set(stage, Precision::bf16);
    see(rounded);
  }
  WayCase sticks{at, at}, ruled{at, at};
  sticks.scoring.weights = WeightRule::stick_breaking;
  ruled.scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  see(sticks);
  see(ruled);
  return count;
}

/// Without terms of its own an encoding of values is asked tile by tile, 48 queries by 512 keys.
double misjudged_tiles() {
  const ValueProbe probe;
  attend(probe, {consecutive_positions(50), consecutive_positions(600)});
  std::vector<std::pair<Index, Index>> tiles = probe.tiles();
  std::sort(tiles.begin(), tiles.end());
  return tiles != std::vector<std::pair<Index, Index>>{{2, 88}, {2, 512}, {48, 88}, {48, 512}};
}

void way_claims(std::vector<Claim>& claims) {
  Facts facts("to 3100 queries and 8300 keys", claims);
  facts.equals(ways, "parts_without_a_map",
               "consecutive tokens: by factors, 3072 × 4096 at once: misjudged", misjudged_parts(),
               0);
  facts.equals(ways, "terms_without_a_map",
               "gaps, NaN, roundings, masks that add, rules: by terms: misjudged", without_terms(),
               0);
  facts.equals(ways, "tiles_without_a_map", "values, 48 queries × 512 keys at once: misjudged",
               misjudged_tiles(), 0);
}

/// Both ways against the literal one.
template <class T>
void see_ways(Ledger<T>& ledger, const std::string& name, const std::string& label,
              const Encoding& encoding, const AttentionInputs<T>& in, const Mask& mask,
              const Rows& logits, const literal::Visible& sees) {
  const auto doors = SoftmaxDoors<T>::of(encoding);
  const Rows expected =
      literal::product(literal::softmax(logits, sees), Rows(in.v.template cast<double>()));
  const double bound = softmax_bound(logits, 2 * rounding_bound<T>(roundings_of(in.q.cols())));
  ledger.compare(ways, name + "_map", label + ": output of a map",
                 softmax_attention<T>(in, doors, mask).output, expected, bound);
  ledger.compare(ways, name + "_alone", label + ": output without a map",
                 attention_output<T>(in, doors, mask).output, expected, bound);
}

/// One channel after the other has nearly all of q and k: no product may pass for a small one.
template <class T>
void long_channel_claims(Ledger<T>& ledger, Random& random) {
  constexpr Index channels = 24, queries = 20, keys = 30;
  const Positions m = consecutive_positions(queries, 10), n = consecutive_positions(keys);
  for (Index channel = 0; channel < channels; ++channel) {
    Matrix<T> q = normal_matrix<T>(random, queries, channels, 0.1),
              k = normal_matrix<T>(random, keys, channels, 0.1);
    q.col(channel).setConstant(T(90));
    k.col(channel) = normal_matrix<T>(random, keys, 1, 1e-3) * T(10);
    k(7, channel) = T(90);  // whose logits are far beyond what exp has
    const Matrix<T> v = normal_matrix<T>(random, keys, 5);
    see_ways<T>(ledger, "long_channel", "one channel of 24 far beyond the others", NoEncoding<T>(),
                {q, k, v, m, n}, {}, literal::scores(wide(q), wide(k), std::sqrt(double{channels})),
                literal::everything);
  }
}

/// A bias of 300 beyond the distances that a window leaves.
template <class T>
void hidden_bias_claims(Ledger<T>& ledger, Random& random) {
  constexpr Index tokens = 70;
  const Positions at = consecutive_positions(tokens);
  const auto draw = [&] { return normal_matrix<T>(random, tokens, d); };
  const Matrix<T> q = draw(), k = draw(), v = draw();
  Matrix<T> table = normal_matrix<T>(random, 8, 1);
  table.bottomRows(2).setConstant(T(300));
  const T5<T> t5({.buckets = 8, .max_distance = 8, .bidirectional = false}, table);
  const literal::Head head{wide(q), wide(k), wide(v), at, at};
  Rows logits = literal::sum_of(
      literal::t5(head, wide(table), {.buckets = 8, .max_distance = 8, .bidirectional = false}));
  const auto sees = [&](Index i, Index j) { return j <= i && i - j < 4; };
  for (Index i = 0; i < tokens; ++i)
    for (Index j = 0; j < tokens; ++j)
      if (!sees(i, j)) logits(i, j) = 0;
  see_ways<T>(ledger, "hidden_bias", "a bias of 300 that a window hides", t5, {q, k, v, at, at},
              Mask::causal(at, at) & Mask::sliding_window(at, at, 4), logits, sees);
}

/// One query and one key, near each other or not: the weight is 1 whatever is added.
template <class T>
void single_claims(Ledger<T>& ledger, Random& random) {
  const T5<T> t5({}, normal_matrix<T>(random, 32, 1, 30));
  for (const Position r : {0, 1, 90, -90}) {
    const Positions m{100}, n{100 - r};
    const Matrix<T> x = normal_matrix<T>(random, 1, d);
    see_ways<T>(ledger, "single", "one query and one key", t5, {x, x, x, m, n}, {},
                Rows::Ones(1, 1), literal::everything);
  }
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("to 70 queries and keys, 24 channels", claims);
  Random random(options.seed, "attention without a map");
  long_channel_claims(ledger, random);
  hidden_bias_claims(ledger, random);
  single_claims(ledger, random);
}

}  // namespace in_equations_ways
}  // namespace

void without_map_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_ways;
  way_claims(claims);
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery::verify
