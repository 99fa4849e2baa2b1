#include "core/encodings/cope.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/attention/content.h"
#include "core/attention/tiles.h"
#include "core/errors.h"
#include "core/logit_rule.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

/// Σ gates over the keys from the query's position to the key's, both ends included, for the keys
/// of each group. gates and counts [N_k].
void count(Position query, const std::vector<KeyGroup>& groups, const std::vector<double>& gates,
           std::vector<double>& counts) {
  const auto add = [&](const KeyGroup& group, double sum) {
    for (const Index key : group.keys) sum += gates[static_cast<std::size_t>(key)];
    for (const Index key : group.keys) counts[static_cast<std::size_t>(key)] = sum;
    return sum;
  };
  const auto behind = static_cast<std::size_t>(groups_up_to(groups, query));
  double sum = 0;
  for (std::size_t g = behind; g-- > 0;) sum = add(groups[g], sum);
  sum = 0;
  if (behind > 0 && groups[behind - 1].position == query)  // it counts for keys ahead, too
    sum = counts[static_cast<std::size_t>(groups[behind - 1].keys.front())];
  for (std::size_t g = behind; g < groups.size(); ++g) sum = add(groups[g], sum);
}

/// Its derivative: ∂loss by the gates, given that by the counts.
void pull_count_back(Position query, const std::vector<KeyGroup>& groups,
                     const std::vector<double>& d_counts, std::vector<double>& d_gates) {
  const auto add = [&](const KeyGroup& group, double sum) {
    for (const Index key : group.keys) sum += d_counts[static_cast<std::size_t>(key)];
    for (const Index key : group.keys) d_gates[static_cast<std::size_t>(key)] = sum;
    return sum;
  };
  const auto behind = static_cast<std::size_t>(groups_up_to(groups, query));
  double sum = 0;
  for (std::size_t g = 0; g < behind; ++g) sum = add(groups[g], sum);
  sum = 0;
  for (std::size_t g = groups.size(); g-- > behind;) sum = add(groups[g], sum);
  if (behind > 0 && groups[behind - 1].position == query)  // it counts for keys ahead, too
    for (const Index key : groups[behind - 1].keys) d_gates[static_cast<std::size_t>(key)] += sum;
}

}  // namespace

template <class T>
Cope<T>::Cope(CopeGate gate, Matrix<T> table, const StageRounding& rounding)
    : gate_(gate), table_(rounding.rounded<T>(Stage::table, std::move(table))) {
  if (table_.size() == 0)
    throw UsageError("a CoPE table without rows or channels", "must have one row per count",
                     "give [positions, d_head]");
}

template <class T>
EncodingInfo Cope<T>::info() {
  ParamSpec positions = log_count_param({"cope.positions", "$P$"},
                                        "Rows of the table; counts end at $P − 1$.", 64, 1, 1e6);
  ParamSpec gate = choice_param("cope.gate", "What the gates see.", "scaled",
                                {{"scaled", "$σ(q·k/\\sqrt{d})$: the paper's code, x-transformers"},
                                 {"unscaled", "$σ(q·k)$: the paper's eq. (3)"}});
  return {
      .name = "cope",
      .label = "CoPE",
      .title = "CoPE, contextual position encoding",
      .statement =
          "Counts the tokens between query and key by content, and adds $q$ times a count's "
          "vector.",
      .source = "Golovneva et al. 2024 (CoPE) §4",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} + \mathbf{q}_m^\top \mathbf{e}_p, \quad p = \min(P - 1, \sum_{t=n}^{m} \sigma(\mathbf{q}_m^\top \mathbf{k}_t / \sqrt{d})))",
            "Golovneva et al. 2024"},
           {R"(\mathbf{e}_p = (1 - p + \lfloor p \rfloor) \mathbf{e}_{\lfloor p \rfloor} + (p - \lfloor p \rfloor) \mathbf{e}_{\lfloor p \rfloor + 1})",
            "Golovneva et al. 2024", in_descriptions}},
      .symbols = {{"p", "count of the tokens from $n$ to $m$, each by its gate"},
                  {"e_p", "trained vector of a count, interpolated between whole ones"}},
      .params = {std::move(positions), std::move(gate)},
      .tables = {{"cope.table", "[positions, d_head]",
                  "The vector of each whole count, for all heads.",
                  "normal, deviation 0.02; the paper starts at zeros"}},
      .stages = {Stage::table},
      .term_symbols = {{"counted_position", R"(\mathbf{q}_m^\top \mathbf{e}_{(m-n+1)/2})"},
                       {"contextual_position", R"(\mathbf{q}_m^\top \Delta\mathbf{e}_p)"}},
      .same_heads = true};
}

template <class T>
void Cope<T>::check(const EncodingSettings& s) {
  check_table_size("cope.table", s.params.integer("cope.positions"), s.d_head, "cope.positions");
}

template <class T>
std::unique_ptr<Cope<T>> Cope<T>::make(const EncodingSettings& s) {
  check(s);
  const CopeGate gate =
      s.params.text("cope.gate") == "unscaled" ? CopeGate::unscaled : CopeGate::scaled;
  return std::make_unique<Cope>(
      gate,
      table_of<T>(s, "cope.table", s.params.integer("cope.positions"), s.d_head, initial_deviation),
      s.rounding);
}

