// What one row of a map may have beside its products: a sink, a cap, no key at all, a NaN; and what
// attention refuses.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/attention/head.h"
#include "core/encodings/none.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "experiments/verify/cases.h"

namespace orrery::verify {
namespace {
namespace in_equations_rows {

const Paper sinks_paper{ClaimKind::cited, "", "Sinks and caps: Xiao et al. 2024 §3.3, Gemma 2 §2",
                        "RoFormer's (2) has neither"};
const Paper counted{ClaimKind::property, "(2)", "Rows of attention that have no weights"};
const Paper refused{ClaimKind::property, "", "What attention refuses"};

constexpr Index d = 8, d_v = 5;

/// Queries, keys and values of a causal text; the first two queries see no key.
template <class T>
struct Text {
  Positions m = consecutive_positions(12, 3), n = consecutive_positions(20, 5);
  Matrix<T> q, k, v;

  explicit Text(Random& random)
      : q(normal_matrix<T>(random, 12, d, 3)),
        k(normal_matrix<T>(random, 20, d)),
        v(normal_matrix<T>(random, 20, d_v)) {}

  AttentionInputs<T> in(int head = 0) const { return {q, k, v, m, n, head}; }
  Mask mask() const { return Mask::causal(m, n); }
  bool sees(Index i, Index j) const {
    return n[static_cast<std::size_t>(j)] <= m[static_cast<std::size_t>(i)];
  }
};

/// A sink is a logit more, of a key without a value.
Rows with_sink(const Rows& logits, std::optional<double> sink, const literal::Visible& sees) {
  if (!sink) return literal::softmax(logits, sees);
  Rows all(logits.rows(), logits.cols() + 1);
  all << logits, Rows::Constant(logits.rows(), 1, *sink);
  const auto all_see = [&](Index i, Index j) {
    if (j < logits.cols()) return sees(i, j);
    for (Index key = 0; key < logits.cols(); ++key)
      if (sees(i, key)) return true;
    return false;  // a query without a key has no weights at all
  };
  return literal::softmax(all, all_see).leftCols(logits.cols());
}

template <class T>
void see_row_parts(Ledger<T>& ledger, Random& random, double cap, std::span<const double> sinks) {
  const Text<T> text(random);
  constexpr int head = 1;
  Rows logits = literal::scores(wide(text.q), wide(text.k), std::sqrt(double{d}));
  const double bound = 4 * rounding_bound<T>(roundings_of(d));
  if (cap > 0) logits = logits.unaryExpr([&](auto l) { return cap * std::tanh(l / cap); });
  const auto sees = [&](Index i, Index j) { return text.sees(i, j); };
  const Rows weights =
      with_sink(logits, sinks.empty() ? std::nullopt : std::optional<double>(sinks[head]), sees);
  const Rows output = literal::product(weights, wide(text.v));
  const double weighed = softmax_bound(logits, bound);
  const std::string name =
      fmt::format("{}{}{}", cap > 0 ? "cap" : "", cap > 0 && !sinks.empty() ? "_and_" : "",
                  sinks.empty() ? "" : "sink");
  const std::string label = cap > 0 && !sinks.empty() ? "a cap and a sink"
                            : cap > 0                 ? "a cap, c tanh(l/c)"
                                                      : "a sink";
  const Scoring scoring{.softcap = cap, .sinks = sinks};
  const NoEncoding<T> none;
  const auto doors = SoftmaxDoors<T>::of(none);
  const auto map = softmax_attention<T>(text.in(head), doors, text.mask(), scoring);
  ledger.compare(sinks_paper, name + "_logits", label + ": logits", map.logits, logits, bound);
  ledger.compare(sinks_paper, name + "_weights", label + ": weights", map.weights, weights,
                 weighed);
  ledger.compare(sinks_paper, name + "_output", label + ": output", map.output, output, weighed);
  ledger.compare(sinks_paper, name + "_alone", label + ": output without a map",
                 attention_output<T>(text.in(head), doors, text.mask(), scoring).output, output,
                 weighed);
}

/// RoFormer's (4) with a factor of each query and a mask that adds: four products and the mask.
template <class T>
void input_term_claims(Ledger<T>& ledger, Random& random) {
  constexpr Index d_model = 12, tokens = 10;
  const Positions at = consecutive_positions(tokens, 30);
  const Matrix<T> x = normal_matrix<T>(random, tokens, d_model);
  const Projections<T> w{weights<T>(random, d_model, d), weights<T>(random, d_model, d),
                         weights<T>(random, d_model, d)};
  const Matrix<double> added = wide(normal_matrix<T>(random, tokens, tokens));
  Scoring scoring;
  scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  const auto out =
      attention_head<T>(Sinusoidal<T>(d_model), w, {x, x, at, at}, Mask::additive(added), scoring);
  const Rows p = literal::sinusoids(at, d_model, paper_base), from = wide(x) + p;
  Rows logits = literal::scores(literal::product(from, wide(w.W_q)),
                                literal::product(from, wide(w.W_k)), std::sqrt(double{d}));
  for (Index i = 0; i < tokens; ++i) {
    const Position times = at[static_cast<std::size_t>(i)] / 16;
    logits.row(i) *= 1 + 0.5 * std::log1p(static_cast<double>(times));
  }
  logits += added;
  const double bound = 4 * rounding_bound<T>(roundings_of(d_model)) + 2 * angle_bound(1000);
  const Paper paper{ClaimKind::property, "(4)", "A factor of each query, and a mask that adds"};
  ledger.compare(paper, "input_rule_logits", "of positions that are added to the input: logits",
                 out.logits, logits, bound);
  Rows sum = Rows::Zero(tokens, tokens);
  for (const ScoreTerm<T>& term : out.terms) sum += wide(term.logits);
  ledger.compare(paper, "input_rule_terms", "four products and the mask sum to them",
                 sum.template cast<T>().eval(), logits, bound);
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("12 queries, 20 keys, causal, 1 draw", claims);
  Random random(options.seed, "sinks and caps");
  const std::vector<double> sinks{-2, std::log(3.0)};
  see_row_parts<T>(ledger, random, 0, sinks);
  see_row_parts<T>(ledger, random, 1.5, {});
  see_row_parts<T>(ledger, random, 1.5, sinks);
  input_term_claims(ledger, random);
}

/// Rows that are counted otherwise than they are, on both ways.
double miscounted_rows(std::int64_t seed) {
  Random random(seed, "counted rows");
  const NoEncoding<double> none;
  const auto doors = SoftmaxDoors<double>::of(none);
  double count = 0;
  for (const Index with_nan : {0, 1, 3}) {
    Text<double> text(random);
    for (Index i = 0; i < with_nan; ++i)
      text.q(11 - i, i) = std::numeric_limits<double>::quiet_NaN();
    for (const auto& out : {softmax_attention<double>(text.in(), doors, text.mask()),
                            attention_output<double>(text.in(), doors, text.mask())})
      count += out.fully_masked_rows != 2 || out.nan_rows != with_nan ||
               !out.output.topRows(2).isZero(0);
  }
  return count;
}

/// What a causal mask and a window say of positions as far apart as there are.
double misjudged_ends_of_masks() {
  const Positions last{max_position}, first{-max_position};
  double count = 0;
  const auto see = [&](const Mask& mask, bool expected) { count += mask.allows(0, 0) != expected; };
  see(Mask::causal(last, first), true);
  see(Mask::causal(first, last), false);
  see(Mask::causal(last, last), true);
  see(Mask::sliding_window(last, first, 2 * max_position), false);  // |m − n| < width
  see(Mask::sliding_window(last, first, 2 * max_position + 1), true);
  see(Mask::sliding_window(last, last, 1), true);
  return count;
}

/// Linear attention of features that are all 0: no weights, no output, and they are counted.
double miscounted_denominators() {
  const Relu<double> relu;
  const Positions at = consecutive_positions(6);
  Rows q = Rows::Constant(6, d, 0.5), k = q, v = Rows::Constant(6, d_v, 2.0);
  q.topRows(2).setConstant(-1);
  double count = 0;
  for (const bool causal : {false, true}) {
    const AttentionInputs<double> in{q, k, v, at, at};
    const auto out = linear_attention<double>(in, relu, nullptr, {.causal = causal});
    const auto map = linear_attention_weights<double>(in, relu, nullptr, {.causal = causal});
    count += out.zero_normalizers != 2 || !out.output.topRows(2).isZero(0) ||
             !out.output.bottomRows(4).isConstant(2.0, 1e-12) || !map.topRows(2).isZero(0) ||
             !map.bottomRows(4).rowwise().sum().isConstant(1.0, 1e-12);
  }
  return count;
}

/// Counts what is taken though it ought to be refused, and the other way round.
class Misjudged {
 public:
  void see(const std::function<void()>& act, bool taken) {
    count_ += refusal(act).empty() != taken;
  }
  double count() const { return count_; }

