#pragma once

#include <memory>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Row of Shaw's tables: clip(n − m, −k, k) + k for r = m − n. The paper counts key minus query.
Index shaw_index(Position r, Position clip);

/// Relative positions as vectors that are added to keys and values, clipped at distance k.
/// logits_mn = q_m·(k_n + a^K)/√d, o_m = Σ_n A_mn (v_n + a^V), with a the row clip(n − m, −k, k) +
/// k of a table [2k + 1, d_head] each. Terms: content, content_to_position. RoFormer's eq. (5) puts
/// the vectors inside the projection, W_k (x_n + p~_r), and prints r = clip(m − n); Shaw's code
/// adds them after it and counts n − m, which is what is done here. Source: Shaw et al. 2018 eq.
/// (3), (4); tensor2tensor.
template <class T>
class Shaw final : public Encoding, public ScoreTerms<T>, public ValueTerm<T>, public TableIndex {
 public:
  /// Tables [2k + 1, d_head]; an empty value table adds nothing to the output.
  /// Throws UsageError unless the key table has an odd number of rows and both have as many.
  Shaw(Matrix<T> key_table, Matrix<T> value_table, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Shaw> make(const EncodingSettings& settings);

  bool is_relative() const override { return true; }
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  IndexMatrix table_index(PositionsIn m, PositionsIn n) const override;
  void add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const override;

 private:
  Matrix<T> key_table_;
  Matrix<T> value_table_;
  Position clip_;
};

}  // namespace orrery
