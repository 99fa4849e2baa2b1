#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

enum class AlibiForm {
  symmetric,  ///< −s_h·|m − n|: the paper's wherever it is defined, and its mirror image ahead
  causal,     ///< −s_h·(m − n): grows with keys ahead of the query, so it wants a causal mask
  key,        ///< +s_h·n, the key's position alone: what the released codes add
};

/// Whether the scale of the product applies to the bias too.
enum class AlibiScale {
  none,  ///< q_m·k_n/√d + b_mn: the paper, BLOOM, MPT
  root,  ///< (q_m·k_n + b_mn)/√d: Falcon
};

struct AlibiOptions {
  AlibiForm form{AlibiForm::symmetric};
  double bias_max{8.0};  ///< the slope of the last of 2^a heads is 2^(−bias_max)
  AlibiScale scale{AlibiScale::none};
};

/// Slopes of the heads. With c = 2^⌊log₂ H⌋: s_h = 2^(−b(h+1)/c) for h < c, and for the rest, when
/// H is no power of two, every other slope of 2c heads, s_{c+i} = 2^(−b(2i+1)/(2c)): not monotone,
/// as the authors released it. b = bias_max is 8 in the paper; MPT calls it alibi_bias_max.
/// [heads]. Throws UsageError for fewer than one head, or a bias_max that is not positive. Source:
/// Press et al. 2022, appendix; ofirpress/attention_with_linear_biases.
std::vector<double> alibi_slopes(int heads, double bias_max = 8.0);

/// Attention with linear biases: a penalty that grows linearly with distance, one slope per head.
/// logits_mn = q_m·k_n/√d − s_h·|m − n|. Terms: content, linear_bias.
/// The released codes add +s_h·n instead of −s_h·(m − n): other logits, but the same weights, since
/// a row of logits differs by the constant s_h·m alone; AlibiForm::key has these logits, and they
/// depend on n, not on m − n. Falcon divides the bias by √d along with the product; a scale that
/// the caller gives takes the place of that √d in both.
/// Accuracy: exact in T up to one rounding of slope·distance. Cost: N_q·N_k beside the product.
/// Source: Press et al. 2022 (ALiBi) §3; Transformers, modeling_falcon, build_alibi_tensor.
template <class T>
class Alibi final : public Encoding, public BiasTerm<T> {
 public:
  /// Rounding is of the positions, their distance and the slopes (Stage::table); with
  /// AlibiScale::root also of the bias before its scale (Stage::term).
  Alibi(int heads, const AlibiOptions& options, const StageRounding& rounding = {});
  explicit Alibi(int heads, AlibiForm form = AlibiForm::symmetric,
                 const StageRounding& rounding = {})
      : Alibi(heads, AlibiOptions{.form = form}, rounding) {}

  static EncodingInfo info();
  static std::unique_ptr<Alibi> make(const EncodingSettings& settings);

  /// The weights alone depend on m − n for AlibiForm::key.
  EncodingTraits traits() const override {
    return {.relative = options_.form != AlibiForm::key, .relative_weights = true};
  }
  std::vector<double> slopes() const override { return slopes_; }

 private:
  ScoreTerm<T> bias(const ScoreInputs<T>& in) const override;
  bool is_by_distance() const override {
    return options_.form != AlibiForm::key && !rounding_.rounds(Stage::position);
  }
  /// The slope times −|m − n|, −(m − n) or n. [N_q, N_k]
  Matrix<T> sloped(const ScoreInputs<T>& in) const;

  std::vector<double> slopes_;
  AlibiOptions options_;
  StageRounding rounding_;
};

}  // namespace orrery
