#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/rotation_table.h"
#include "core/encodings/settings.h"

namespace orrery {

/// The order of sines and cosines, and for tensor2tensor also which frequencies they have.
enum class SinusoidalLayout {
  interleaved,    ///< channel 2t = sin, 2t+1 = cos: the paper's formula
  concatenated,   ///< [sin … | cos …]: a permutation of the same channels
  tensor2tensor,  ///< [sin … | cos …] with frequencies from 1 to 1/base, both included
};
/// By its name as a setting; interleaved for any other.
SinusoidalLayout layout_named(const std::string& name);

/// Sinusoidal absolute positions, added to the input.
/// p_{i,2t} = sin(i·base^(-2t/d)), p_{i,2t+1} = cos(i·base^(-2t/d)), i the position, d = d_model.
/// Layout tensor2tensor is what the original authors ran: theta_t = base^(-t/(d/2−1)), which no
/// permutation turns into the paper's; an odd d gets one last channel of zeros there and is refused
/// elsewhere. Source: Vaswani et al. 2017 §3.5; RoFormer eq. (4), which prints k for the position.
/// Accuracy: fp64 angles; an fp64 entry is the nearest to within 2 ulp, and an fp32 entry the
/// nearest to within 20·2^-53 (RotationTable).
template <class T>
class Sinusoidal final : public Encoding, public InputTerm<T> {
 public:
  /// Throws UsageError: d not positive, odd (see above), or base not above 1.
  Sinusoidal(Index d_model, double base = 10000.0,
             SinusoidalLayout layout = SinusoidalLayout::interleaved, StageRounding rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Sinusoidal> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = false}; }
  TurningPairs turning_pairs() const override {
    return {.theta = theta_, .rounded_theta = rounded_theta_};
  }
  void add_to_input(PositionsIn positions, MatrixOut<T> x) const override;
  void add_input_gradients(PositionsIn, const MatrixIn<T>&, Tables&) const override {}

  /// p [N, d_model].
  Matrix<T> table(PositionsIn positions) const;
  /// rad per token, the fastest first.
  const std::vector<double>& theta() const { return theta_; }
  /// theta() in the format of Stage::inv_freq: what the sinusoids are made of.
  const std::vector<double>& rounded_theta() const { return rounded_theta_; }

 private:
  bool interleaved() const { return layout_ == SinusoidalLayout::interleaved; }
  void fill(PositionsIn positions, MatrixOut<T> p) const;
  void fill_rounded(PositionsIn positions, MatrixOut<T> p) const;

  Index d_model_;
  SinusoidalLayout layout_;
  StageRounding rounding_;
  std::vector<double> theta_;          ///< rad per token
  std::vector<double> rounded_theta_;  ///< the same in the format of Stage::inv_freq
  RotationTable table_;                ///< of −rounded_theta_
};

}  // namespace orrery
