#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

// Relative encodings look their tables up by an index of the relative position. Every index
// function here takes r = m − n, query minus key, whatever sign its paper uses.

/// value_of(m, n) for every pair. [N_q, N_k]
template <class Value, class ValueOf>
Matrix<Value> matrix_of_pairs(PositionsIn m, PositionsIn n, const ValueOf& value_of) {
  Matrix<Value> values(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      values(i, j) = static_cast<Value>(
          value_of(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]));
  return values;
}

/// value_of(m − n) for every pair. [N_q, N_k]
template <class Value, class ValueOf>
Matrix<Value> matrix_of_distances(PositionsIn m, PositionsIn n, const ValueOf& value_of) {
  const std::optional<Distances> distances = consecutive_distances(m, n);
  if (!distances)
    return matrix_of_pairs<Value>(m, n, [&](Position query, Position key) {
      return value_of(relative_position(query, key));
    });
  // Once per distance: a row of the matrix is a shifted view of it.
  std::vector<Value> by_distance(static_cast<std::size_t>(distances->count));
  for (std::size_t i = 0; i < by_distance.size(); ++i)
    by_distance[i] = static_cast<Value>(value_of(-(distances->first + static_cast<Position>(i))));
  Matrix<Value> values(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < values.rows(); ++i)
    std::copy_n(by_distance.data() + values.rows() - 1 - i, values.cols(), values.row(i).data());
  return values;
}

/// index_of(m − n) for every pair. Throws UsageError for a position beyond ±2^53.
template <class IndexOf>
IndexMatrix index_matrix(PositionsIn m, PositionsIn n, const IndexOf& index_of) {
  check_positions(m);
  check_positions(n);
  return matrix_of_distances<Index>(m, n, index_of);
}

/// out(i, j) = table(index(i, j), head): a bias per index and head. table [rows, heads].
template <class T>
Matrix<T> gather_bias(const Matrix<T>& table, const IndexMatrix& index, int head);

/// The rows of a table from the first to the last that are looked up: a table may have 100 times as
/// many as a text has distances.
struct UsedRows {
  Index first{};  ///< of the table
  Index count{};
  IndexMatrix index;  ///< among them
};
UsedRows used_rows(IndexMatrix index);

/// out(i, j) = products(i, index(i, j)): what each query makes of a table's row. products [N_q,
/// rows].
template <class T>
Matrix<T> gather_by_query(const Matrix<T>& products, const IndexMatrix& index);

/// out(i, j) = products(j, index(i, j)): the same for keys. products [N_k, rows].
template <class T>
Matrix<T> gather_by_key(const Matrix<T>& products, const IndexMatrix& index);

// The derivatives of the three, which sum where those look up.

/// sums(index(i, j), head) gains values(i, j).
template <class T>
void add_gathered_gradients(const MatrixIn<T>& values, const IndexMatrix& index, int head,
                            Matrix<double>& sums);

/// out(i, index(i, j)) = Σ values(i, j) over the j of equal index. [N_q, rows]
template <class T>
Matrix<T> sums_by_query(const MatrixIn<T>& values, const IndexMatrix& index, Index rows);

/// out(j, index(i, j)) = Σ values(i, j) over the i of equal index. [N_k, rows]
template <class T>
Matrix<T> sums_by_key(const MatrixIn<T>& values, const IndexMatrix& index, Index rows);

/// m − n as a number, with the roundings of a low-precision implementation: of m and n, and of
/// their difference.
double rounded_distance(Position m, Position n, const StageRounding& rounding);
/// bias_of(rounded_distance(m, n, rounding)) for every pair. [N_q, N_k]
template <class T, class BiasOf>
Matrix<T> matrix_of_rounded_distances(PositionsIn m, PositionsIn n, const StageRounding& rounding,
                                      const BiasOf& bias_of) {
  if (rounding.rounds(Stage::position))  // which moves distances apart
    return matrix_of_pairs<T>(m, n, [&](Position query, Position key) {
      return bias_of(rounded_distance(query, key, rounding));
    });
  return matrix_of_distances<T>(
      m, n, [&](Position r) { return bias_of(rounded_distance(r, 0, rounding)); });
}

