#include "core/encodings/path.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/attention/content.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/logit_rule.h"
#include "core/param_specs.h"
#include "core/product.h"

namespace orrery {
namespace {

Index heads_of(const PathTables& p) { return p.gate.rows(); }

/// Rows of W for one head.
Index head_width(const PathTables& p) {
  return p.source == GateSource::key ? p.direction.rows() : p.direction.rows() / heads_of(p);
}

void check_convolution(const PathTables& p) {
  if (p.convolution.size() == 0 || p.convolution.cols() == p.direction.rows()) return;
  throw UsageError(
      fmt::format("PaTH's convolution [{}, {}]", p.convolution.rows(), p.convolution.cols()),
      fmt::format("must have {} columns, one per row of the direction", p.direction.rows()),
      "save both from the same layer");
}

void check_tables(const PathTables& p) {
  const Index rows = p.direction.rows(), width = p.direction.cols(), heads = heads_of(p);
  const bool shaped = p.source == GateSource::key ? rows == width : heads > 0 && rows % heads == 0;
  if (rows > 0 && shaped && heads > 0 && p.gate.cols() == width && p.bias.rows() == 1 &&
      p.bias.cols() == heads)
    return check_convolution(p);
  throw UsageError(fmt::format("PaTH tables direction [{}, {}], gate [{}, {}], bias [{}, {}]", rows,
                               width, heads, p.gate.cols(), p.bias.rows(), p.bias.cols()),
                   p.source == GateSource::key
                       ? "must be [d_head, d_head], [heads, d_head] and [1, heads]"
                       : "must be [heads·d_head, d_model], [heads, d_model] and [1, heads]",
                   "save them from the same layer");
}

using Row = Eigen::RowVectorXd;

/// All keys in the order of their groups.
std::vector<Index> order_of(const std::vector<KeyGroup>& groups) {
  std::vector<Index> order;
  for (const KeyGroup& group : groups)
    order.insert(order.end(), group.keys.begin(), group.keys.end());
  return order;
}

/// Calls see(s, t, t − s) for each tap s that reaches a key, tokens by their places in order.
template <class See>
void for_taps(const Matrix<double>& taps, const std::vector<Index>& order, const See& see) {
  for (std::size_t t = 0; t < order.size(); ++t)
    for (Index s = 0; s < taps.rows() && static_cast<std::size_t>(s) <= t; ++s)
      see(s, order[t], order[t - static_cast<std::size_t>(s)]);
}

/// Σ_s C_s ⊙ z_{t−s} of every token; taps [width, d], C_0 first.
Matrix<double> convolved(const Matrix<double>& z, const Matrix<double>& taps,
                         const std::vector<Index>& order) {
  Matrix<double> out = Matrix<double>::Zero(z.rows(), z.cols());
  for_taps(taps, order, [&](Index s, Index to, Index from) {
    out.row(to) += taps.row(s).cwiseProduct(z.row(from));
  });
  return out;
}

/// The rows and columns of the tables that a head reads.
struct HeadTables {
  Index first, d;
  Matrix<double> direction;  ///< [d, width]
  Matrix<double> taps;       ///< [taps, d], or empty

  HeadTables(const PathTables& tables, Index head)
      : first(tables.source == GateSource::key ? 0 : head * head_width(tables)),
        d(head_width(tables)),
        direction(tables.direction.middleRows(first, d)) {
    if (tables.convolution.size() > 0) taps = tables.convolution.middleCols(first, d);
  }
};

/// The Householder-like matrices of the keys.
struct Reflections {
  Matrix<double> projected;       ///< W y_t [N_k, d]
  Matrix<double> summed;          ///< before the SiLU of a convolution, or empty
  std::vector<double> lengths{};  ///< |z_t| [N_k]
  Matrix<double> w;               ///< [N_k, d], of length 1 or 0
  Eigen::VectorXd beta;           ///< [N_k]

