#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "core/types.h"

namespace orrery {

/// fp64 and fp32 run natively; bf16 and fp16 are roundings at named stages over fp32.
enum class Precision { fp64, fp32, bf16, fp16 };

/// Where a low-precision implementation rounds, in the order of the computation. An encoding rounds
/// at those that it has (EncodingInfo::stages); attention itself at qk, term and logits.
enum class Stage {
  position,    ///< m and n, where they are numbers: RoPE, sinusoids, ALiBi; an index stays whole
  distance,    ///< m − n, where it is a number: ALiBi, Transformer-XL, and what logarithms take
  log,         ///< every step of the logarithm that picks a bucket: T5, TUPE, DeBERTa v2
  inv_freq,    ///< the frequencies θ
  angle,       ///< the product m θ
  cos_sin,     ///< its cosine and sine
  table,       ///< what is trained, or stored like it: tables, u, v, projections, slopes
  projected,   ///< position vectors after their projection: Transformer-XL, TUPE, DeBERTa
  input,       ///< x + p: sinusoidal, learned
  qk,          ///< queries and keys
  rotated_qk,  ///< queries and keys after they are turned
  term,        ///< each named term, before their sum
  logits,      ///< the sum
};

std::string_view name(Precision precision);
std::string_view name(Stage stage);
/// Throws UsageError naming the nearest precision or stage.
Precision precision_named(std::string_view text);
Stage stage_named(std::string_view text);

/// Half the distance from 1 to the next larger number: 2^-53, 2^-24, 2^-8, 2^-11.
double unit_roundoff(Precision precision);

/// Distance between neighbouring numbers of the format at |value|; that of the smallest normal
/// number below it.
double ulp(Precision precision, double value);

/// The nearest number of the format, ties to even, subnormals kept, overflow to ±inf, NaN stays.
/// Rounded once, from fp64. Source: IEEE 754-2019 §4.3.1; bfloat16 has 8 significant bits and the
/// exponents of fp32.
double round_to(Precision precision, double value);

/// Which stages are rounded to which format. The default rounds nothing.
class StageRounding {
 public:
  StageRounding() = default;
  StageRounding(Precision format, std::initializer_list<Stage> stages);

  void add(Stage stage) { stages_ |= bit(stage); }
  bool rounds(Stage stage) const { return (stages_ & bit(stage)) != 0; }
  Precision format() const { return format_; }
  /// The same, but `stage` is rounded if `like` is: for sinusoids of a distance.
  StageRounding with(Stage stage, Stage like) const;

  template <class T>
  T operator()(Stage stage, T value) const {
    return rounds(stage) ? static_cast<T>(round_to(format_, static_cast<double>(value))) : value;
  }
  template <class T>
  void apply(Stage stage, MatrixOut<T> values) const {
    if (!rounds(stage)) return;
    const Precision format = format_;
    values = values.unaryExpr(
        [format](T v) { return static_cast<T>(round_to(format, static_cast<double>(v))); });
  }
  template <class T>
  Matrix<T> rounded(Stage stage, Matrix<T> values) const {
    apply<T>(stage, values);
    return values;
  }

 private:
  static std::uint32_t bit(Stage stage) { return 1u << static_cast<unsigned>(stage); }

  Precision format_{Precision::fp64};
  std::uint32_t stages_{0};
};

}  // namespace orrery
