#pragma once

#include <memory>
#include <optional>

#include "core/attention/logit_factors.h"
#include "core/encoding.h"
#include "core/encodings/settings.h"
#include "core/encodings/sinusoidal.h"

namespace orrery {

/// Transformer-XL: sinusoids of the distance as keys, and two trained vectors in place of the
/// query's own position.
///   logits_mn = (q_m·k_n + q_m·r_{m−n} + u·k_n + v·r_{m−n})/√d
///   r_D = W_kR [sin(D ω) | cos(D ω)],  ω_t = base^(-2t/d_model)
///
/// Conformers (NeMo, ESPnet, Wav2Vec2-Conformer, FastSpeech2-Conformer, Parakeet) have the same with
/// sines and cosines in turns, layout interleaved: sin(D ω_t) in row 2t of W_kR, cos(D ω_t) in 2t+1.
///
/// Distances are indexed directly, D = m − n of any sign. Memory is just keys at earlier
/// positions, and no shift can leak the next row, as the authors' rel_shift does without a causal
/// mask. RoFormer's eq. (7) prints uᵀW_qᵀ, vᵀW_qᵀ: here u and v are added to queries, as in the
/// paper and its code; behind_W_q gives what RoFormer prints.
///
/// XLNet is the same with both directions and, if segments of tokens are given, the term
/// "segment": (q_m + s)·g_{[seg_m ≠ seg_n]}/√d, g_0 for tokens of one segment and g_1 otherwise.
/// clamp_len bounds D to ±clamp_len before the sinusoid. Transformer-XL's code bounds it above
/// alone, having no D < 0; XLNet's bounds both.
///
/// Terms: content, content_to_position, global_content, global_position, segment.
/// Source: Dai et al. 2019 §3.3; kimiyoung/transformer-xl; Yang et al. 2019 (XLNet) §2.5;
/// Transformers, modeling_xlnet, rel_attn_core; Gulati et al. 2020 (Conformer).
template <class T>
class TransformerXl final : public Encoding, public ScoreTerms<T> {
 public:
  struct Weights {
    Matrix<T> u;     ///< [heads, d_head]; XLNet's r_w_bias
    Matrix<T> v;     ///< [heads, d_head]; XLNet's r_r_bias
    Matrix<T> W_kR;  ///< [d_model, heads·d_head], head h in columns h·d_head …
    Matrix<T> s{};   ///< [heads, d_head]; XLNet's r_s_bias; empty without a segment term
    Matrix<T>
        segments{};  ///< g [2, heads·d_head]: same segment, another; XLNet's seg_embed; or empty
  };
  /// Eq. (7) as RoFormer prints it: u and v are contents, [heads, d_model], which W_q [d_model,
  /// heads·d_head] projects to queries head by head.
  /// Throws UsageError on shapes that do not fit.
  static Weights behind_W_q(const Weights& weights, const Matrix<T>& W_q,
                            const StageRounding& rounding = {});

  /// Rounding is of the weights, of the distance and its sinusoid, and of r_D. clamp_len 0 bounds
  /// nothing; layout is that of the sinusoids. Throws UsageError on shapes that do not fit, an odd
  /// d_model or a negative clamp_len.
  TransformerXl(Weights weights, double base, const StageRounding& rounding = {},
                Position clamp_len = 0, SinusoidalLayout layout = SinusoidalLayout::concatenated);

  static EncodingInfo info();
  static std::unique_ptr<TransformerXl> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override {
    return {.relative = true, .reads_segments = weights_.segments.size() > 0};
  }
  /// Throws UsageError for a head that is not there, for a distance beyond ±2^53 after clamp_len,
  /// and unless there is one segment id per query and per key, or none at all.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;
  /// Empty with segments.
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const override;

 private:
  /// What behind_W_q projects.
  struct Behind {
    Matrix<T> u, v, W_q;
  };
  /// The places of the distances in a map.
  struct MapOfDistances {
    Positions distances;  ///< that occur, once each, ascending
    IndexMatrix index;    ///< [N_q, N_k]
  };

  Position clamped(Position distance) const;
  MapOfDistances distances_of(const ScoreInputs<T>& in) const;
  /// Sinusoids of the distances, `count` from `first` on. [count, d_model]
  Matrix<T> sinusoids(PositionsIn distances, Index first, Index count) const;
  /// r_D of one head for each distance. [distances, d_head]
  Matrix<T> position_keys(PositionsIn distances, int head) const;
  ScoreTerm<T> segment_term(const ScoreInputs<T>& in) const;
  void add_position_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                              const ScoreGradients<T>& d) const;
  void add_segment_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                             const ScoreGradients<T>& d) const;
  /// Adds ∂loss by u or v of one head, d_bias [1, d_head], to the table that was given.
  void add_bias_gradient(const char* name, const Matrix<T>& d_bias, int head,
                         Tables& d_tables) const;
  /// Adds ∂loss by W_kR, given that by r_D of one head for each distance.
  void add_key_gradients(PositionsIn distances, const Matrix<T>& d_keys, int head,
                         Tables& d_tables) const;

  Weights weights_;
  std::optional<Behind> behind_{};  ///< u and v as make was given them, where W_q is in between
  double base_;
  StageRounding rounding_;
  Position clamp_len_;
  SinusoidalLayout layout_;
};

}  // namespace orrery
