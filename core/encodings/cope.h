#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/fox.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Whether the gates see logits with their scale.
enum class CopeGate {
  scaled,    ///< σ(q·k/√d): the paper's code, x-transformers
  unscaled,  ///< σ(q·k): the paper's eq. (3)
};

/// CoPE, contextual position encoding: distance counts the tokens that a query's gates open for,
/// not all tokens, and a vector per count is interpolated.
///   g_mt = σ(q_m·k_t/√d),  p_mn = min(Σ_{n ≤ t ≤ m} g_mt, P − 1),
///   logits_mn = q_m·k_n/√d + (1 − w) q_m·e_⌊p⌋ + w q_m·e_⌈p⌉,  w = p − ⌊p⌋
///
/// t runs over the keys that are given, both ends included; e [P, d] is trained. The paper is
/// causal; here a key ahead of the query counts the keys m ≤ t ≤ n. The paper starts e at zeros,
/// where the encoding does nothing; here e is normal unless a table is given. Scores depend on
/// more than m − n, though a common shift of all positions does not change them.
///
/// Terms: content; counted_position, which counts every token as 1/2, as gates without content do;
/// contextual_position, the change of it by contents.
/// Accuracy: N_k·2^-53 of a count, then that of the products.
/// Cost: P·d beside the product for each query, a sort of the keys, and O(N_q N_k).
/// Source: Golovneva et al. 2024 (CoPE) §4, appendix B; x-transformers, CoPE.
template <class T>
class Cope final : public Encoding, public ScoreTerms<T> {
 public:
  /// e [P, d_head]. Rounding is of e. Throws UsageError for an empty table.
  Cope(CopeGate gate, Matrix<T> table, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Cope> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true, .reads_other_keys = true}; }
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;

 private:
  /// q·e_p, between the two counts that p lies between.
  double interpolated(const T* products, double p) const;
  /// Its derivative: returns ∂loss by p; d_products gain theirs.
  double pull_interpolated_back(const T* products, double p, double d_out, T* d_products) const;
  void check_width(const MatrixIn<T>& q) const;

  CopeGate gate_;
  Matrix<T> table_;
};

}  // namespace orrery
