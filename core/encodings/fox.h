#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/context.h"
#include "core/encodings/settings.h"

namespace orrery {

/// D(m, n) = Σ g_t over the keys t between the two positions: n < p_t ≤ m for a key behind the
/// query and m < p_t ≤ n for one ahead, p_t the position of key t. gates [N_k], one number a key.
/// Sums in fp64, group by group in the order of positions.
Matrix<double> sums_between(PositionsIn m, PositionsIn n, const std::vector<KeyGroup>& groups,
                            const std::vector<double>& gates);

/// Its derivative: ∂loss by the gates [N_k], given that by the sums [N_q, N_k].
std::vector<double> pull_sums_back(PositionsIn m, PositionsIn n,
                                   const std::vector<KeyGroup>& groups,
                                   const Matrix<double>& d_sums);

/// Weights of the gates of a forgetting head.
struct ForgetGates {
  Matrix<double> weight{};  ///< w [heads, d_head], or [heads, d_model] for gates of the input
  Matrix<double> bias{};    ///< b [1, heads]
  GateSource source{GateSource::key};
};

/// Throws UsageError unless there is a bias for every row of the weight, of one head or more.
void check_gates(const ForgetGates& gates);

/// The terms of forgetting: "constant_forgetting" with the gates of keys without content, and
/// "content_forgetting", what contents change of it.
template <class T>
std::vector<ScoreTerm<T>> forgetting_terms(const ScoreInputs<T>& in, const ForgetGates& gates);

/// The tables of the gates; `bias` is empty where the bias is a parameter.
struct ForgetNames {
  std::string weight{};
  std::string bias{};
};

/// The derivative of forgetting_terms, given that by D [N_q, N_k].
template <class T>
void add_forgetting_gradients(const ScoreInputs<T>& in, const ForgetGates& gates,
                              const ForgetNames& names, const Matrix<double>& d_sums,
                              const ScoreGradients<T>& d);

/// Forgetting Transformer (FoX): each token has a gate that scales down the weights of all tokens
/// before it.
///   f_t = σ(w_h·k_t + b_h),  logits_mn = q_m·k_n/√d + D_mn,  D_mn = Σ_{n < t ≤ m} ln f_t
///
/// t runs over the keys that are given. The paper is causal; here a key ahead of the query takes
/// the sum over m < t ≤ n. The paper's gates read the layer's input x_t, as they do here with
/// GateSource::input; where q and k are given without it, they read k_t. If all gates are equal it
/// is ALiBi; otherwise scores depend on more than m − n, though a common shift of all positions
/// does not change them.
///
/// Terms: content; constant_forgetting, which has σ(b_h) for every gate and at consecutive
/// positions is ALiBi's bias with slope −ln σ(b_h); content_forgetting, the rest.
/// Accuracy: N_k·2^-53 of the largest sum.
/// Cost: N_k·d, a sort of the keys, and O(N_q N_k).
/// Source: Lin et al. 2025 (Forgetting Transformer), ICLR; fla, ops/forgetting_attn/naive.py.
template <class T>
class Fox final : public Encoding, public ScoreTerms<T> {
 public:
  /// Rounding is of w and b. Throws UsageError unless there is a bias for every row of the weight.
  explicit Fox(ForgetGates gates, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Fox> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true, .reads_other_keys = true}; }
  /// Throws UsageError when in.head is not one of the heads, or keys have another width than w.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;

 private:
  ForgetGates gates_;
};

}  // namespace orrery
