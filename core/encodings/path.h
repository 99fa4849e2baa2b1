#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/fox.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Weights of the reflections of PaTH.
struct PathTables {
  Matrix<double> direction{};  ///< W [d_head, d_head], for all heads; of the input [heads·d_head,
                               ///< d_model], head after head
  Matrix<double> gate{};       ///< u [heads, d_head], of the input [heads, d_model]
  Matrix<double> bias{};       ///< c [1, heads]
  Matrix<double> convolution{};  ///< C [width, rows of W]; empty for none
  ForgetGates forget{};          ///< of the same source; empty for none
  GateSource source{GateSource::key};
};

/// PaTH: the logit of a query and a key contains the product of a Householder-like matrix per
/// token between them, each made of the token's content.
///   logits_mn = q_mᵀ H_m H_{m−1} … H_{n+1} k_n/√d,  H_t = I − β_t w_t w_tᵀ
///   w_t = z_t/|z_t|,  z_t = W y_t or silu(Σ_s C_s ⊙ W y_{t−s}),  β_t = 2σ(u_h·y_t + c_h)
///
/// t runs over the keys that are given, in the order of positions. β = 2 reflects, 1 projects, 0
/// does nothing. y_t is the layer's input x_t with GateSource::input, as in the paper, and k_t
/// where q and k are given without it. The convolution reads a token and those before it, C_0 the
/// token's own, as the paper's does with width 3; its low-rank W is the product of the two maps.
///
/// With forget gates (PaTH-FoX) the logits gain D_mn/√d, D of Fox: the released code adds it
/// before the scale. The paper is causal; here a key ahead of the query takes H_{m+1} … H_n, the
/// nearest first. Tokens of the same position, which the paper does not have, follow in the order
/// of their contents. If z_t is 0, H_t is I. Scores depend on more than m − n, though a common
/// shift of all positions does not change them.
///
/// Terms: content, q_m·k_n/√d; path, the change of it by the product; those of forgetting.
/// Accuracy: computed in fp64; products of up to N_k matrices, none of which lengthens a vector.
/// Cost: O(N_q N_k d), by a recursion from each query outwards.
/// Source: Yang et al. 2025 (PaTH Attention) §3, NeurIPS; fla, layers/path_attn.py and
/// ops/path_attn/naive.py.
template <class T>
class Path final : public Encoding, public ScoreTerms<T> {
 public:
  /// Rounding is of the tables. Throws UsageError for shapes that do not fit.
  explicit Path(PathTables tables, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Path> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true, .reads_other_keys = true}; }
  /// Throws UsageError when in.head is not one of the heads, or for another width than the tables'.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;

 private:
  /// What directions and gates read. Throws UsageError as score_terms does.
  Matrix<double> checked_contents(const ScoreInputs<T>& in) const;
  Matrix<T> path_term(const ScoreInputs<T>& in) const;
  /// The derivative of the product with the matrices, content and path together.
  void add_path_gradients(const ScoreInputs<T>& in, const Matrix<double>& d_products,
                          const ScoreGradients<T>& d) const;

  PathTables tables_;
};

}  // namespace orrery