  /// contents [N_k, width]: what W and u read
  Reflections(const Matrix<double>& contents, const PathTables& tables, Index head,
              const std::vector<KeyGroup>& groups)
      : beta(contents.rows()) {
    const HeadTables of(tables, head);
    projected = product_with_transpose<double>(contents, of.direction);
    w = projected;
    if (of.taps.size() > 0) {
      summed = convolved(projected, of.taps, order_of(groups));
      w = summed.unaryExpr([](double x) { return x * sigmoid(x); });
    }
    for (Index t = 0; t < contents.rows(); ++t) {
      lengths.push_back(w.row(t).norm());
      if (!(lengths.back() == 0)) w.row(t) /= lengths.back();  // NaN passes
      const double x = contents.row(t).dot(tables.gate.row(head)) + tables.bias(0, head);
      beta(t) = 2.0 * sigmoid(x);
    }
  }

  /// rᵀ H_t
  void reflect(Index t, Row& r) const { r -= beta(t) * r.dot(w.row(t)) * w.row(t); }
};

/// ∂loss by the matrices of the keys.
struct ReflectionGradients {
  Matrix<double> w;
  Eigen::VectorXd beta;

  explicit ReflectionGradients(const Reflections& of)
      : w(Matrix<double>::Zero(of.w.rows(), of.w.cols())),
        beta(Eigen::VectorXd::Zero(of.beta.size())) {}

