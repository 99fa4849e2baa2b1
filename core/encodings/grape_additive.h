#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/fox.h"
#include "core/encodings/settings.h"

namespace orrery {

/// How the speed ω of the action is determined.
enum class GrapeGate {
  none,       ///< ω = s_h: ALiBi
  key,        ///< ω = s_h·softplus(u_h·k_n/(|u_h|√d)): GRAPE-A, key-gated
  query,      ///< ω = s_h·softplus(v_h·q_m/(|v_h|√d))
  query_key,  ///< the sum of both
  forget,     ///< ω = −ln f_t, token by token: the Forgetting Transformer, GRAPE-AP
};

struct GrapeAdditiveTables {
  Matrix<double> key{};    ///< u [heads, d_head], of any lengths
  Matrix<double> query{};  ///< v [heads, d_head], of any lengths
  ForgetGates forget{};
};

/// Additive GRAPE: positions act on q and k, lifted by two channels, as powers of a matrix that
/// differs from the unit matrix by one entry.
///   G(r) = exp(r ω A) = I + r ω A,  A = e_q e_kᵀ,  A² = 0
///   (q, 1, 0)ᵀ G(−r) (k, 0, 1) = q·k − r ω
///   logits_mn = q_m·k_n/√d − |m − n| ω,  ω of GrapeGate
///
/// With ω = s_h, ALiBi's slopes, it is ALiBi. With a step ω_t = −ln f_t at each token it is the
/// Forgetting Transformer, since the factors commute: Π G = I − Σ ln f_t A (tests hold both
/// exactly). The vectors u and v, if tables give them, are divided by their lengths, as the
/// release does; a row of zeros remains. The paper is causal; here a key ahead of the query takes
/// |m − n|.
///
/// Terms: content; linear_bias, which has ω of tokens without content; query_gated_bias and
/// key_gated_bias, the change of it by contents; for `forget`, those of Fox.
/// Accuracy: that of Alibi and Fox.
/// Source: Zhang et al. 2025 (GRAPE) §4, arXiv 2512.07805; model-architectures/GRAPE,
/// llama-mha-grape-a-*.py.
template <class T>
class GrapeAdditive final : public Encoding, public ScoreTerms<T> {
 public:
  /// Rounding is of the positions, their distance, slopes and tables. Throws UsageError unless
  /// there is a row of u and of v per head, and of forget gates where they are read.
  GrapeAdditive(int heads, GrapeGate gate, GrapeAdditiveTables tables,
                const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<GrapeAdditive> make(const EncodingSettings& settings);

  EncodingTraits traits() const override {
    return {.relative = true, .reads_other_keys = gate_ == GrapeGate::forget};
  }
  Matrix<double> mean_directions(Index d) const override;
  /// Throws UsageError when in.head is not one of the heads, or for another width than d_head.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;

 private:
  bool gates_keys() const { return gate_ == GrapeGate::key || gate_ == GrapeGate::query_key; }
  bool gates_queries() const { return gate_ == GrapeGate::query || gate_ == GrapeGate::query_key; }
  void check_inputs(const ScoreInputs<T>& in) const;
  /// The change of the gates of a side by contents: softplus − ln 2. [rows of x]; 0 for no gate.
  std::vector<double> rates(const MatrixIn<T>& x, const Matrix<double>& weights, int head,
                            bool gated) const;
  /// The derivative of rates of gates: d_x gains that by x, d_row that by the head's row of the
  /// weights as they were given, of that length.
  void add_rate_gradients(const MatrixIn<T>& x, const Matrix<double>& unit, double length,
                          const Matrix<double>& d_rates, MatrixOut<T> d_x,
                          Eigen::Ref<Eigen::RowVectorXd> d_row) const;
  void add_gate_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                          const ScoreGradients<T>& d) const;

  std::vector<double> slopes_;
  GrapeGate gate_;
  GrapeAdditiveTables tables_;
  std::vector<double> key_lengths_;    ///< of u as it was given. [heads]
  std::vector<double> query_lengths_;  ///< of v
  StageRounding rounding_;
};

}  // namespace orrery
