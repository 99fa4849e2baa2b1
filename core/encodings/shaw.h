#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Which distance row 0 of the tables holds.
enum class ShawRows {
  key_minus_query,  ///< n − m = −k_left first: the key furthest behind. Shaw, tensor2tensor
  query_minus_key,  ///< m − n = −k_right first: the key furthest ahead. BERT in Transformers
};

/// Which contents are multiplied with the vectors in the scores.
enum class ShawScores {
  queries,           ///< q_m·a: Shaw; BERT's relative_key
  queries_and_keys,  ///< q_m·a + k_n·a: Huang et al.'s method 4, BERT's relative_key_query
};

struct ShawOptions {
  Position left{16};   ///< k_left: keys further behind the query share a row
  Position right{16};  ///< k_right: keys further ahead share a row
  ShawRows rows{ShawRows::key_minus_query};
  ShawScores scores{ShawScores::queries};
};

/// Row of Shaw's tables for r = m − n: clip(n − m, −k_left, k_right) + k_left, the paper counting
/// key minus query; with ShawRows::query_minus_key, k_right − clip(n − m, −k_left, k_right).
Index shaw_index(Position r, const ShawOptions& options);
/// The same with k_left = k_right = clip, as the paper has it.
Index shaw_index(Position r, Position clip);

/// Relative positions as vectors that are added to keys and values, clipped at k tokens behind the
/// query and ahead of it.
///   logits_mn = q_m·(k_n + a^K)/√d,  o_m = Σ_n A_mn (v_n + a^V)
///
/// a is the row clip(n − m, −k, k) + k of a table [2k + 1, d_head] each. Wav2Vec2-BERT clips to
/// other distances on the left than on the right.
///
/// With ShawScores::queries_and_keys the logits gain k_n·a^K/√d. Huang et al. (2020) call this
/// method 4, and BERT's code relative_key_query; its table has 2·max − 1 rows for m − n = −(max −
/// 1) … max − 1, so that k = max − 1, and no row for clipped distances. RoFormer's eq. (5) puts
/// the vectors inside the projection, W_k (x_n + p~_r), and prints r = clip(m − n); Shaw's code,
/// and this class, add them after it and count n − m.
///
/// Terms: content, content_to_position, and with queries_and_keys position_to_content.
/// Source: Shaw et al. 2018 eq. (3), (4); tensor2tensor; Huang et al. 2020, method 4.
template <class T>
class Shaw final : public Encoding, public TableTerms<T>, public ValueTerm<T>, public TableIndex {
 public:
  /// Tables [k_left + k_right + 1, d_head]; an empty value table adds nothing to the output.
  /// Throws UsageError unless the key table has as many rows, and the value table as many or none.
  Shaw(Matrix<T> key_table, Matrix<T> value_table, const ShawOptions& options,
       const StageRounding& rounding = {});
  /// With k on either side, and tables of 2k + 1 rows. Throws UsageError for an even number of
  /// rows.
  Shaw(Matrix<T> key_table, Matrix<T> value_table, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Shaw> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
  IndexMatrix table_index(PositionsIn m, PositionsIn n) const override;
  Index table_rows() const override { return key_table_.rows(); }
  std::optional<Position> stated_reach() const override {
    return std::max(options_.left, options_.right);
  }
  void add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const override;
  void add_value_gradients(const ValueInputs<T>& in, const MatrixIn<T>& d_out,
                           MatrixOut<T> d_weights, MatrixOut<T> d_v,
                           Tables& d_tables) const override;
  std::optional<DistanceVectors<T>> value_vectors(const Distances& distances) const override;

 private:
  /// Throws UsageError for values of another width than the value table.
  void check_values(Index channels) const;
  std::vector<TableTerm<T>> table_terms(const ScoreInputs<T>& in) const override;

  Matrix<T> key_table_;
  Matrix<T> value_table_;
  std::string value_name_{"shaw.value_table"};  ///< the key table's where both are one
  ShawOptions options_;
};

}  // namespace orrery
