#include "core/encodings/grape_additive.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "core/attention/content.h"
#include "core/encodings/alibi.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/logit_rule.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

GrapeGate gate_named(const std::string& name) {
  if (name == "none") return GrapeGate::none;
  if (name == "query") return GrapeGate::query;
  if (name == "query_key") return GrapeGate::query_key;
  return name == "forget" ? GrapeGate::forget : GrapeGate::key;
}

/// Returns what the lengths were. [rows]
std::vector<double> normalise_rows(Matrix<double>& rows) {
  std::vector<double> lengths;
  for (Index h = 0; h < rows.rows(); ++h) {
    lengths.push_back(rows.row(h).norm());
    if (!(lengths.back() == 0)) rows.row(h) /= lengths.back();  // NaN passes
  }
  return lengths;
}

void check_forget_gates(const ForgetGates& gates, Index heads, Index d) {
  check_gates(gates);
  if (gates.weight.rows() == heads && gates.weight.cols() == d) return;
  throw UsageError(fmt::format("forget gates [{}, {}] of {} heads of {} channels",
                               gates.weight.rows(), gates.weight.cols(), heads, d),
                   "must be [heads, d_head]", "save them from the same layer");
}

}  // namespace

template <class T>
GrapeAdditive<T>::GrapeAdditive(int heads, GrapeGate gate, GrapeAdditiveTables tables,
                                const StageRounding& rounding)
    : slopes_(alibi_slopes(heads)), gate_(gate), tables_(std::move(tables)), rounding_(rounding) {
  const Index d = tables_.key.cols();
  if (tables_.key.rows() != heads || tables_.query.rows() != heads || tables_.query.cols() != d ||
      d == 0)
    throw UsageError(fmt::format("gates u [{}, {}] and v [{}, {}] of {} heads", tables_.key.rows(),
                                 d, tables_.query.rows(), tables_.query.cols(), heads),
                     "must be [heads, d_head]", "save both from the same layer");
  if (gate == GrapeGate::forget) check_forget_gates(tables_.forget, heads, d);
  for (double& slope : slopes_) slope = rounding_(Stage::table, slope);
  key_lengths_ = normalise_rows(tables_.key);
  query_lengths_ = normalise_rows(tables_.query);
  for (Matrix<double>* table : {&tables_.key, &tables_.query})
    rounding_.apply<double>(Stage::table, *table);
  rounding_.apply<double>(Stage::table, tables_.forget.weight);
  rounding_.apply<double>(Stage::table, tables_.forget.bias);
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo GrapeAdditive<T>::info() {
  ParamSpec gate = choice_param(
      "grape_additive.gate", "What sets the speed $ω$ at which a key is penalised.", "key",
      {{"key", "$s_h·\\operatorname{softplus}(u·k_n/(|u|\\sqrt{d}))$: GRAPE-A, key-gated"},
       {"query", "$s_h·\\operatorname{softplus}(v·q_m/(|v|\\sqrt{d}))$"},
       {"query_key", "the sum of both"},
       {"none", "$s_h$: ALiBi"},
       {"forget", "$−\\ln σ(w·k_t)$, token by token: FoX"}});
  ParamSpec bias =
      read_while("grape_additive.gate", {"forget"},
                 real_param({"grape_additive.bias", "$b$"},
                            "Bias of the forget gates: the larger, the less a token forgets.", 5.0,
                            -100.0, 100.0));
  const std::string drawn = "normal, deviation $d_\\mathrm{head}^{−1/2}$, then of length 1";
  return {
      .name = "grape_additive",
      .label = "GRAPE-A",
      .title = "Additive GRAPE, unipotent action",
      .statement =
          "Adds a bias linear in distance, at a speed read from content; has ALiBi and FoX in it.",
      .source = "Zhang et al. 2025 (GRAPE) §4",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} - |m - n| \omega, \quad \omega = s_h \ln\left(1 + \exp\left(\frac{\mathbf{u}_h^\top \mathbf{k}_n}{|\mathbf{u}_h| \sqrt{d}}\right)\right))",
            "Zhang et al. 2025"},
           {R"(\mathbf{G}(r) = \exp(r \omega \mathbf{A}) = \mathbf{I} + r \omega \mathbf{A}, \quad \mathbf{A}^2 = \mathbf{0})",
            "Zhang et al. 2025", in_descriptions},
           {R"(\text{gate=query: } \omega = s_h \ln\left(1 + \exp\left(\frac{\mathbf{v}_h^\top \mathbf{q}_m}{|\mathbf{v}_h| \sqrt{d}}\right)\right); \quad \text{gate=none: } \omega = s_h)",
            "", in_descriptions}},
      .symbols = {{"ω", "speed of the action, in logits per token"},
                  {"s_h", "ALiBi's slope of the head"},
                  {"u_h",
                   "trained vector of the head, divided by its length $|u_h|$, a given table too"},
                  {"v_h", "the same for queries"}},
      .params = {std::move(gate), std::move(bias)},
      .tables =
          {{"grape_additive.key", "[heads, d_head]",
            "$u$: what each head's gates read of a key; its rows are divided by their lengths.",
            drawn},
           {"grape_additive.query", "[heads, d_head]",
            "$v$: what each head's gates read of a query; its rows are divided by "
            "their lengths.",
            drawn},
           {"grape_additive.forget", "[heads, d_head]",
            "$w$: what each head's forget gates read of a key.",
            "normal, deviation $(3 d_\\mathrm{head})^{−1/2}$"}},
      .stages = {Stage::position, Stage::distance, Stage::table},
      .term_symbols = {{"linear_bias", R"(-\omega_0 |m - n|)"},
                       {"query_gated_bias", R"(-\Delta\omega_m |m - n|)"},
                       {"key_gated_bias", R"(-\Delta\omega_n |m - n|)"},
                       {"constant_forgetting", R"((m - n) \ln \sigma(b_h))"},
                       {"content_forgetting", R"(\sum_t \ln \frac{f_t}{\sigma(b_h)})"}},
      .cost = {.mean_logit = 2300}};
}

