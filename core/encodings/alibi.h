#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/settings.h"

namespace orrery {

enum class AlibiForm {
  symmetric,  ///< −s_h·|m − n|: the paper's wherever it is defined, and its mirror image ahead
  causal,     ///< −s_h·(m − n): grows with keys ahead of the query, so it wants a causal mask
};

/// Slopes of the heads. For H = 2^a: s_h = 2^(−8(h+1)/H). Otherwise, with c the power of two below
/// H, the slopes of c heads followed by every other slope of 2c heads: not monotone, as the authors
/// released it. [heads]. Throws UsageError for fewer than one head.
/// Source: Press et al. 2022, appendix; ofirpress/attention_with_linear_biases.
std::vector<double> alibi_slopes(int heads);

/// Attention with linear biases: a penalty that grows linearly with distance, one slope a head.
/// logits_mn = q_m·k_n/√d − s_h·|m − n|. Terms: content, linear_bias.
/// The reference code adds +s_h·n instead of −s_h·(m − n): the same after softmax along a row.
/// Accuracy: exact in T up to one rounding of slope·distance. Cost: N_q·N_k beside the product.
/// Source: Press et al. 2022 (ALiBi) §3.
template <class T>
class Alibi final : public Encoding, public ScoreTerms<T> {
 public:
  /// Rounding is of the positions, their distance and the slopes (Stage::table).
  explicit Alibi(int heads, AlibiForm form = AlibiForm::symmetric, StageRounding rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Alibi> make(const EncodingSettings& settings);

  bool is_relative() const override { return true; }
  const std::vector<double>& slopes() const { return slopes_; }
  /// Throws UsageError when in.head is not one of the heads.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;

 private:
  std::vector<double> slopes_;
  AlibiForm form_;
  StageRounding rounding_;
};

}  // namespace orrery