  /// The derivative of reflect at r: d_r, ∂loss by what became of r, becomes that by r.
  void reflect_back(const Reflections& of, Index t, const Row& r, Row& d_r) {
    const double along = r.dot(of.w.row(t)), d_along = d_r.dot(of.w.row(t));
    beta(t) -= along * d_along;
    w.row(t) -= of.beta(t) * (along * d_r + d_along * r);
    d_r -= of.beta(t) * d_along * of.w.row(t);
  }
};

/// One step on the way from a query outwards: past a key's matrix, or to a key that it meets.
struct Step {
  Index key;
  bool meets;
};

std::vector<Step> way_behind(Position query, const std::vector<KeyGroup>& groups) {
  std::vector<Step> way;
  for (auto g = static_cast<std::size_t>(groups_up_to(groups, query)); g-- > 0;) {
    const std::vector<Index>& keys = groups[g].keys;
    for (const Index key : keys) way.push_back({key, true});
    for (std::size_t i = keys.size(); i-- > 0;) way.push_back({keys[i], false});
  }
  return way;
}

std::vector<Step> way_ahead(Position query, const std::vector<KeyGroup>& groups) {
  std::vector<Step> way;
  for (auto g = static_cast<std::size_t>(groups_up_to(groups, query)); g < groups.size(); ++g) {
    for (const Index key : groups[g].keys) way.push_back({key, false});
    for (const Index key : groups[g].keys) way.push_back({key, true});
  }
  return way;
}

/// What the product of matrices between a query and every key of the way makes of q·k, less q·k.
void follow(const Row& q, const std::vector<Step>& way, const Matrix<double>& k,
            const Reflections& reflections, Eigen::Ref<Row> change) {
  Row r = q;
  for (const Step& step : way)
    if (step.meets)
      change(step.key) = (r - q).dot(k.row(step.key));
    else
      reflections.reflect(step.key, r);
}

/// The derivative of q·k and what follow makes of it, given ∂loss by their sum: returns that by q.
Row follow_back(const Row& q, const std::vector<Step>& way, const Matrix<double>& k,
                const Reflections& reflections, const Row& d_logits, Matrix<double>& d_k,
                ReflectionGradients& d_reflections) {
  std::vector<Row> before;  // r as it comes to each step
  Row r = q;
  for (const Step& step : way) {
    before.push_back(r);
    if (!step.meets) reflections.reflect(step.key, r);
  }
  Row d_r = Row::Zero(q.size());
  for (std::size_t s = way.size(); s-- > 0;) {
    const Index key = way[s].key;
    if (!way[s].meets) {
      d_reflections.reflect_back(reflections, key, before[s], d_r);
      continue;
    }
    d_k.row(key) += d_logits(key) * before[s];
    d_r += d_logits(key) * k.row(key);
  }
  return d_r;
}

double silu_slope(double x) {
  const double share = sigmoid(x);
  return share * (1 + x * (1 - share));
}

/// ∂loss by W y_t, given that by w_t. Adds that by the taps of a convolution.
Matrix<double> pull_directions_back(const Reflections& of, const HeadTables& tables,
                                    const std::vector<Index>& order, const Matrix<double>& d_w,
                                    Matrix<double>& d_taps) {
  Matrix<double> d_z = Matrix<double>::Zero(d_w.rows(), d_w.cols());
  for (Index t = 0; t < d_w.rows(); ++t) {
    const double length = of.lengths[static_cast<std::size_t>(t)];
    if (length == 0) continue;  // NaN passes
    d_z.row(t) = (d_w.row(t) - d_w.row(t).dot(of.w.row(t)) * of.w.row(t)) / length;
  }
  if (tables.taps.size() == 0) return d_z;
  const Matrix<double> d_summed = d_z.cwiseProduct(of.summed.unaryExpr(&silu_slope));
  Matrix<double> d_projected = Matrix<double>::Zero(d_w.rows(), d_w.cols());
  for_taps(tables.taps, order, [&](Index s, Index to, Index from) {
    d_taps.row(s) += d_summed.row(to).cwiseProduct(of.projected.row(from));
    d_projected.row(from) += tables.taps.row(s).cwiseProduct(d_summed.row(to));
  });
  return d_projected;
}

/// ∂loss by the contents that the matrices were made of. Adds that by the tables.
Matrix<double> pull_reflections_back(const Matrix<double>& contents, const PathTables& tables,
                                     Index head, const std::vector<KeyGroup>& groups,
                                     const Reflections& of, const ReflectionGradients& d,
                                     Tables& d_tables) {
  const auto gradient = [&](const char* name, const Matrix<double>& table) -> Matrix<double>& {
    return gradient_of(d_tables, name, table.rows(), table.cols());
  };
  const HeadTables own(tables, head);
  // β = 2σ(x)
  const Eigen::VectorXd d_x = d.beta.array() * of.beta.array() * (1.0 - of.beta.array() / 2.0);
  gradient("path.gate", tables.gate).row(head) += d_x.transpose() * contents;
  gradient("path.bias", tables.bias)(0, head) += d_x.sum();
  Matrix<double> d_taps = Matrix<double>::Zero(own.taps.rows(), own.taps.cols());
  const Matrix<double> d_projected = pull_directions_back(of, own, order_of(groups), d.w, d_taps);
  if (own.taps.size() > 0)
    gradient("path.convolution", tables.convolution).middleCols(own.first, own.d) += d_taps;
  gradient("path.direction", tables.direction).middleRows(own.first, own.d) +=
      transposed_product<double>(d_projected, contents);
  return d_x * tables.gate.row(head) + product<double>(d_projected, own.direction);
}

std::vector<ParamSpec> path_params() {
  ParamSpec bias =
      real_param({"path.bias", "$c$"},
                 "Bias of $β$, for every head unless a table gives it: far below 0 the "
                 "matrices do nothing, at 0 they project on average, far above they reflect.",
                 0.0, -100.0, 100.0);
  ParamSpec taps = stated_if_set(
      count_param({"path.convolution", "", "tokens"},
                  "Width of the causal convolution, with SiLU, that directions pass through: 3 "
                  "in the paper, 0 for none.",
                  0, 0, 16));
  ParamSpec forget = stated_if_set(
      flag_param("path.forget", "Adds the gates of the Forgetting Transformer: PaTH-FoX.", false));
  ParamSpec forget_bias =
      read_while("path.forget", {"true"},
                 real_param({"path.forget_bias", "$b$"},
                            "Bias of the forget gates: the larger, the less a token forgets.", 5.0,
                            -100.0, 100.0));
  return {std::move(bias), gate_source_param("path.reads", "Directions and gates"), std::move(taps),
          std::move(forget), std::move(forget_bias)};
}

std::vector<TableSpec> path_tables() {
  const std::string linear =
      "normal, deviation $(3\\text{ width})^{−1/2}$, that of PyTorch's linear layer";
  const std::string gate = "[heads, d_head]; of the input [heads, d_model]";
  return {
      {"path.direction", "[d_head, d_head]; of the input [heads·d_head, d_model]",
       "W: makes the direction of a token's matrix.", "normal, deviation $\\mathrm{width}^{−1/2}$"},
      {"path.gate", gate, "What each head's $β$ reads of a token.", linear},
      {"path.bias", "[1, heads]", "Bias of each head's $β$.",
       "the parameter path.bias for every head", false},
      {"path.convolution", "[path.convolution, rows of path.direction]",
       "Taps of the convolution, the token's own first.",
       "normal, deviation $(3\\text{ path.convolution})^{−1/2}$"},
      {"path.forget_weight", gate, "What each head's forget gates read of a token.", linear},
      {"path.forget_bias", "[1, heads]", "Bias of each head's forget gates.",
       "the parameter path.forget_bias for every head", false}};
}

}  // namespace

template <class T>
Path<T>::Path(PathTables tables, const StageRounding& rounding) : tables_(std::move(tables)) {
  check_tables(tables_);
  for (Matrix<double>* table : {&tables_.direction, &tables_.gate, &tables_.bias,
                                &tables_.convolution, &tables_.forget.weight, &tables_.forget.bias})
    rounding.apply<double>(Stage::table, *table);
}

template <class T>
EncodingInfo Path<T>::info() {
  return {
      .name = "path",
      .label = "PaTH",
      .title = "PaTH, cumulative Householder products",
      .statement =
          "Multiplies the query by a Householder-like matrix of each token between it and the key.",
      .source = "Yang et al. 2025 (PaTH Attention) §3",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{H}_m \mathbf{H}_{m-1} \ldots \mathbf{H}_{n+1} \mathbf{k}_n / \sqrt{d})",
            "Yang et al. 2025"},
           {R"(\mathbf{H}_t = \mathbf{I} - \beta_t \mathbf{w}_t \mathbf{w}_t^\top, \quad \beta_t = 2\sigma(\mathbf{u}_h^\top \mathbf{k}_t + c_h))",
            "Yang et al. 2025", in_descriptions},
           {R"(\mathbf{w}_t = \mathbf{W} \mathbf{k}_t / |\mathbf{W} \mathbf{k}_t|)",
            "Yang et al. 2025", in_descriptions}},
      .symbols = {{"H_t", "matrix of token $t$: $I$ less its share along $w_t$"},
                  {"w_t", "direction of token $t$, of length 1"},
                  {"β_t", "strength of token $t$, between 0 and 2"}},
      .params = path_params(),
      .tables = path_tables(),
      .stages = {Stage::table},
      .term_symbols = {{"path", R"(\mathbf{q}_m^\top (\mathbf{H} - \mathbf{I}) \mathbf{k}_n)"}}};
}

