#pragma once

#include "core/kernels/vectors.h"

namespace orrery::kernels {
namespace {

// exp(x) = 2^n e^r with n = x/ln 2 to the nearest whole number and |r| ≤ ln(2)/2. ln 2 is a sum of
// two numbers, the first short enough for n·ln 2 to be exact. e^r = 1 + r + r² s(r), s the
// polynomial through (e^r − 1 − r)/r² at Chebyshev's nodes, computed in 60 digits: off by 1e-8 and
// 1.6e-17.
//
// `round` leaves n + exponent in the last bits of what it is added to. Shifted to where exponents
// lie they are 2^n · 2^up, a normal number also where 2^n is none; `down` is 2^-up.
template <class T>
struct Exp;

template <>
struct Exp<float> {
  [[maybe_unused]] static constexpr int exponent = 127 + 65;
  [[maybe_unused]] static constexpr float down = 0x1p-65f;
  static constexpr float round = 0x1.8p23f + exponent;
  static constexpr float ln2_high = 0x1.63p-1f;
  static constexpr float ln2_low = -0x1.bd0106p-13f;
  static constexpr float lowest = -104;  // exp of it is nearer to 0 than to any other number
  [[maybe_unused]] static constexpr int fraction_bits = 23;
  static constexpr float series[] = {
      0x1.6d10fcp-10f, 0x1.120b62p-7f, 0x1.55551ap-5f, 0x1.5554dep-3f, 0.5f, 1.0f, 1.0f};
};

template <>
struct Exp<double> {
  [[maybe_unused]] static constexpr int exponent = 1023 + 513;
  [[maybe_unused]] static constexpr double down = 0x1p-513;
  static constexpr double round = 0x1.8p52 + exponent;
  static constexpr double ln2_high = 0x1.62e42fefa38p-1;
  static constexpr double ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double lowest = -746;
  [[maybe_unused]] static constexpr int fraction_bits = 52;
  static constexpr double series[] = {0x1.af389ecfc4b9cp-26,
                                      0x1.28917c89a43a7p-22,
                                      0x1.71de0db2f6b19p-19,
                                      0x1.a019b9149a41cp-16,
                                      0x1.a01a01a7c2efep-13,
                                      0x1.6c16c17889ef1p-10,
                                      0x1.11111111109b5p-7,
                                      0x1.5555555553d68p-5,
                                      0x1.5555555555556p-3,
                                      0x1.0000000000001p-1,
                                      1.0,
                                      1.0};
};

/// The larger of each lane, NaN where x is.
#ifdef __AVX512F__
inline Vector<float> at_least(float lowest, Vector<float> x) {
  return reinterpret_cast<Vector<float>>(
      _mm512_max_ps(_mm512_set1_ps(lowest), reinterpret_cast<__m512>(x)));
}

inline Vector<double> at_least(double lowest, Vector<double> x) {
  return reinterpret_cast<Vector<double>>(
      _mm512_max_pd(_mm512_set1_pd(lowest), reinterpret_cast<__m512d>(x)));
}
#elif defined(__AVX2__)
inline Vector<float> at_least(float lowest, Vector<float> x) {
  return reinterpret_cast<Vector<float>>(
      _mm256_max_ps(_mm256_set1_ps(lowest), reinterpret_cast<__m256>(x)));
}

inline Vector<double> at_least(double lowest, Vector<double> x) {
  return reinterpret_cast<Vector<double>>(
      _mm256_max_pd(_mm256_set1_pd(lowest), reinterpret_cast<__m256d>(x)));
}
#else
template <class T>
inline Vector<T> at_least(T lowest, Vector<T> x) {
  return x < lowest ? splat(lowest) : x;
}
#endif

/// value·2^n, also where 2^n lies below the smallest normal number. `shifted` is n + Exp::round.
#ifdef __AVX512F__
inline Vector<float> scaled(Vector<float> value, Vector<float> shifted) {
  return reinterpret_cast<Vector<float>>(_mm512_scalef_ps(
      reinterpret_cast<__m512>(value), reinterpret_cast<__m512>(shifted - Exp<float>::round)));
}

inline Vector<double> scaled(Vector<double> value, Vector<double> shifted) {
  return reinterpret_cast<Vector<double>>(_mm512_scalef_pd(
      reinterpret_cast<__m512d>(value), reinterpret_cast<__m512d>(shifted - Exp<double>::round)));
}
#else
template <class T>
inline Vector<T> times_power(Vector<T> value, Vector<T> shifted) {
  const Bits<T> power = reinterpret_cast<Bits<T>>(shifted) << Exp<T>::fraction_bits;
  return value * reinterpret_cast<Vector<T>>(power) * Exp<T>::down;
}

inline Vector<float> scaled(Vector<float> value, Vector<float> shifted) {
  return times_power<float>(value, shifted);
}

inline Vector<double> scaled(Vector<double> value, Vector<double> shifted) {
  return times_power<double>(value, shifted);
}
#endif

/// x ← exp(x) of `count` vectors side by side, each x ≤ 0 or NaN: one alone would wait for itself.
template <class T, std::size_t count>
inline void exponential(Vector<T> (&x)[count]) {
  using E = Exp<T>;
  Vector<T> shifted[count], r[count], sum[count];
  for (std::size_t j = 0; j < count; ++j) x[j] = at_least(E::lowest, x[j]);
  const Vector<T> inverse = all_of(T(1.4426950408889634)), round = all_of(E::round);
  const Vector<T> high = all_of(-E::ln2_high), low = all_of(-E::ln2_low);
  for (std::size_t j = 0; j < count; ++j) shifted[j] = fused(x[j], inverse, round);
  for (std::size_t j = 0; j < count; ++j) r[j] = fused(shifted[j] - round, high, x[j]);
  for (std::size_t j = 0; j < count; ++j) r[j] = fused(shifted[j] - round, low, r[j]);
  for (std::size_t j = 0; j < count; ++j)
    sum[j] = fused(r[j], all_of(E::series[0]), all_of(E::series[1]));
  for (std::size_t i = 2; i < sizeof(E::series) / sizeof(T); ++i)
    for (std::size_t j = 0; j < count; ++j) sum[j] = fused(sum[j], r[j], all_of(E::series[i]));
  for (std::size_t j = 0; j < count; ++j) x[j] = scaled(sum[j], shifted[j]);
}

}  // namespace
}  // namespace orrery::kernels
