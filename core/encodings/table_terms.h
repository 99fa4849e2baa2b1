#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/encoding.h"

namespace orrery {

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

}  // namespace orrery
