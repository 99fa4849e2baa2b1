#include "core/encodings/path.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/attention/content.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/product.h"
#include "core/sigmoid.h"

namespace orrery {
namespace {

void check_tables(const PathTables& p) {
  const Index d = p.direction.rows(), heads = p.gate.rows();
  if (d > 0 && p.direction.cols() == d && heads > 0 && p.gate.cols() == d && p.bias.rows() == 1 &&
      p.bias.cols() == heads)
    return;
  throw UsageError(
      fmt::format("PaTH tables direction [{}, {}], gate [{}, {}], bias [{}, {}]", d,
                  p.direction.cols(), heads, p.gate.cols(), p.bias.rows(), p.bias.cols()),
      "must be [d_head, d_head], [heads, d_head] and [1, heads]", "save them from the same layer");
}

using Row = Eigen::RowVectorXd;

/// The Householder-like matrices of the keys.
struct Reflections {
  Matrix<double> w;      ///< [N_k, d], of length 1 or 0
  Eigen::VectorXd beta;  ///< [N_k]

  Reflections(const Matrix<double>& k, const PathTables& tables, Index head)
      : w(product_with_transpose<double>(k, tables.direction)), beta(k.rows()) {
    for (Index t = 0; t < k.rows(); ++t) {
      const double length = w.row(t).norm();
      if (!(length == 0)) w.row(t) /= length;  // NaN passes
      const double x = k.row(t).dot(tables.gate.row(head)) + tables.bias(0, head);
      beta(t) = 2.0 * sigmoid(x);
    }
  }

  /// rᵀ H_t
  void reflect(Index t, Row& r) const { r -= beta(t) * r.dot(w.row(t)) * w.row(t); }
};

/// What the product of matrices between a query and every key makes of q·k, less q·k.
void follow(const Row& q, Position query, const Matrix<double>& k,
            const std::vector<KeyGroup>& groups, const Reflections& reflections,
            Eigen::Ref<Row> change) {
  const auto meet = [&](const KeyGroup& group, const Row& r) {
    for (const Index key : group.keys) change(key) = (r - q).dot(k.row(key));
  };
  const auto behind = static_cast<std::size_t>(groups_up_to(groups, query));
  Row r = q;
  for (std::size_t g = behind; g-- > 0;) {
    meet(groups[g], r);
    for (std::size_t i = groups[g].keys.size(); i-- > 0;) reflections.reflect(groups[g].keys[i], r);
  }
  r = q;
  for (std::size_t g = behind; g < groups.size(); ++g) {
    for (const Index key : groups[g].keys) reflections.reflect(key, r);
    meet(groups[g], r);
  }
}

}  // namespace

template <class T>
Path<T>::Path(PathTables tables, const StageRounding& rounding) : tables_(std::move(tables)) {
  check_tables(tables_);
  for (Matrix<double>* table : {&tables_.direction, &tables_.gate, &tables_.bias})
    rounding.apply<double>(Stage::table, *table);
}

template <class T>
EncodingInfo Path<T>::info() {
  ParamSpec bias{.key = "path.bias",
                 .symbol = "c",
                 .description =
                     "Bias of β, for every head unless a table gives it: far below 0 the matrices "
                     "do nothing, at 0 they project on average, far above they reflect.",
                 .kind = ParamKind::real,
                 .default_value = 0.0,
                 .min = -100.0,
                 .max = 100.0};
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
      .symbols = {{"H_t", "matrix of token t: I less its share along w_t"},
                  {"w_t", "direction of token t, of length 1"},
                  {"β_t", "strength of token t, between 0 and 2"}},
      .params = {std::move(bias)},
      .tables = {{.name = "path.direction",
                  .shape = "[d_head, d_head]",
                  .description = "W: makes the direction of a token's matrix of its key.",
                  .initial = "normal, deviation d_head^(−1/2)"},
                 {.name = "path.gate",
                  .shape = "[heads, d_head]",
                  .description = "What each head's β reads of a key.",
                  .initial = "normal, deviation (3 d_head)^(−1/2), that of PyTorch's linear layer"},
                 {.name = "path.bias",
                  .shape = "[1, heads]",
                  .description = "Bias of each head's β.",
                  .initial = "the parameter path.bias for every head",
                  .drawn = false}},
      .stages = {Stage::table}};
}

template <class T>
void Path<T>::check(const EncodingSettings& s) {
  check_table_size("path.direction", s.d_head, s.d_head, "the channels of a head");
}

template <class T>
std::unique_ptr<Path<T>> Path<T>::make(const EncodingSettings& s) {
  check(s);
  const auto d = static_cast<double>(s.d_head);
  return std::make_unique<Path>(
      PathTables{table_of<double>(s, "path.direction", s.d_head, s.d_head, 1.0 / std::sqrt(d)),
                 table_of<double>(s, "path.gate", s.heads, s.d_head, 1.0 / std::sqrt(3.0 * d)),
                 table_or<double>(s, "path.bias", 1, s.heads, s.params.real("path.bias"))},
      s.rounding);
}

template <class T>
std::vector<ScoreTerm<T>> Path<T>::score_terms(const ScoreInputs<T>& in) const {
  check_head(in.head, tables_.gate.rows());
  if (in.k.cols() != tables_.direction.cols() || in.q.cols() != in.k.cols())
    throw UsageError(fmt::format("q with {} and k with {} channels", in.q.cols(), in.k.cols()),
                     fmt::format("this PaTH was made for d_head={}", tables_.direction.cols()),
                     "give q and k with as many channels");
  const std::vector<KeyGroup> groups = keys_in_order<T>(in.n, in.k);
  const Matrix<double> k = in.k.template cast<double>();
  const Reflections reflections(k, tables_, in.head);
  const double scale = score_scale(1, in.q.cols(), in.scoring);
  Matrix<T> path(in.q.rows(), in.k.rows());
  Row change(in.k.rows());
  for (Index i = 0; i < path.rows(); ++i) {
    const Row q = in.q.row(i).template cast<double>();
    follow(q, in.m[static_cast<std::size_t>(i)], k, groups, reflections, change);
    path.row(i) = (scale * change).template cast<T>();
  }
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  terms.push_back({"path", std::move(path)});
  return terms;
}

template class Path<float>;
template class Path<double>;

}  // namespace orrery