/// steps·ln(distance/from)/ln(to/from), the place of a distance among buckets that grow
/// logarithmically: 0 at `from`, `steps` at `to`. Stage::log rounds distance/from, its logarithm,
/// the quotient and the product, as tensors of that format would; some distances then fall into a
/// neighbouring bucket. ln(to/from) is a number of the program, not a tensor, and is not rounded.
double log_place(Position distance, double from, double to, double steps,
                 const StageRounding& rounding);

/// Throws UsageError when `head` is not one of `heads`, counted from 0.
void check_head(int head, Index heads);

/// Door 3 for logits that are a content product and a bias by head, which no content changes.
template <class T>
class BiasTerm : public ScoreTerms<T> {
 public:
  /// Throws UsageError as bias does, and for q and k of different numbers of channels.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const final;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const final;
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const final;
  bool is_bias() const final { return true; }

 protected:
  ~BiasTerm() = default;

 private:
  /// Throws UsageError when in.head is not one of the heads.
  virtual ScoreTerm<T> bias(const ScoreInputs<T>& in) const = 0;
  /// Of the content's scale 1/√(products·d); 0 for none.
  virtual int products() const { return 1; }
  /// Whether it is a function of m − n, which a rounding of the positions themselves moves apart.
  virtual bool is_by_distance() const { return true; }
  /// Adds ∂loss by the tables that the bias is made of.
  virtual void add_bias_gradients(const ScoreInputs<T>& /*in*/, const MatrixIn<T>& /*d_logits*/,
                                  Tables& /*d_tables*/) const {}
};

/// A term x·a_r of the logits: x is the query or the key, a_r a row of a table, r = m − n.
template <class T>
struct TableTerm {
  std::string_view name{};
  enum class Side { query, key } side{Side::query};  ///< whose content x is
  bool scaled{true};  ///< by the scale of the content term; else by none, whatever in.scoring says
  Index count{};      ///< rows of the table
  std::function<IndexMatrix(PositionsIn m, PositionsIn n)> index{};  ///< rows, functions of r alone
  std::function<Matrix<T>(Index first, Index count)> rows{};         ///< of the table, [count, d]
  /// Adds ∂loss by the tables that `rows` reads, given that by its rows from `first` on.
  std::function<void(Index first, const Matrix<T>& d_rows, Tables& d_tables)> add_gradients{};
};

/// Door 3 for logits that are a content product and terms of tables, at most one per side. The
/// terms are written once; maps, factors and derivatives follow from them.
template <class T>
class TableTerms : public ScoreTerms<T> {
 public:
  /// Throws UsageError as table_terms does, for q, k and tables of different numbers of channels,
  /// and for a position beyond ±2^53.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const final;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const final;
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const final;

 protected:
  ~TableTerms() = default;

 private:
  /// For the head of `in`. Throws UsageError for a head that the tables do not have.
  virtual std::vector<TableTerm<T>> table_terms(const ScoreInputs<T>& in) const = 0;
  /// Products that share the scale 1/√(products·d), that of contents among them.
  virtual int products() const { return 1; }
};

/// The derivative of rows·W_h, W_h the columns of one head in W [width, heads·d]: returns ∂loss by
/// the rows, and d_W gains that by W. rows [N, width], d_out [N, d], d_W as W.
template <class T>
Matrix<T> pull_head_projection_back(const MatrixIn<T>& rows, const Matrix<T>& W, int head,
                                    const Matrix<T>& d_out, Matrix<double>& d_W);

/// Layer normalisation of each row: (x − mean)/√(variance + epsilon)·gain + bias, the variance over
/// all d channels. rows [N, d]; gain, bias [1, d]. Moments in fp64. Throws UsageError unless gain
/// and bias are [1, d]. Source: Ba et al. 2016.
template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows, const Matrix<T>& gain, const Matrix<T>& bias,
                           double epsilon);

/// Its derivative: returns ∂loss by the rows, given that by what became of them. d_gain and d_bias
/// [1, d] gain theirs.
template <class T>
Matrix<T> pull_layer_norm_back(const Matrix<T>& rows, const Matrix<T>& gain, double epsilon,
                               const Matrix<T>& d_out, Matrix<double>& d_gain,
                               Matrix<double>& d_bias);

}  // namespace orrery