template <class T>
void Path<T>::check(const EncodingSettings& s) {
  const GateSource source = gate_source_of(s, "path.reads");
  const Index rows = source == GateSource::key ? s.d_head : s.d_head * s.heads;
  check_table_size("path.direction", rows, gate_width(s, source), "the channels of a head");
}

template <class T>
std::unique_ptr<Path<T>> Path<T>::make(const EncodingSettings& s) {
  check(s);
  const GateSource source = gate_source_of(s, "path.reads");
  const Index width = gate_width(s, source);
  const Index rows = source == GateSource::key ? s.d_head : s.d_head * s.heads;
  const auto inputs = static_cast<double>(width);
  const double linear = 1.0 / std::sqrt(3.0 * inputs);
  PathTables tables{
      .direction = table_of<double>(s, "path.direction", rows, width, 1.0 / std::sqrt(inputs)),
      .gate = table_of<double>(s, "path.gate", s.heads, width, linear),
      .bias = table_or<double>(s, "path.bias", 1, s.heads, s.params.real("path.bias")),
      .source = source};
  if (const Index taps = s.params.integer("path.convolution"); taps > 0)
    tables.convolution = table_of<double>(s, "path.convolution", taps, rows,
                                          1.0 / std::sqrt(3.0 * static_cast<double>(taps)));
  else
    refuse_table(s, "path.convolution", "path.convolution=3");
  if (s.params.boolean("path.forget")) {
    const double bias = s.params.real("path.forget_bias");
    tables.forget = {table_of<double>(s, "path.forget_weight", s.heads, width, linear),
                     table_or<double>(s, "path.forget_bias", 1, s.heads, bias), source};
  } else {
    for (const char* name : {"path.forget_weight", "path.forget_bias"})
      refuse_table(s, name, "path.forget=true");
  }
  return std::make_unique<Path>(std::move(tables), s.rounding);
}

