#pragma once

#include <algorithm>
#include <memory>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Row of DeBERTa's table for r = m − n: 0 for r ≤ −k, 2k − 1 for r ≥ k, else r + k.
Index deberta_delta(Position r, Position k);

/// Where version 2's logarithm ends. The two differ for r ≤ −max_distance only, once the row is
/// clamped to the table: row 1 against row 0 with 256 and 512.
enum class DebertaClamp {
  none,   ///< distances beyond max_distance go on, to be cut by the table: Hugging Face
  first,  ///< r is first clamped to ±(max_distance − 1): Microsoft
};

/// Version 2's bucket of r, signed: r itself up to half the buckets, then logarithmic to
/// max_distance: sign(r)·(⌈ln(|r|/mid)/ln((max − 1)/mid)·(mid − 1)⌉ + mid), mid = buckets/2.
Position deberta_bucket(Position r, Position buckets, Position max_distance,
                        DebertaClamp clamp = DebertaClamp::none,
                        const StageRounding& rounding = {});

enum class DebertaIndex {
  paper,  ///< position_to_content looks up δ(n, m): eq. (4) of the paper
  code,   ///< δ(m, n), as both released implementations do
};

/// Which terms are added to the content's, as the paper's ablation leaves one out; each choice has
/// its scale, 1/√((1 + terms)·d).
enum class DebertaTerms {
  both,                 ///< 1/√(3d)
  content_to_position,  ///< c2p alone, 1/√(2d)
  position_to_content,  ///< p2c alone, 1/√(2d)
};

struct DebertaOptions {
  Position span{512};       ///< k of version 1, or buckets of version 2: the table has 2·span rows
  bool log_buckets{false};  ///< version 2 and 3
  Position max_distance{512};  ///< of version 2
  DebertaIndex index{DebertaIndex::paper};
  DebertaTerms terms{DebertaTerms::both};
  DebertaClamp clamp{DebertaClamp::none};  ///< of version 2
  bool layer_norm{false};                  ///< of the table: norm_rel_ebd of v2 and v3
};

/// DeBERTa's disentangled attention: contents and relative positions meet in terms of their own.
///   logits_mn = (q_m·k_n + q_m·K^r_{δ(m,n)} + k_n·Q^r_{δ(n,m)})/√(3d)
///   K^r = P W_kr + b_kr
///   Q^r = P W_qr + b_qr
///
/// P [2k, d_model] is the trained table of relative positions. The paper has no biases. The
/// released version 1 has b_qr (pos_q_proj); versions 2 and 3 have both, and with share_att_key
/// they are those of the content's own query_proj and key_proj, as W_qr and W_kr are. Their P is
/// layer-normalised first (norm_rel_ebd=layer_norm, epsilon 1e-7). RoFormer's eq. (10) uses one
/// p~_{m−n} in both, no clipping and no √(3d).
///
/// Terms: content, content_to_position, position_to_content. With one of the last two left out,
/// the scale is 1/√(2d).
/// Source: He et al. 2021 §3.1, eq. (4); microsoft/DeBERTa.
template <class T>
class Deberta final : public Encoding, public TableTerms<T>, public TableIndex {
 public:
  struct Weights {
    Matrix<T> table;  ///< P [2·span, d_model]
    Matrix<T> W_qr;   ///< [d_model, heads·d_head]
    Matrix<T> W_kr;   ///< [d_model, heads·d_head]
    Index d_head{};
    Matrix<T> b_qr{};       ///< [1, heads·d_head], or empty for none
    Matrix<T> b_kr{};       ///< [1, heads·d_head], or empty for none
    Matrix<T> norm_gain{};  ///< [1, d_model], read with layer_norm
    Matrix<T> norm_bias{};  ///< [1, d_model], read with layer_norm
  };
  /// Rounding is of the weights, of the normalised table, of K^r and Q^r, and of version 2's
  /// logarithm.
  /// Throws UsageError on shapes that do not fit.
  Deberta(Weights weights, DebertaOptions options, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Deberta> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
  /// δ(m, n), the row of content_to_position.
  IndexMatrix table_index(PositionsIn m, PositionsIn n) const override;
  Index table_rows() const override { return weights_.table.rows(); }
  std::optional<Position> stated_reach() const override {
    return options_.log_buckets ? std::max(options_.max_distance, options_.span) : options_.span;
  }

 private:
  Index row_of(Position r) const;
  /// The row of position_to_content.
  Index mirrored_row_of(Position r) const;
  bool has(DebertaTerms term) const;
  std::vector<TableTerm<T>> table_terms(const ScoreInputs<T>& in) const override;
  int products() const override { return options_.terms == DebertaTerms::both ? 3 : 2; }
  /// K^r or Q^r of one head: rows of the table times its columns of W, plus those of b.
  /// [count, d_head]
  Matrix<T> projected(Index first, Index count, const Matrix<T>& W, const Matrix<T>& b,
                      int head) const;
  /// The derivative of K^r or Q^r: d_rows are ∂loss by its rows from `first` on; W and b are named
  /// as tables are, b where it has any.
  void add_projected_gradients(Index first, const Matrix<T>& d_rows, const Matrix<T>& W,
                               const char* name_W, const Matrix<T>& b, const char* name_b, int head,
                               Tables& d_tables) const;
  /// The same of P.
  void add_table_gradients(Index first, const Matrix<T>& d_rows, Tables& d_tables) const;

  Weights weights_;
  Matrix<T> given_table_{};  ///< P before its LayerNorm; empty without one
  DebertaOptions options_;
  StageRounding rounding_;
};

}  // namespace orrery
