#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/types.h"

namespace orrery {

/// The formats of numbers. fp64 and fp32 are also the arithmetic that the library computes in; bf16
/// and fp16 exist as roundings of its results at named stages.
enum class Precision { fp64, fp32, bf16, fp16 };

/// Where an implementation rounds, in the order of the computation. An encoding rounds at those
/// that it has (EncodingInfo::stages); attention itself at those of attention_stages.
enum class Stage {
  position,    ///< m and n, where they are numbers: RoPE, sinusoids, ALiBi; an index stays whole
  distance,    ///< m − n, where it is a number: ALiBi, Transformer-XL, and what logarithms take
  log,         ///< every step of the logarithm that picks a bucket: T5, TUPE, DeBERTa v2
  inv_freq,    ///< the frequencies θ, their formula evaluated in fp32
  angle,       ///< the product m θ, formed in fp32; in fp64 it is formed exactly
  cos_sin,     ///< its cosine and sine, formed in fp32 when the angle is rounded
  products,    ///< the four products of a rotation, a cos, b sin, a sin, b cos, before their sums
  table,       ///< trained numbers, or numbers stored like them: tables, u, v, projections, slopes
  projected,   ///< position vectors after their projection: Transformer-XL, TUPE, DeBERTa
  input,       ///< x + p: sinusoidal, learned
  qk,          ///< queries and keys
  value,       ///< values
  rotated_qk,  ///< queries and keys after they are rotated
  term,        ///< the product behind each named term, before its scale
  scale,       ///< each named term with its scale, before their sum
  logits,      ///< the sum of the terms
  weights,     ///< the softmax of the logits
  output,      ///< the weighted sum of values, and what a ValueTerm adds to it
};
inline constexpr std::size_t stage_count = 18;

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

/// round_to of bf16 and fp16, which the machine does not round to.
double round_to_narrow(Precision precision, double value);

/// The nearest number of the format, ties to even, subnormals kept, overflow to ±inf, NaN stays.
/// Rounded once, from fp64. Source: IEEE 754-2019 §4.3.1; bfloat16 has 8 significant bits and the
/// exponents of fp32.
inline double round_to(Precision precision, double value) {
  if (precision == Precision::fp64) return value;
  if (precision == Precision::fp32) return static_cast<double>(static_cast<float>(value));
  return round_to_narrow(precision, value);
}

/// round_to of each. T is float or double.
template <class T>
void round_all(Precision precision, std::span<T> values);

/// A number that is formed in fp32 and stored in the format: rounded to fp32 first where the format
/// is narrower. fp64 leaves it alone.
double round_through_fp32(Precision precision, double value);

/// The format that each stage is rounded to. fp64, the default of every stage, leaves it as the
/// arithmetic computes it.
class StageRounding {
 public:
  StageRounding() = default;
  StageRounding(Precision format, std::initializer_list<Stage> stages);

  void set(Stage stage, Precision format) { formats_[index(stage)] = format; }
  Precision format(Stage stage) const { return formats_[index(stage)]; }
  bool rounds(Stage stage) const { return format(stage) != Precision::fp64; }
  /// Whether a T stays as it is. A float is an fp32 number already.
  template <class T>
  bool leaves(Stage stage) const {
    const Precision to = format(stage);
    return to == Precision::fp64 || (to == Precision::fp32 && sizeof(T) == sizeof(float));
  }
  /// The format with the largest unit roundoff among all stages; fp64 where none is rounded.
  Precision coarsest() const;
  /// The same, but `stage` has the format of `like`: for sinusoids of a distance.
  StageRounding with(Stage stage, Stage like) const;

  template <class T>
  T operator()(Stage stage, T value) const {
    if (leaves<T>(stage)) return value;
    return static_cast<T>(round_to(format(stage), static_cast<double>(value)));
  }
  template <class T>
  void apply(Stage stage, MatrixOut<T> values) const {
    if (leaves<T>(stage)) return;
    for (Index i = 0; i < values.rows(); ++i)
      round_all<T>(format(stage), {values.row(i).data(), static_cast<std::size_t>(values.cols())});
  }
  template <class T>
  Matrix<T> rounded(Stage stage, Matrix<T> values) const {
    apply<T>(stage, values);
    return values;
  }

 private:
  static std::size_t index(Stage stage) { return static_cast<std::size_t>(stage); }

  std::array<Precision, stage_count> formats_{};
};

/// Unit roundoff of the coarsest format of the stages; 0 where none is rounded.
double rounding_unit(const StageRounding& rounding);

}  // namespace orrery
