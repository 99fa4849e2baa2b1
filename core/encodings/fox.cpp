#include "core/encodings/fox.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/attention/content.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/logit_rule.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

/// A total order of rows, NaN or not.
template <class T>
bool before(const MatrixIn<T>& k, Index a, Index b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (Index c = 0; c < k.cols(); ++c) {
    const Bits left = std::bit_cast<Bits>(k(a, c)), right = std::bit_cast<Bits>(k(b, c));
    if (left != right) return left < right;
  }
  return false;
}

/// w_h·y_t + b_h of every key. [N_k]
std::vector<double> gate_inputs(const Matrix<double>& contents, const ForgetGates& gates,
                                int head) {
  std::vector<double> inputs(static_cast<std::size_t>(contents.rows()));
  for (Index t = 0; t < contents.rows(); ++t) {
    double x = gates.bias(0, head);
    for (Index c = 0; c < contents.cols(); ++c) x += gates.weight(head, c) * contents(t, c);
    inputs[static_cast<std::size_t>(t)] = x;
  }
  return inputs;
}

/// What the gates read. [N_k, width]
template <class T>
Matrix<double> checked_contents(const ScoreInputs<T>& in, const ForgetGates& gates) {
  check_head(in.head, gates.weight.rows());
  Matrix<double> contents = gate_contents<T>(in, gates.source);
  if (contents.cols() == gates.weight.cols()) return contents;
  const bool of_keys = gates.source == GateSource::key;
  throw UsageError(fmt::format("{} with {} channels", of_keys ? "k" : "x", contents.cols()),
                   fmt::format("the forget gates were made for {}={}",
                               of_keys ? "d_head" : "d_model", gates.weight.cols()),
                   "give as many channels as the gates read");
}

/// D(m, n) = Σ g_t over the keys t between the two positions: n < p_t ≤ m for a key behind the
/// query and m < p_t ≤ n for one ahead, p_t the position of key t. gates [N_k], one number a key.
/// Sums in fp64, group by group in the order of positions.
Matrix<double> sums_between(PositionsIn m, PositionsIn n, const std::vector<KeyGroup>& groups,
                            const std::vector<double>& gates) {
  std::vector<double> up_to{0.0};  // the sum of the first groups
  for (const KeyGroup& group : groups) {
    double sum = up_to.back();
    for (const Index key : group.keys) sum += gates[static_cast<std::size_t>(key)];
    up_to.push_back(sum);
  }
  const auto sum_at = [&](Position p) {
    return up_to[static_cast<std::size_t>(groups_up_to(groups, p))];
  };
  std::vector<double> at_key(n.size());
  for (std::size_t j = 0; j < n.size(); ++j) at_key[j] = sum_at(n[j]);
  Matrix<double> sums(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < sums.rows(); ++i) {
    const Position query = m[static_cast<std::size_t>(i)];
    const double at_query = sum_at(query);
    for (Index j = 0; j < sums.cols(); ++j) {
      const auto key = static_cast<std::size_t>(j);
      sums(i, j) = n[key] <= query ? at_query - at_key[key] : at_key[key] - at_query;
    }
  }
  return sums;
}

/// Its derivative: ∂loss by the gates [N_k], given that by the sums [N_q, N_k].
std::vector<double> pull_sums_back(PositionsIn m, PositionsIn n,
                                   const std::vector<KeyGroup>& groups,
                                   const Matrix<double>& d_sums) {
  const auto place = [&](Position p) { return static_cast<std::size_t>(groups_up_to(groups, p)); };
  std::vector<std::size_t> at_key;
  for (const Position key : n) at_key.push_back(place(key));
  std::vector<double> d_up_to(groups.size() + 1, 0.0);
  for (Index i = 0; i < d_sums.rows(); ++i) {
    const Position query = m[static_cast<std::size_t>(i)];
    const std::size_t at_query = place(query);
    for (Index j = 0; j < d_sums.cols(); ++j) {
      const auto key = static_cast<std::size_t>(j);
      const double d_sum = n[key] <= query ? d_sums(i, j) : -d_sums(i, j);
      d_up_to[at_query] += d_sum;
      d_up_to[at_key[key]] -= d_sum;
    }
  }
  // A gate is in the sum of its own group and of all behind it.
  std::vector<double> d_gates(n.size());
  double d_gate = 0;
  for (std::size_t g = groups.size(); g-- > 0;) {
    d_gate += d_up_to[g + 1];
    for (const Index key : groups[g].keys) d_gates[static_cast<std::size_t>(key)] = d_gate;
  }
  return d_gates;
}

}  // namespace

