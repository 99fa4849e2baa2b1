#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/context.h"
#include "core/encodings/settings.h"

namespace orrery {

/// What the reflections of PaTH are made of.
struct PathTables {
  Matrix<double> direction{};  ///< W [d_head, d_head], for all heads
  Matrix<double> gate{};       ///< u [heads, d_head]
  Matrix<double> bias{};       ///< c [1, heads]
};

/// PaTH: between a query and a key stands the product of a Householder-like matrix per token, each
/// of the token's own making.
///   logits_mn = q_mᵀ H_m H_{m−1} … H_{n+1} k_n/√d,  H_t = I − β_t w_t w_tᵀ,
///   w_t = W k_t/|W k_t|,  β_t = 2σ(u_h·k_t + c_h),
/// t over the keys that are given, in the order of positions; β = 2 reflects, 1 projects, 0 does
/// nothing. Terms: content, q_m·k_n/√d, and path, what the product changes of it. The paper is
/// causal; a key ahead of the query takes H_{m+1} … H_n, the nearest first. Its w_t and β_t read
/// the layer's input x_t, w_t through a low-rank map and a convolution of width 3; the door sees
/// keys, so they read k_t here, without the convolution. Tokens of the same position, which the
/// paper does not have, follow in the order of their contents. Where W k_t is 0, H_t is I. Scores
/// are functions of more than m − n, though a common shift leaves them. Accuracy: computed in fp64;
/// products of up to N_k matrices, none of which lengthens a vector. Cost: O(N_q N_k d), by a
/// recursion from each query outwards. Source: Yang et al. 2025 (PaTH Attention) §3, NeurIPS; fla,
/// ops/path_attn/naive.py.
template <class T>
class Path final : public Encoding, public ScoreTerms<T>, public ReadsContext {
 public:
  /// Rounding is of the tables. Throws UsageError for shapes that do not fit.
  explicit Path(PathTables tables, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Path> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  bool is_relative() const override { return true; }
  /// Throws UsageError when in.head is not one of the heads, or for another width than the tables'.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;

 private:
  PathTables tables_;
};

}  // namespace orrery