template <class T>
Matrix<double> Path<T>::checked_contents(const ScoreInputs<T>& in) const {
  check_head(in.head, heads_of(tables_));
  if (in.k.cols() != head_width(tables_) || in.q.cols() != in.k.cols())
    throw UsageError(fmt::format("q with {} and k with {} channels", in.q.cols(), in.k.cols()),
                     fmt::format("this PaTH was made for d_head={}", head_width(tables_)),
                     "give q and k with as many channels");
  Matrix<double> contents = gate_contents<T>(in, tables_.source);
  if (contents.cols() == tables_.direction.cols()) return contents;
  throw UsageError(fmt::format("x with {} channels", contents.cols()),
                   fmt::format("this PaTH was made for d_model={}", tables_.direction.cols()),
                   "give as many channels as its tables have");
}

template <class T>
Matrix<T> Path<T>::path_term(const ScoreInputs<T>& in) const {
  const Matrix<double> contents = checked_contents(in), k = in.k.template cast<double>();
  const std::vector<KeyGroup> groups = keys_in_order<T>(in.n, in.k);
  const Reflections reflections(contents, tables_, in.head, groups);
  const double scale = score_scale(1, in.q.cols(), in.scoring);
  Matrix<T> path(in.q.rows(), in.k.rows());
  Row change(in.k.rows());
  for (Index i = 0; i < path.rows(); ++i) {
    const Row q = in.q.row(i).template cast<double>();
    const Position query = in.m[static_cast<std::size_t>(i)];
    for (const std::vector<Step>& way : {way_behind(query, groups), way_ahead(query, groups)})
      follow(q, way, k, reflections, change);
    path.row(i) = (scale * change).template cast<T>();
  }
  return path;
}

template <class T>
void Path<T>::add_path_gradients(const ScoreInputs<T>& in, const Matrix<double>& d_products,
                                 const ScoreGradients<T>& d) const {
  const Matrix<double> contents = checked_contents(in), k = in.k.template cast<double>();
  const std::vector<KeyGroup> groups = keys_in_order<T>(in.n, in.k);
  const Reflections reflections(contents, tables_, in.head, groups);
  ReflectionGradients d_reflections(reflections);
  Matrix<double> d_q = Matrix<double>::Zero(in.q.rows(), in.q.cols()),
                 d_k = Matrix<double>::Zero(k.rows(), k.cols());
  for (Index i = 0; i < d_q.rows(); ++i) {
    const Row q = in.q.row(i).template cast<double>(), d_row = d_products.row(i);
    const Position query = in.m[static_cast<std::size_t>(i)];
    for (const std::vector<Step>& way : {way_behind(query, groups), way_ahead(query, groups)})
      d_q.row(i) += follow_back(q, way, k, reflections, d_row, d_k, d_reflections);
  }
  const Matrix<double> d_contents = pull_reflections_back(contents, tables_, in.head, groups,
                                                          reflections, d_reflections, d.tables);
  add_to<T>(d.q, d_q.cast<T>());
  add_to<T>(d.k, d_k.cast<T>());
  add_gate_content_gradients<T>(d_contents, tables_.source, d);
}

template <class T>
std::vector<ScoreTerm<T>> Path<T>::score_terms(const ScoreInputs<T>& in) const {
  Matrix<T> path = path_term(in);  // which checks the shapes
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  terms.push_back({"path", std::move(path)});
  if (tables_.forget.weight.size() == 0) return terms;
  const T scale = static_cast<T>(score_scale(1, in.q.cols(), in.scoring));
  for (ScoreTerm<T>& term : forgetting_terms<T>(in, tables_.forget)) {
    term.logits *= scale;
    terms.push_back(std::move(term));
  }
  return terms;
}

template <class T>
void Path<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                  const ScoreGradients<T>& d) const {
  const Matrix<double> d_products =
      score_scale(1, in.q.cols(), in.scoring) * d_logits.template cast<double>();
  add_path_gradients(in, d_products, d);
  if (tables_.forget.weight.size() == 0) return;
  add_forgetting_gradients<T>(in, tables_.forget, "path.forget_weight", "path.forget_bias",
                              d_products, d);
}

template class Path<float>;
template class Path<double>;

}  // namespace orrery