 private:
  double count_{0};
};

void see_sinks_and_segments(Misjudged& all) {
  const Rows x = Rows::Constant(3, d, 0.5);
  const Positions at = consecutive_positions(3);
  const std::vector<double> sinks{0, 1};
  const auto attend = [&](int head, const Scoring& scoring) {
    static_cast<void>(softmax_attention<double>({x, x, x, at, at, head}, {}, {}, scoring));
  };
  Scoring sticks{.sinks = sinks};
  sticks.weights = WeightRule::stick_breaking;
  all.see([&] { attend(1, {.sinks = sinks}); }, true);
  all.see([&] { attend(2, {.sinks = sinks}); }, false);
  all.see([&] { attend(-1, {.sinks = sinks}); }, false);
  all.see([&] { attend(0, sticks); }, false);

  const Sinusoidal<double> sinusoids(d);
  all.see(
      [&] {
        static_cast<void>(attention_from_qkv<double>(sinusoids, {x, x, x, at, at}));
      },
      false);

  const std::vector<std::int32_t> ids{0, 1, 1};
  const NoEncoding<double> none;
  all.see(
      [&] {
        static_cast<void>(attention_from_qkv<double>(
            none, {.q = x, .k = x, .v = x, .m = at, .n = at, .segments = {ids, ids}}));
      },
      false);
}

void see_layers(Misjudged& all) {
  const Rows x = Rows::Constant(3, d, 0.5);
  const Positions at = consecutive_positions(3);
  const NoEncoding<double> none;
  for (const auto& [heads, kv_heads] :
       {std::pair<Index, Index>{4, 2}, {4, 1}, {4, 4}, {0, 1}, {4, 0}, {4, 3}, {2, 4}})
    all.see(
        [&, heads = heads, kv_heads = kv_heads] { static_cast<void>(HeadGroups(heads, kv_heads)); },
        heads == 4 && (kv_heads == 1 || kv_heads == 2 || kv_heads == 4));

  const LayerInputs<double> layer{{x, x}, {x}, {x}, at, at};
  const auto soft = [&](const LayerInputs<double>& in, const MaskSpec& visible) {
    return [&, in, visible] { static_cast<void>(multi_head_attention<double>(none, in, visible)); };
  };
  all.see(soft(layer, {}), true);
  all.see(soft({{x, x}, {x}, {x, x}, at, at}, {}), false);
  all.see(soft(layer, {.key_is_real = {true, true, false}}), true);
  all.see(soft(layer, {.key_is_real = {true, true}}), false);
  all.see(soft(layer, {.key_is_real = {true, true, true, true}}), false);
  all.see(soft(layer, {.head_masks = {Mask::causal(at, at), Mask::causal(at, at)}}), true);
  all.see(soft(layer, {.head_masks = {Mask::causal(at, at)}}), false);
  all.see(soft(layer, {.mask = Mask::causal(at, consecutive_positions(2))}), false);
  all.see(soft(layer, {.mask = Mask::causal(consecutive_positions(2), at)}), false);
  for (const Position width : {-1, 0})
    all.see([&] { static_cast<void>(Mask::sliding_window(at, at, width)); }, false);
  all.see([&] { static_cast<void>(Mask::sliding_window(at, at, 1)); }, true);
}

void see_linear_layers(Misjudged& all) {
  const Rows x = Rows::Constant(3, d, 0.5);
  const Positions at = consecutive_positions(3);
  const std::vector<std::int32_t> ids{0, 1, 1};
  const LayerInputs<double> layer{{x, x}, {x}, {x}, at, at};
  const EluPlusOne<double> elu;
  const auto linear = [&](const MaskSpec& visible, SegmentsIn segments = {}) {
    return [&, visible, segments] {
      LayerInputs<double> in = layer;
      in.segments = segments;
      static_cast<void>(multi_head_linear_attention<double>({}, elu, in, visible));
    };
  };
  all.see(linear({.causal = true, .key_is_real = {true, false, true}}), true);
  all.see(linear({.window = 2}), false);
  all.see(linear({.mask = Mask::causal(at, at)}), false);
  all.see(linear({.head_masks = {Mask::causal(at, at), Mask::causal(at, at)}}), false);
  all.see(linear({}, {ids, ids}), false);
}

void see_buckets(Misjudged& all) {
  const auto buckets = [&](T5Buckets of, Index rows) {
    return [=] { static_cast<void>(T5<double>(of, Rows::Zero(rows, 2))); };
  };
  all.see(buckets({.buckets = 32}, 32), true);
  all.see(buckets({.buckets = 31}, 31), false);
  all.see(buckets({.buckets = 31, .bidirectional = false}, 31), true);
  all.see(buckets({.buckets = 2}, 2), false);
  all.see(buckets({.buckets = 1, .bidirectional = false}, 1), false);
  all.see(buckets({.buckets = 32}, 31), false);
}

double misjudged_refusals() {
  Misjudged all;
  see_sinks_and_segments(all);
  see_layers(all);
  see_linear_layers(all);
  see_buckets(all);
  return all.count();
}

}  // namespace in_equations_rows
}  // namespace

void row_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_rows;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  Facts facts("a few queries and keys", claims);
  facts.equals(counted, "counted_rows", "rows that see no key, or a NaN: counted wrongly",
               miscounted_rows(options.seed), 0);
  facts.equals(counted, "counted_denominators",
               "denominators of linear attention that are 0: treated wrongly",
               miscounted_denominators(), 0);
  facts.equals(counted, "ends_of_masks", "masks at ±2^53: misjudged", misjudged_ends_of_masks(), 0);
  facts.equals(refused, "refused_attention",
               "sinks, segments, heads, masks, windows, buckets: misjudged", misjudged_refusals(),
               0);
}

}  // namespace orrery::verify
