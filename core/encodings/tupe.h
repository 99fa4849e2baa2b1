#pragma once

#include <memory>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

struct TupeOptions {
  bool untie_cls{true};      ///< the token at position 0 is [CLS] and has scores of its own
  bool relative_bias{true};  ///< T5's bias on top, 32 buckets to distance 128
};

/// Bucket of TUPE's bias table: T5's, bidirectional 32 to 128; with CLS untied, 32 for the key
/// [CLS] and 16, which T5 never uses, for the query [CLS], which wins where both meet.
Index tupe_bucket(Position query, Position key, bool untie_cls, const StageRounding& rounding = {});

/// TUPE: content and position are correlated apart, each with projections of its own.
/// logits_mn = q_m·k_n/√(2d) + (p_m U_q)·(p_n U_k)/√(2d) + b_{bucket}; p_i the layer-normalised row
/// i + 1 of a trained table. Terms: content, position, relative_bias.
/// With CLS untied, the position term is θ_1 = (p'_0 U_q)·(p'_0 U_k)/√(2d) for the query [CLS] and
/// θ_2 = (p'_1 U_q)·(p'_1 U_k)/√(2d) for the key [CLS], p'_r row r of the table, as the released
/// code derives them; the paper has two free numbers. RoFormer's eq. (9) leaves out scale and
/// [CLS]. Source: Ke et al. 2021 §3; guolinke/TUPE.
template <class T>
class Tupe final : public Encoding, public ScoreTerms<T>, public TableIndex {
 public:
  struct Weights {
    Matrix<T> table;  ///< [L + 2, d_model]
    Matrix<T> U_q;    ///< [d_model, heads·d_head]
    Matrix<T> U_k;    ///< [d_model, heads·d_head]
    Matrix<T> bias;   ///< [33, heads]
  };
  /// Rounding is of the weights, of positions once normalised and once projected, and of the bias's
  /// logarithm. Throws UsageError on shapes that do not fit.
  Tupe(Weights weights, TupeOptions options, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Tupe> make(const EncodingSettings& settings);

  bool is_relative() const override { return false; }
  /// Rows of the bias table.
  IndexMatrix table_index(PositionsIn m, PositionsIn n) const override;
  Position last_position() const override { return weights_.table.rows() - 2; }
  /// Throws UsageError for positions beyond the table, and for a head that is not there.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;

 private:
  Matrix<T> position_term(const ScoreInputs<T>& in) const;

  Weights weights_;
  TupeOptions options_;
  StageRounding rounding_;
};

}  // namespace orrery