template <class T>
double Cope<T>::interpolated(const T* products, double p) const {
  if (std::isnan(p)) return p;
  const double most = static_cast<double>(table_.rows() - 1);
  const double at = p < most ? p : most, below = std::floor(at), share = at - below;
  const double low = static_cast<double>(products[static_cast<std::size_t>(below)]);
  if (share == 0) return low;
  return (1 - share) * low +
         share * static_cast<double>(products[static_cast<std::size_t>(below) + 1]);
}

template <class T>
double Cope<T>::pull_interpolated_back(const T* products, double p, double d_out,
                                       T* d_products) const {
  if (std::isnan(p)) return p;
  const auto last = static_cast<std::size_t>(table_.rows() - 1);
  if (!(p < static_cast<double>(last))) {
    d_products[last] += static_cast<T>(d_out);
    return 0;
  }
  const double below = std::floor(p), share = p - below;
  const auto low = static_cast<std::size_t>(below);
  d_products[low] += static_cast<T>((1 - share) * d_out);
  d_products[low + 1] += static_cast<T>(share * d_out);
  return d_out * (static_cast<double>(products[low + 1]) - static_cast<double>(products[low]));
}

template <class T>
void Cope<T>::check_width(const MatrixIn<T>& q) const {
  if (q.cols() == table_.cols()) return;
  throw UsageError(fmt::format("q with {} channels", q.cols()),
                   fmt::format("the table was made for d_head={}", table_.cols()),
                   "give q and k with as many channels");
}

template <class T>
std::vector<ScoreTerm<T>> Cope<T>::score_terms(const ScoreInputs<T>& in) const {
  check_width(in.q);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  const double unscale =
      gate_ == CopeGate::scaled ? 1.0 : 1.0 / score_scale(1, in.q.cols(), in.scoring);
  const std::vector<KeyGroup> groups = keys_in_order<T>(in.n, in.k);
  const Matrix<T> products = scores_of<T>(in.q, table_);
  const std::vector<double> half(in.n.size(), 0.5);
  std::vector<double> gates(in.n.size()), plain(in.n.size()), counts(in.n.size());
  Matrix<T> counted(in.q.rows(), in.k.rows()), contextual(in.q.rows(), in.k.rows());
  for (Index i = 0; i < counted.rows(); ++i) {
    for (std::size_t j = 0; j < gates.size(); ++j)
      gates[j] =
          sigmoid(unscale * static_cast<double>(terms.front().logits(i, static_cast<Index>(j))));
    count(in.m[static_cast<std::size_t>(i)], groups, half, plain);
    count(in.m[static_cast<std::size_t>(i)], groups, gates, counts);
    for (Index j = 0; j < counted.cols(); ++j) {
      const T* row = products.row(i).data();
      const double base = interpolated(row, plain[static_cast<std::size_t>(j)]);
      counted(i, j) = static_cast<T>(base);
      contextual(i, j) =
          static_cast<T>(interpolated(row, counts[static_cast<std::size_t>(j)]) - base);
    }
  }
  terms.push_back({"counted_position", std::move(counted)});
  terms.push_back({"contextual_position", std::move(contextual)});
  return terms;
}

template <class T>
void Cope<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                  const ScoreGradients<T>& d) const {
  check_width(in.q);
  const double scale = score_scale(1, in.q.cols(), in.scoring);
  const double gate_scale = gate_ == CopeGate::scaled ? scale : 1.0;
  const std::vector<KeyGroup> groups = keys_in_order<T>(in.n, in.k);
  const Matrix<T> contents = scores_of<T>(in.q, in.k), products = scores_of<T>(in.q, table_);
  Matrix<T> d_contents = static_cast<T>(scale) * d_logits;
  Matrix<T> d_products = Matrix<T>::Zero(products.rows(), products.cols());
  std::vector<double> gates(in.n.size()), counts(gates), d_counts(gates), d_gates(gates);
  for (Index i = 0; i < contents.rows(); ++i) {
    const Position query = in.m[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < gates.size(); ++j)
      gates[j] = sigmoid(gate_scale * static_cast<double>(contents(i, static_cast<Index>(j))));
    count(query, groups, gates, counts);
    for (std::size_t j = 0; j < gates.size(); ++j)
      d_counts[j] = pull_interpolated_back(products.row(i).data(), counts[j],
                                           static_cast<double>(d_logits(i, static_cast<Index>(j))),
                                           d_products.row(i).data());
    pull_count_back(query, groups, d_counts, d_gates);
    for (std::size_t j = 0; j < gates.size(); ++j)
      d_contents(i, static_cast<Index>(j)) +=
          static_cast<T>(gate_scale * gates[j] * (1 - gates[j]) * d_gates[j]);
  }
  Matrix<T> d_table = Matrix<T>::Zero(table_.rows(), table_.cols());
  add_product_gradients<T>(in.q, in.k, d_contents, 1.0, d.q, d.k);
  add_product_gradients<T>(in.q, table_, d_products, 1.0, d.q, d_table);
  gradient_of(d.tables, "cope.table", table_.rows(), table_.cols()) +=
      d_table.template cast<double>();
}

template class Cope<float>;
template class Cope<double>;

}  // namespace orrery