template <class T>
std::vector<KeyGroup> keys_in_order(PositionsIn n, const MatrixIn<T>& k) {
  check_positions(n, k.rows());
  std::vector<Index> order(n.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto at = [&](Index key) { return n[static_cast<std::size_t>(key)]; };
  std::ranges::sort(
      order, [&](Index a, Index b) { return at(a) != at(b) ? at(a) < at(b) : before<T>(k, a, b); });
  std::vector<KeyGroup> groups;
  for (const Index key : order) {
    if (groups.empty() || groups.back().position != at(key)) groups.push_back({at(key), {}});
    groups.back().keys.push_back(key);
  }
  return groups;
}

Index groups_up_to(const std::vector<KeyGroup>& groups, Position position) {
  return std::ranges::upper_bound(groups, position, {}, &KeyGroup::position) - groups.begin();
}

ParamSpec gate_source_param(const std::string& key, const std::string& gates) {
  return {.key = key,
          .description = gates +
                         " read the keys, or the layer's input as in the paper, which is "
                         "known where tokens have contents and projections.",
          .kind = ParamKind::choice,
          .default_value = std::string("key"),
          .choices = {{"key", "$k_t$"}, {"input", "$x_t$, before $W_k$"}},
          .stated_if_set = true};
}

GateSource gate_source_of(const EncodingSettings& settings, const std::string& key) {
  return settings.params.text(key) == "input" ? GateSource::input : GateSource::key;
}

Index gate_width(const EncodingSettings& settings, GateSource source) {
  return source == GateSource::input ? settings.d_model : settings.d_head;
}

template <class T>
Matrix<double> gate_contents(const ScoreInputs<T>& in, GateSource source) {
  if (source == GateSource::key) return in.k.template cast<double>();
  if (in.x == nullptr)
    throw UsageError("gates of the layer's input", "need x, and here q and k are given without it",
                     "set fox.reads=key or path.reads=key, or give x and the projections");
  if (in.x->rows() != in.k.rows())
    throw UsageError(fmt::format("x of {} tokens", in.x->rows()),
                     fmt::format("must have a row for each of the {} keys", in.k.rows()),
                     "give the input that the keys were projected from");
  return in.x->template cast<double>();
}

template <class T>
void add_gate_content_gradients(const Matrix<double>& d_contents, GateSource source,
                                const ScoreGradients<T>& d) {
  if (source == GateSource::key) return add_to<T>(d.k, d_contents.cast<T>());
  if (d.x == nullptr)
    throw UsageError("the derivative of gates of the layer's input", "needs a place for that by x",
                     "give ScoreGradients::x");
  add_to<T>(*d.x, d_contents.cast<T>());
}

void check_gates(const ForgetGates& gates) {
  if (gates.bias.rows() == 1 && gates.bias.cols() == gates.weight.rows() && gates.bias.cols() > 0)
    return;
  throw UsageError(
      fmt::format("a forget gate with weight [{}, {}] and bias [{}, {}]", gates.weight.rows(),
                  gates.weight.cols(), gates.bias.rows(), gates.bias.cols()),
      "must be [heads, d_head] and [1, heads]", "save both from the same layer");
}

template <class T>
std::vector<ScoreTerm<T>> forgetting_terms(const ScoreInputs<T>& in, const ForgetGates& gates) {
  const Matrix<double> contents = checked_contents<T>(in, gates);
  const std::vector<KeyGroup> groups = keys_in_order<T>(in.n, in.k);
  const double constant = log_sigmoid(gates.bias(0, in.head));
  // A count of tokens is exact, and what contents change of a gate is 0 without content.
  const std::vector<double> one(in.n.size(), 1.0);
  std::vector<double> change = gate_inputs(contents, gates, in.head);
  for (double& gate : change) gate = log_sigmoid(gate) - constant;
  const Matrix<double> always = constant * sums_between(in.m, in.n, groups, one);
  const Matrix<double> content = sums_between(in.m, in.n, groups, change);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"constant_forgetting", always.cast<T>()});
  terms.push_back({"content_forgetting", content.cast<T>()});
  return terms;
}

