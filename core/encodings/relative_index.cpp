#include "core/encodings/relative_index.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/attention/content.h"
#include "core/attention/tiles.h"
#include "core/errors.h"
#include "core/product.h"

namespace orrery {
namespace {

template <class T>
void check_affine(Index d, const Matrix<T>& gain, const Matrix<T>& bias) {
  if (gain.rows() == 1 && bias.rows() == 1 && gain.cols() == d && bias.cols() == d) return;
  throw UsageError(fmt::format("a LayerNorm with a gain of [{}, {}] and a bias of [{}, {}]",
                               gain.rows(), gain.cols(), bias.rows(), bias.cols()),
                   fmt::format("both must be [1, {}]", d),
                   "give one number per channel of the table");
}

struct Moments {
  double mean;
  double deviation;  ///< √(variance + epsilon)
};

template <class T>
Moments moments_of(const Matrix<T>& rows, Index i, double epsilon) {
  const double width = static_cast<double>(rows.cols());
  const double mean = rows.row(i).template cast<double>().sum() / width;
  const auto centred = rows.row(i).template cast<double>().array() - mean;
  return {mean, std::sqrt(centred.square().sum() / width + epsilon)};
}

}  // namespace

UsedRows used_rows(IndexMatrix index) {
  if (index.size() == 0) return {0, 0, std::move(index)};
  const Index first = index.minCoeff();
  const Index count = index.maxCoeff() - first + 1;
  index.array() -= first;
  return {first, count, std::move(index)};
}

template <class T>
Matrix<T> gather_by_query(const Matrix<T>& products, const IndexMatrix& index) {
  Matrix<T> out(index.rows(), index.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = products(i, index(i, j));
  return out;
}

template <class T>
Matrix<T> gather_by_key(const Matrix<T>& products, const IndexMatrix& index) {
  Matrix<T> out(index.rows(), index.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = products(j, index(i, j));
  return out;
}

template <class T>
Matrix<T> gather_bias(const Matrix<T>& table, const IndexMatrix& index, int head) {
  return index.unaryExpr([&](Index row) { return table(row, head); });
}

template <class T>
void add_gathered_gradients(const MatrixIn<T>& values, const IndexMatrix& index, int head,
                            Matrix<double>& sums) {
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j)
      sums(index(i, j), head) += static_cast<double>(values(i, j));
}

template <class T>
Matrix<T> sums_by_query(const MatrixIn<T>& values, const IndexMatrix& index, Index rows) {
  Matrix<T> sums = Matrix<T>::Zero(index.rows(), rows);
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j) sums(i, index(i, j)) += values(i, j);
  return sums;
}

template <class T>
Matrix<T> sums_by_key(const MatrixIn<T>& values, const IndexMatrix& index, Index rows) {
  Matrix<T> sums = Matrix<T>::Zero(index.cols(), rows);
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j) sums(j, index(i, j)) += values(i, j);
  return sums;
}

double rounded_distance(Position m, Position n, const StageRounding& rounding) {
  if (!rounding.rounds(Stage::position))  // whole numbers: rounded once at most
    return rounding(Stage::distance, static_cast<double>(relative_position(m, n)));
  const double query = rounding(Stage::position, static_cast<double>(m));
  const double key = rounding(Stage::position, static_cast<double>(n));
  return rounding(Stage::distance, query - key);
}

double log_place(Position distance, double from, double to, double steps,
                 const StageRounding& rounding) {
  const auto rounded = [&](double value) { return rounding(Stage::log, value); };
  const double number = rounding(Stage::distance, static_cast<double>(distance));
  const double share = rounded(rounded(std::log(rounded(number / from))) / std::log(to / from));
  return rounded(share * steps);
}

void check_head(int head, Index heads) {
  if (head >= 0 && head < heads) return;
  throw UsageError(fmt::format("head={}", head),
                   fmt::format("the encoding was made for {} head{}, counted from 0", heads,
                               heads == 1 ? "" : "s"),
                   "choose a head below that number, or make it for all of them, as by heads=8");
}

template <class T>
std::vector<ScoreTerm<T>> BiasTerm<T>::score_terms(const ScoreInputs<T>& in) const {
  ScoreTerm<T> own = bias(in);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"content", content_product(in, products())});
  terms.push_back(std::move(own));
  return terms;
}

template <class T>
std::optional<LogitFactors<T>> BiasTerm<T>::logit_factors(const ScoreInputs<T>& in,
                                                          const Distances& distances) const {
  if (!is_by_distance()) return std::nullopt;
  return distance_bias_factors<T>(*this, in, distances);
}

template <class T>
void BiasTerm<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                      const ScoreGradients<T>& d) const {
  add_bias_gradients(in, d_logits, d.tables);
  add_content_gradients<T>(in, products(), d_logits, d);
}

template <class T>
std::vector<ScoreTerm<T>> TableTerms<T>::score_terms(const ScoreInputs<T>& in) const {
  const std::vector<TableTerm<T>> stated = table_terms(in);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"content", content_product(in, products())});
  for (const TableTerm<T>& term : stated) {
    const UsedRows used = used_rows(term.index(in.m, in.n));
    const Matrix<T> rows = term.rows(used.first, used.count);
    const bool of_query = term.side == TableTerm<T>::Side::query;
    const MatrixIn<T>& x = of_query ? in.q : in.k;
    const Matrix<T> found =
        term.scaled ? scaled_product<T>(x, rows, products(), in.scoring) : scores_of<T>(x, rows);
    terms.push_back({term.name, of_query ? gather_by_query<T>(found, used.index)
                                         : gather_by_key<T>(found, used.index)});
  }
  return terms;
}

