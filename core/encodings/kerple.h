#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

enum class KerpleVariant {
  logarithmic,  ///< −r1·log(1 + r2·|m − n|)
  power,        ///< −r1·|m − n|^r2
};

/// The trained parameters, one number per head each; all are positive, and r2 of the power variant
/// is at most 2: beyond that the kernel is no longer conditionally positive definite.
struct KerpleParameters {
  std::vector<double> r1{};  ///< [heads]
  std::vector<double> r2{};  ///< [heads]
};

/// KERPLE, kernelized relative position embedding: a bias that falls with distance as a kernel
/// does, ahead as behind.
///   logits_mn = q_m·k_n/√d + b(m − n),  b of KerpleVariant
///
/// With r2 = 1 the power variant is ALiBi's bias with slope r1. r1 and r2 are trained. The
/// released code draws them uniformly: r1 from [0, 2) and r2 from [0, 1) for the logarithmic
/// variant, r1 from [0, 1) and r2 from [0, 2) for the power variant, and keeps all of them at 0.01
/// or above. Here every head has the same r1 and r2 unless tables give them head by head; the
/// defaults 1 and 1/2 are the means of the logarithmic variant's start.
///
/// Terms: content, kernel_bias.
/// Accuracy: the bias within 4·2^-53 of its size, then rounded to T; 0 at distance 0, and finite
/// up to distance 2^53 for the parameters that make() allows.
/// Cost: a logarithm or a power per pair.
/// Source: Chi, Fan, Ramadge, Rudnicky 2022 (KERPLE), NeurIPS; chijames/KERPLE, ParallelKerpleLog
/// and ParallelKerplePower.
template <class T>
class Kerple final : public Encoding, public BiasTerm<T> {
 public:
  /// Rounding is of the positions, their distance, r1 and r2. Throws UsageError unless there are as
  /// many r1 as r2, at least one, and all are in range.
  Kerple(KerpleVariant variant, KerpleParameters parameters, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Kerple> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }

 private:
  ScoreTerm<T> bias(const ScoreInputs<T>& in) const override;
  bool is_by_distance() const override { return !rounding_.rounds(Stage::position); }
  void add_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                          Tables& d_tables) const override;
  double kernel(double distance, std::size_t head) const;

  KerpleVariant variant_;
  KerpleParameters parameters_;
  StageRounding rounding_;
};

}  // namespace orrery
