#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

struct SandwichConfig {
  Index channels{128};  ///< d̄, of the sinusoids; any even number, whatever the head has
  double base{10000.0};
  int heads{1};
};

/// Sandwich: the product of two sinusoidal position vectors as a bias, without any training.
///   logits_mn = q_m·k_n/√d + p_m·p_n/c_h,  p_m·p_n = Σ_t cos((m − n) base^(-2t/d̄)),
///   t = 0 … d̄/2 − 1,  c_h = 8(h + 1)/H
///
/// c_h is the compression of head h = 0 … H − 1: the bias of the first heads falls the fastest
/// with distance. For sinusoids it is eq. (6) without its two middle terms, with W_qᵀW_k of the
/// last one replaced by 1/c_h. The largest value is d̄/(2c_h), at distance 0; some ports subtract
/// the constant d̄/(2c_h), which changes no weights.
///
/// Terms: content, sinusoid_bias.
/// Accuracy: cosines of the exact product (m − n)·theta, to 4·2^-53 each.
/// Cost: d̄/2 cosines per pair of positions, or per distance where they are consecutive.
/// Source: Chi, Fan, Rudnicky, Ramadge 2023 (Dissecting Transformer Length Extrapolation via the
/// Lens of Receptive Field Analysis) §5 and its figure of the code.
template <class T>
class Sandwich final : public Encoding, public BiasTerm<T> {
 public:
  /// Rounding is of the positions and their distance, of frequencies, angles and cosines. Throws
  /// UsageError: no head, channels odd or not positive, base ≤ 1.
  explicit Sandwich(const SandwichConfig& config, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Sandwich> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }

 private:
  ScoreTerm<T> bias(const ScoreInputs<T>& in) const override;
  bool is_by_distance() const override { return !rounding_.rounds(Stage::position); }
  /// Σ_i cos(r θ_i) of a distance that is rounded already.
  double product(double r) const;

  SandwichConfig config_;
  StageRounding rounding_;
  std::vector<double> theta_;
};

}  // namespace orrery