template <class T>
std::optional<LogitFactors<T>> TableTerms<T>::logit_factors(const ScoreInputs<T>& in,
                                                            const Distances& distances) const {
  const double scale = score_scale(products(), in.q.cols(), in.scoring);
  const Positions ahead = consecutive_positions(distances.count, distances.first);
  LogitFactors<T> out{.q = scaled_queries<T>(in.q, scale)};
  for (const TableTerm<T>& term : table_terms(in)) {
    const IndexMatrix index = term.index(Positions{0}, ahead);
    DistanceVectors<T> vectors =
        distance_vectors<T>(term.rows(0, term.count), distances,
                            [&](Position r) { return index(0, r - distances.first); });
    if (vectors.rows.cols() != in.q.cols())
      return std::nullopt;  // left to score_terms, which refuses it
    if (term.side == TableTerm<T>::Side::query) {
      out.by_query = std::move(vectors);
      if (!term.scaled) out.q_of_distance = in.q;
    } else {
      if (term.scaled) vectors.rows *= static_cast<T>(scale);
      out.by_key = std::move(vectors);
    }
  }
  return out;
}

template <class T>
void TableTerms<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                        const ScoreGradients<T>& d) const {
  add_content_gradients<T>(in, products(), d_logits, d);
  const double scale = score_scale(products(), in.q.cols(), in.scoring);
  for (const TableTerm<T>& term : table_terms(in)) {
    const UsedRows used = used_rows(term.index(in.m, in.n));
    const Matrix<T> rows = term.rows(used.first, used.count);
    const bool of_query = term.side == TableTerm<T>::Side::query;
    const Matrix<T> d_found = of_query ? sums_by_query<T>(d_logits, used.index, used.count)
                                       : sums_by_key<T>(d_logits, used.index, used.count);
    Matrix<T> d_rows = Matrix<T>::Zero(rows.rows(), rows.cols());
    add_product_gradients<T>(of_query ? in.q : in.k, rows, d_found, term.scaled ? scale : 1.0,
                             of_query ? d.q : d.k, d_rows);
    term.add_gradients(used.first, d_rows, d.tables);
  }
}

template <class T>
Matrix<T> pull_head_projection_back(const MatrixIn<T>& rows, const Matrix<T>& W, int head,
                                    const Matrix<T>& d_out, Matrix<double>& d_W) {
  const Index d = d_out.cols();
  d_W.middleCols(head * d, d) += transposed_product<T>(rows, d_out).template cast<double>();
  return product_with_transpose<T>(d_out, W.middleCols(head * d, d));
}

template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows, const Matrix<T>& gain, const Matrix<T>& bias,
                           double epsilon) {
  check_affine(rows.cols(), gain, bias);
  Matrix<T> out = rows;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto [mean, deviation] = moments_of(rows, i, epsilon);
    const auto centred = rows.row(i).template cast<double>().array() - mean;
    const auto normal = (centred / deviation).template cast<T>();
    out.row(i) = normal * gain.row(0).array() + bias.row(0).array();
  }
  return out;
}

template <class T>
Matrix<T> pull_layer_norm_back(const Matrix<T>& rows, const Matrix<T>& gain, double epsilon,
                               const Matrix<T>& d_out, Matrix<double>& d_gain,
                               Matrix<double>& d_bias) {
  check_affine<T>(rows.cols(), gain, gain);
  Matrix<T> d_rows(rows.rows(), rows.cols());
  using Numbers = Eigen::Array<double, 1, Eigen::Dynamic>;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto [mean, deviation] = moments_of(rows, i, epsilon);
    const Numbers normal = (rows.row(i).template cast<double>().array() - mean) / deviation;
    const Numbers d_row = d_out.row(i).template cast<double>().array();
    d_gain.row(0).array() += d_row * normal;
    d_bias.row(0).array() += d_row;
    const Numbers d_normal = d_row * gain.row(0).template cast<double>().array();
    const Numbers change = d_normal - d_normal.mean() - normal * (d_normal * normal).mean();
    d_rows.row(i) = (change / deviation).template cast<T>();
  }
  return d_rows;
}

#define ORRERY_INSTANTIATE(T)                                                               \
  template Matrix<T> gather_bias(const Matrix<T>&, const IndexMatrix&, int);                \
  template Matrix<T> gather_by_query(const Matrix<T>&, const IndexMatrix&);                 \
  template Matrix<T> gather_by_key(const Matrix<T>&, const IndexMatrix&);                   \
  template void add_gathered_gradients(const MatrixIn<T>&, const IndexMatrix&, int,         \
                                       Matrix<double>&);                                    \
  template Matrix<T> sums_by_query(const MatrixIn<T>&, const IndexMatrix&, Index);          \
  template Matrix<T> sums_by_key(const MatrixIn<T>&, const IndexMatrix&, Index);            \
  template class BiasTerm<T>;                                                               \
  template class TableTerms<T>;                                                             \
  template Matrix<T> pull_head_projection_back(const MatrixIn<T>&, const Matrix<T>&, int,   \
                                               const Matrix<T>&, Matrix<double>&);          \
  template Matrix<T> layer_normalised(const Matrix<T>&, const Matrix<T>&, const Matrix<T>&, \
                                      double);                                              \
  template Matrix<T> pull_layer_norm_back(const Matrix<T>&, const Matrix<T>&, double,       \
                                          const Matrix<T>&, Matrix<double>&, Matrix<double>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
