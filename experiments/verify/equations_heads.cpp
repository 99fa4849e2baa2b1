// Heads that share keys, and rows with a sink or a cap: what RoFormer's (2) has not.
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_heads {

const Paper grouped{ClaimKind::cited, "",
                    "Heads: Vaswani et al. 2017 §3.2.2, Shazeer 2019, Ainslie et al. 2023",
                    "RoFormer's (2) has one head, with keys and values of its own"};
const Paper sinks_paper{ClaimKind::cited, "", "Sinks and caps: Xiao et al. 2024 §3.3, Gemma 2 §2",
                        "RoFormer's (2) has neither"};

constexpr Index d = 8;

/// H heads over H_kv, from contents and from q, k, v, with slopes that differ from head to head.
template <class T>
void group_claims(Ledger<T>& ledger, Random& random, Index kv_heads, const std::string& name,
                  const std::string& label) {
  constexpr Index heads = 4, d_model = 12, first_head = 2;
  constexpr Index tokens = 6;
  const Positions at{5, 0, 2, 1, 4, 3};
  const Matrix<T> x = normal_matrix<T>(random, tokens, d_model);
  const LayerProjections<T> w{
      weights<T>(random, d_model, heads * d), weights<T>(random, d_model, kv_heads * d),
      weights<T>(random, d_model, kv_heads * d), HeadGroups(heads, kv_heads)};
  const Alibi<T> encoding(8);
  const std::vector<double> slopes = literal::alibi_slopes(8);
  const LayerContents<T> contents{x, x, at, at, first_head};
  const auto from_x = multi_head_attention<T>(encoding, w, contents);
  const auto from_qkv = multi_head_attention<T>(encoding, projected<T>(nullptr, w, contents), {});
  Rows side_by_side(tokens, heads * d);
  const double bound = 2 * rounding_bound<T>(roundings_of(d_model));
  for (Index h = 0; h < heads; ++h) {
    const Index shared = h / (heads / kv_heads);
    const literal::Head head{
        literal::product(wide(x), literal::head_columns(wide(w.W_q), h, d)),
        literal::product(wide(x), literal::head_columns(wide(w.W_k), shared, d)),
        literal::product(wide(x), literal::head_columns(wide(w.W_v), shared, d)), at, at};
    const Rows logits = literal::sum_of(
        literal::alibi(head, slopes[static_cast<std::size_t>(first_head + h)], false));
    const Rows output = literal::product(literal::softmax(logits), head.v);
    for (Index i = 0; i < tokens; ++i)
      for (Index c = 0; c < d; ++c) side_by_side(i, h * d + c) = output(i, c);
    const auto& of_x = from_x[static_cast<std::size_t>(h)];
    const auto& of_qkv = from_qkv[static_cast<std::size_t>(h)];
    ledger.compare(grouped, name + "_logits", label + ": logits, head by head", of_x.logits, logits,
                   bound);
    ledger.compare(grouped, name + "_from_qkv", label + ": the same from q, k, v", of_qkv.logits,
                   logits, bound);
  }
  ledger.compare(grouped, name + "_output", label + ": outputs side by side",
                 concatenated<T>(from_x), side_by_side, bound);
}

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

/// The name of a case and what its statements begin with.
std::pair<std::string, std::string> case_of(bool capped, bool sunk) {
  if (capped && sunk) return {"cap_and_sink", "a cap and a sink"};
  return capped ? std::pair{"cap", "a cap, c tanh(l/c)"} : std::pair{"sink", "a sink"};
}

/// Of a causal text, whose first two queries see no key.
template <class T>
void row_claims(Ledger<T>& ledger, Random& random, double cap, std::span<const double> sinks) {
  constexpr Index d_v = 5;
  constexpr int head = 1;
  const Positions m = consecutive_positions(12, 3), n = consecutive_positions(20, 5);
  const Matrix<T> q = normal_matrix<T>(random, 12, d, 3), k = normal_matrix<T>(random, 20, d),
                  v = normal_matrix<T>(random, 20, d_v);
  const auto sees = [&](Index i, Index j) {
    return n[static_cast<std::size_t>(j)] <= m[static_cast<std::size_t>(i)];
  };
  Rows logits = literal::scores(wide(q), wide(k), std::sqrt(double{d}));
  if (cap > 0) logits = logits.unaryExpr([&](auto l) { return cap * std::tanh(l / cap); });
  const Rows weights =
      with_sink(logits, sinks.empty() ? std::nullopt : std::optional<double>(sinks[head]), sees);
  const Rows output = literal::product(weights, wide(v));
  const double bound = 4 * rounding_bound<T>(roundings_of(d)),
               weighed = softmax_bound(logits, bound);
  const auto [name, label] = case_of(cap > 0, !sinks.empty());
  const Scoring scoring{.softcap = cap, .sinks = sinks};
  const NoEncoding<T> none;
  const auto doors = SoftmaxDoors<T>::of(none);
  const AttentionInputs<T> in{q, k, v, m, n, head};
  const Mask mask = Mask::causal(m, n);
  const auto map = softmax_attention<T>(in, doors, mask, scoring);
  ledger.compare(sinks_paper, name + "_logits", label + ": logits", map.logits, logits, bound);
  ledger.compare(sinks_paper, name + "_weights", label + ": weights", map.weights, weights,
                 weighed);
  ledger.compare(sinks_paper, name + "_output", label + ": output", map.output, output, weighed);
  ledger.compare(sinks_paper, name + "_alone", label + ": output without a map",
                 attention_output<T>(in, doors, mask, scoring).output, output, weighed);
}

template <class T>
void head_claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("4 heads, N = 6, d = 8, " + std::to_string(options.draws) + " draws", claims);
  for (int draw = 0; draw < options.draws; ++draw) {
    Random random(options.seed, "heads, draw " + std::to_string(draw));
    group_claims(ledger, random, 4, "multi_head", "a key head each");
    group_claims(ledger, random, 2, "grouped_query", "two query heads per key head");
    group_claims(ledger, random, 1, "multi_query", "one key head for all");
  }
}

template <class T>
void sink_claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("12 queries, 20 keys, causal, 1 draw", claims);
  Random random(options.seed, "sinks and caps");
  const std::vector<double> sinks{-2, std::log(3.0)};
  row_claims<T>(ledger, random, 0, sinks);
  row_claims<T>(ledger, random, 1.5, {});
  row_claims<T>(ledger, random, 1.5, sinks);
}

}  // namespace in_equations_heads
}  // namespace

void head_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_heads;
  head_claims_in<double>(options, claims);
  head_claims_in<float>(options, claims);
}

void sink_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_heads;
  sink_claims_in<double>(options, claims);
  sink_claims_in<float>(options, claims);
}

}  // namespace orrery