template <class T>
std::unique_ptr<GrapeAdditive<T>> GrapeAdditive<T>::make(const EncodingSettings& s) {
  const double unit = 1.0 / std::sqrt(static_cast<double>(s.d_head));
  const auto table = [&](const char* name, double deviation) {
    return table_of<double>(s, name, s.heads, s.d_head, deviation);
  };
  return std::make_unique<GrapeAdditive>(
      s.heads, gate_named(s.params.text("grape_additive.gate")),
      GrapeAdditiveTables{
          table("grape_additive.key", unit),
          table("grape_additive.query", unit),
          {table("grape_additive.forget", unit / std::sqrt(3.0)),
           Matrix<double>::Constant(1, s.heads, s.params.real("grape_additive.bias"))}},
      s.rounding);
}

template <class T>
std::vector<double> GrapeAdditive<T>::rates(const MatrixIn<T>& x, const Matrix<double>& weights,
                                            int head, bool gated) const {
  std::vector<double> rate(static_cast<std::size_t>(x.rows()), 0.0);
  if (!gated) return rate;
  const double root = std::sqrt(static_cast<double>(x.cols()));
  for (Index i = 0; i < x.rows(); ++i) {
    double sum = 0;
    for (Index c = 0; c < x.cols(); ++c) sum += weights(head, c) * static_cast<double>(x(i, c));
    rate[static_cast<std::size_t>(i)] = softplus(sum / root) - std::numbers::ln2;
  }
  return rate;
}

template <class T>
void GrapeAdditive<T>::check_inputs(const ScoreInputs<T>& in) const {
  check_head(in.head, tables_.key.rows());
  if (in.q.cols() != tables_.key.cols() || in.k.cols() != tables_.key.cols())
    throw UsageError(fmt::format("q with {} and k with {} channels", in.q.cols(), in.k.cols()),
                     fmt::format("this GRAPE was made for d_head={}", tables_.key.cols()),
                     "give q and k with as many channels");
}

