#pragma once

#include <memory>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

/// The paper and its authors' code differ in what p is, and in what the token [CLS] gets.
enum class TupeVariant {
  /// p_i is row i of the table. The query [CLS] scores θ_1, and the key [CLS] θ_2, two free numbers
  /// per head, in place of the position term and the bias b together.
  paper,
  /// p_i is row i + 1 of the table, layer-normalised (epsilon 1e-5), and U_q and U_k have biases.
  /// θ_1 and θ_2 are the position terms of rows 0 and 1 with themselves, and [CLS] has buckets of
  /// its own in b.
  released,
};

struct TupeOptions {
  bool untie_cls{true};      ///< the token at position 0 is [CLS] and has scores of its own
  bool relative_bias{true};  ///< T5's bias on top, 32 buckets to distance 128
  TupeVariant variant{TupeVariant::paper};
};

/// TUPE: content and position are correlated apart, each with projections of its own.
/// logits_mn = q_m·k_n/√(2d) + (p_m U_q)·(p_n U_k)/√(2d) + b_{bucket}, p_i a trained vector of
/// position i. Terms: content, position, relative_bias. With CLS untied, the paper's reset_θ makes
/// the last two terms θ_1 and 0 for the query [CLS], and θ_2 and 0 for the key [CLS].
/// The released code computes (n_m U_q + b_q)·(n_n U_k + b_k)/√(2d) with n_i = LayerNorm(p)_{i+1},
/// and for [CLS] θ_1 = (n'_0 U_q + b_q)·(n'_0 U_k + b_k)/√(2d) and θ_2 likewise from n'_1, n'_r row
/// r of the normalised table: row 1 is also the vector of position 0. RoFormer's eq. (9) leaves out
/// scale and [CLS]. Source: Ke et al. 2021 §3; guolinke/TUPE, transformer_sentence_encoder.py.
template <class T>
class Tupe final : public Encoding, public ScoreTerms<T>, public TableIndex {
 public:
  struct Weights {
    Matrix<T> table;        ///< [L, d_model]; released: [L + 1, d_model]
    Matrix<T> U_q;          ///< [d_model, heads·d_head]
    Matrix<T> U_k;          ///< [d_model, heads·d_head]
    Matrix<T> bias;         ///< [32, heads]; released: [33, heads]
    Matrix<T> theta{};      ///< [2, heads], θ_1 first; the paper's, with CLS untied
    Matrix<T> b_q{};        ///< [1, heads·d_head]; released
    Matrix<T> b_k{};        ///< [1, heads·d_head]; released
    Matrix<T> norm_gain{};  ///< [1, d_model]; released
    Matrix<T> norm_bias{};  ///< [1, d_model]; released
  };
  /// Rounding is of the weights, of positions once normalised and once projected, and of the bias's
  /// logarithm. Empty b_q, b_k, norm_gain and norm_bias stand for zeros and a gain of ones. Throws
  /// UsageError on shapes that do not fit.
  Tupe(Weights weights, TupeOptions options, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Tupe> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override {
    return {.relative = false, .last_position = last_position()};
  }
  /// Rows of the bias table: T5's buckets, bidirectional 32 to 128. With CLS untied, released has
  /// 16, which T5 never uses, for the query [CLS] and 32 for the key [CLS]; the query's wins where
  /// both meet. −1 where the paper has θ instead.
  IndexMatrix table_index(PositionsIn m, PositionsIn n) const override;
  Index table_rows() const override { return weights_.bias.rows(); }
  Position last_position() const { return weights_.table.rows() - 1 - first_row(); }
  /// Throws UsageError for positions beyond the table, and for a head that is not there.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;
  bool is_bias() const override { return true; }
  /// Positions are more channels of q and k. What [CLS] has in place of them is two further ones,
  /// which also take back the bias of the distance where it has none of that.
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const override;

 private:
  struct Thetas {
    T query;  ///< θ_1
    T key;    ///< θ_2
  };
  /// U and b, and their names as tables.
  struct Projection {
    const Matrix<T>& U;
    const char* name_U;
    const Matrix<T>& b;
    const char* name_b;
  };

  bool released() const { return options_.variant == TupeVariant::released; }
  /// The row of position 0.
  Index first_row() const { return released() ? 1 : 0; }
  void check_weights() const;
  void fill_in_released();
  /// Throws UsageError for a position beyond the table.
  std::vector<Index> rows_of(PositionsIn positions) const;
  Matrix<T> rows_at(PositionsIn positions) const;
  Matrix<T> projected(const Matrix<T>& rows, const Matrix<T>& U, const Matrix<T>& b,
                      int head) const;
  /// (rows_m U_q + b_q)·(rows_n U_k + b_k)/√(2d).
  Matrix<T> products(const Matrix<T>& rows_m, const Matrix<T>& rows_n, int head,
                     const Scoring& scoring) const;
  Thetas thetas(int head, const Scoring& scoring) const;
  Matrix<T> position_term(const ScoreInputs<T>& in) const;
  Matrix<T> relative_bias(const ScoreInputs<T>& in) const;
  /// T5's bias of one head by n − m, as it is between tokens that are not [CLS]. [1, count]
  Matrix<T> bias_by_distance(const Distances& distances, int head) const;
  /// If [CLS] is among the queries or the keys, sets its last two channels of q and k to θ and to
  /// its own bias, less the bias of the distance.
  void untie_cls(const ScoreInputs<T>& in, const Distances& distances,
                 LogitFactors<T>& factors) const;

  // The derivatives of products, by the rows of the table that entered it; of position_term; and
  // of relative_bias.
  void add_product_gradients_of(const std::vector<Index>& rows_m, const std::vector<Index>& rows_n,
                                const ScoreInputs<T>& in, const Matrix<T>& d_products,
                                Tables& d_tables) const;
  void add_projected_gradients(const std::vector<Index>& rows, const Projection& by, int head,
                               const Matrix<T>& d_projected, Tables& d_tables) const;
  void add_row_gradients(const std::vector<Index>& rows, const Matrix<T>& d_rows,
                         Tables& d_tables) const;
  void add_position_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                              Tables& d_tables) const;
  void add_relative_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                   Tables& d_tables) const;

  Weights weights_;
  Matrix<T> given_table_{};  ///< before its LayerNorm; empty for the paper's
  TupeOptions options_;
  StageRounding rounding_;
};

}  // namespace orrery