template <class T>
void add_forgetting_gradients(const ScoreInputs<T>& in, const ForgetGates& gates,
                              const char* weight_name, const char* bias_name,
                              const Matrix<double>& d_sums, const ScoreGradients<T>& d) {
  const Matrix<double> contents = checked_contents<T>(in, gates);
  std::vector<double> d_inputs = pull_sums_back(in.m, in.n, keys_in_order<T>(in.n, in.k), d_sums);
  const std::vector<double> inputs = gate_inputs(contents, gates, in.head);
  for (std::size_t t = 0; t < inputs.size(); ++t) d_inputs[t] *= sigmoid(-inputs[t]);
  const Eigen::Map<const Eigen::VectorXd> by_key(d_inputs.data(), contents.rows());
  gradient_of(d.tables, weight_name, gates.weight.rows(), gates.weight.cols()).row(in.head) +=
      by_key.transpose() * contents;
  if (bias_name) gradient_of(d.tables, bias_name, 1, gates.bias.cols())(0, in.head) += by_key.sum();
  add_gate_content_gradients<T>(by_key * gates.weight.row(in.head), gates.source, d);
}

template <class T>
Fox<T>::Fox(ForgetGates gates, const StageRounding& rounding) : gates_(std::move(gates)) {
  check_gates(gates_);
  rounding.apply<double>(Stage::table, gates_.weight);
  rounding.apply<double>(Stage::table, gates_.bias);
}

template <class T>
EncodingInfo Fox<T>::info() {
  ParamSpec bias =
      real_param({"fox.bias", "$b$"},
                 "Bias of the gates, for every head unless a table gives it; the larger, the "
                 "less a token forgets; x-transformers starts it at 5.",
                 5.0, -100.0, 100.0);
  return {
      .name = "fox",
      .label = "FoX",
      .title = "Forgetting Transformer's cumulative gates",
      .statement = "Forgets by a gate of each token between query and key, read from its content.",
      .source = "Lin et al. 2025 (Forgetting Transformer)",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} + \sum_{t=n+1}^{m} \ln f_t, \quad f_t = \sigma(\mathbf{w}_h^\top \mathbf{k}_t + b_h))",
            "Lin et al. 2025"}},
      .symbols = {{"f_t", "forget gate of token $t$, between 0 and 1"},
                  {"w_h", "trained weights of the head's gates"},
                  {"b_h", "trained bias of the head's gates"}},
      .params = {std::move(bias), gate_source_param("fox.reads", "The gates")},
      .tables = {{"fox.weight", "[heads, d_head]; of the input [heads, d_model]",
                  "What each head's gates read of a key, or of the layer's input.",
                  "normal, deviation $(3\\text{ width})^{−1/2}$, that of PyTorch's linear layer"},
                 {"fox.bias", "[1, heads]", "Bias of each head's gates.",
                  "the parameter fox.bias for every head", false}},
      .stages = {Stage::table},
      .term_symbols = {{"constant_forgetting", R"((m - n) \ln \sigma(b_h))"},
                       {"content_forgetting", R"(\sum_t \ln \frac{f_t}{\sigma(b_h)})"}}};
}

template <class T>
std::unique_ptr<Fox<T>> Fox<T>::make(const EncodingSettings& s) {
  const GateSource source = gate_source_of(s, "fox.reads");
  const Index width = gate_width(s, source);
  const double deviation = 1.0 / std::sqrt(3.0 * static_cast<double>(width));
  return std::make_unique<Fox>(
      ForgetGates{table_of<double>(s, "fox.weight", s.heads, width, deviation),
                  table_or<double>(s, "fox.bias", 1, s.heads, s.params.real("fox.bias")), source},
      s.rounding);
}

template <class T>
std::vector<ScoreTerm<T>> Fox<T>::score_terms(const ScoreInputs<T>& in) const {
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  for (ScoreTerm<T>& term : forgetting_terms<T>(in, gates_)) terms.push_back(std::move(term));
  return terms;
}

template <class T>
void Fox<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                 const ScoreGradients<T>& d) const {
  add_content_gradients<T>(in, 1, d_logits, d);
  add_forgetting_gradients<T>(in, gates_, "fox.weight", "fox.bias",
                              d_logits.template cast<double>(), d);
}

#define ORRERY_INSTANTIATE(T)                                                                     \
  template void add_gate_content_gradients(const Matrix<double>&, GateSource,                     \
                                           const ScoreGradients<T>&);                             \
  template Matrix<double> gate_contents(const ScoreInputs<T>&, GateSource);                       \
  template std::vector<KeyGroup> keys_in_order(PositionsIn, const MatrixIn<T>&);                  \
  template void add_forgetting_gradients(const ScoreInputs<T>&, const ForgetGates&, const char*,  \
                                         const char*, const Matrix<double>&,                      \
                                         const ScoreGradients<T>&);                               \
  template std::vector<ScoreTerm<T>> forgetting_terms(const ScoreInputs<T>&, const ForgetGates&); \
  template class Fox<T>

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