template <class T>
std::vector<ScoreTerm<T>> GrapeAdditive<T>::score_terms(const ScoreInputs<T>& in) const {
  check_inputs(in);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  if (gate_ == GrapeGate::forget) {
    for (ScoreTerm<T>& term : forgetting_terms<T>(in, tables_.forget))
      terms.push_back(std::move(term));
    return terms;
  }
  const bool of_key = gates_keys(), of_query = gates_queries();
  const double slope = slopes_[static_cast<std::size_t>(in.head)];
  const double still = of_key && of_query     ? 2.0 * std::numbers::ln2
                       : (of_key || of_query) ? std::numbers::ln2
                                              : 1.0;
  const std::vector<double> by_key = rates(in.k, tables_.key, in.head, of_key);
  const std::vector<double> by_query = rates(in.q, tables_.query, in.head, of_query);
  const Index rows = in.q.rows(), columns = in.k.rows();
  Matrix<T> constant(rows, columns), query_gated(rows, columns), key_gated(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      const auto m = static_cast<std::size_t>(i), n = static_cast<std::size_t>(j);
      const double reach = -std::abs(rounded_distance(in.m[m], in.n[n], rounding_)) * slope;
      constant(i, j) = static_cast<T>(reach * still);
      // Where the constant part overflows its format it says −∞ of all of them.
      const double said = in.scoring.rounding(Stage::scale, reach * still);
      const double gated = std::isinf(said) ? 0.0 : reach;
      query_gated(i, j) = static_cast<T>(gated * by_query[m]);
      key_gated(i, j) = static_cast<T>(gated * by_key[n]);
    }
  terms.push_back({"linear_bias", std::move(constant)});
  if (of_query) terms.push_back({"query_gated_bias", std::move(query_gated)});
  if (of_key) terms.push_back({"key_gated_bias", std::move(key_gated)});
  return terms;
}

template <class T>
Matrix<double> GrapeAdditive<T>::mean_directions(Index d) const {
  if (gate_ == GrapeGate::forget) return {};
  return Matrix<double>::Identity(d, d);
}

template <class T>
void GrapeAdditive<T>::add_rate_gradients(const MatrixIn<T>& x, const Matrix<double>& unit,
                                          double length, const Matrix<double>& d_rates,
                                          MatrixOut<T> d_x,
                                          Eigen::Ref<Eigen::RowVectorXd> d_row) const {
  const double root = std::sqrt(static_cast<double>(x.cols()));
  Eigen::RowVectorXd d_unit = Eigen::RowVectorXd::Zero(x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    const Eigen::RowVectorXd content = x.row(i).template cast<double>();
    const double d_sum = d_rates(i, 0) * sigmoid(content.dot(unit.row(0)) / root) / root;
    d_x.row(i) += (d_sum * unit.row(0)).template cast<T>();
    d_unit += d_sum * content;
  }
  // Along the row its length alone changes; a row of zeros stays one.
  if (!(length == 0)) d_row += (d_unit - d_unit.dot(unit.row(0)) * unit.row(0)) / length;
}

template <class T>
void GrapeAdditive<T>::add_gate_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                          const ScoreGradients<T>& d) const {
  const auto head = static_cast<std::size_t>(in.head);
  const Matrix<double> reach = matrix_of_pairs<double>(in.m, in.n, [&](Position m, Position n) {
    return -std::abs(rounded_distance(m, n, rounding_)) * slopes_[head];
  });
  const Matrix<double> d_speeds = reach.cwiseProduct(d_logits.template cast<double>());
  const Index heads = tables_.key.rows(), width = tables_.key.cols();
  if (gates_keys())
    add_rate_gradients(in.k, tables_.key.row(in.head), key_lengths_[head],
                       d_speeds.colwise().sum().transpose(), d.k,
                       gradient_of(d.tables, "grape_additive.key", heads, width).row(in.head));
  if (gates_queries())
    add_rate_gradients(in.q, tables_.query.row(in.head), query_lengths_[head],
                       d_speeds.rowwise().sum(), d.q,
                       gradient_of(d.tables, "grape_additive.query", heads, width).row(in.head));
}

template <class T>
void GrapeAdditive<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                           const ScoreGradients<T>& d) const {
  check_inputs(in);
  add_content_gradients<T>(in, 1, d_logits, d);
  if (gate_ == GrapeGate::forget)
    add_forgetting_gradients<T>(in, tables_.forget, "grape_additive.forget", nullptr,
                                d_logits.template cast<double>(), d);
  else
    add_gate_gradients(in, d_logits, d);
}

template class GrapeAdditive<float>;
template class GrapeAdditive<double>;

}  // namespace orrery
