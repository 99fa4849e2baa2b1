#include "core/kernels/activations.h"

#include "core/kernels/exponential.h"
#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

constexpr std::size_t side_by_side = 4;  // one vector alone would wait for itself
constexpr std::size_t numbers_at_once = side_by_side * lanes<double>;
using Wide = Vector<double>[side_by_side];
typedef float NarrowVector __attribute__((vector_size(vector_bytes / 2)));

inline void widen(const float* from, Wide& to) {
  for (std::size_t j = 0; j < side_by_side; ++j) {
    NarrowVector v;
    __builtin_memcpy(&v, from + j * lanes<double>, sizeof v);
    to[j] = __builtin_convertvector(v, Vector<double>);
  }
}

inline void narrow(const Wide& from, float* to) {
  for (std::size_t j = 0; j < side_by_side; ++j) {
    const NarrowVector v = __builtin_convertvector(from[j], NarrowVector);
    __builtin_memcpy(to + j * lanes<double>, &v, sizeof v);
  }
}

/// x ← f(x), and slopes ← f'(x) where that is asked for: f(v, d) of vectors in fp64 and in place.
template <bool with_slopes, class F>
void map_all(std::size_t n, float* x, float* slopes, const F& f) {
  Wide v, d;
  const auto map = [&](float* at, [[maybe_unused]] float* slopes_at) {
    widen(at, v);
    f(v, d);
    narrow(v, at);
    if constexpr (with_slopes) narrow(d, slopes_at);
  };
  std::size_t i = 0;
  for (; i + numbers_at_once <= n; i += numbers_at_once) map(x + i, slopes + i);
  if (i == n) return;
  float rest[numbers_at_once]{}, rest_slopes[numbers_at_once];
  __builtin_memcpy(rest, x + i, (n - i) * sizeof(float));
  map(rest, rest_slopes);
  __builtin_memcpy(x + i, rest, (n - i) * sizeof(float));
  if (with_slopes) __builtin_memcpy(slopes + i, rest_slopes, (n - i) * sizeof(float));
}

template <class F>
void map_in_fp64(std::size_t n, float* x, float* slopes, const F& f) {
  if (slopes)
    map_all<true>(n, x, slopes, f);
  else
    map_all<false>(n, x, x, f);
}

inline Vector<double> magnitude(Vector<double> x) { return x < 0 ? -x : x; }

/// u ← σ(u), by e^−|u|, which is never too large.
inline void sigmoids(Wide& u) {
  Wide e;
  for (std::size_t j = 0; j < side_by_side; ++j) e[j] = -magnitude(u[j]);
  exponential<double>(e);
  for (std::size_t j = 0; j < side_by_side; ++j)
    u[j] = (u[j] < 0 ? e[j] : all_of(1.0)) / (e[j] + 1.0);
}

void times_sigmoid(std::size_t n, double slope, float* x, float* slopes) {
  map_in_fp64(n, x, slopes, [slope](Wide& v, Wide& d) {
    Wide s;
    for (std::size_t j = 0; j < side_by_side; ++j) s[j] = v[j] * slope;
    sigmoids(s);
    for (std::size_t j = 0; j < side_by_side; ++j) {
      d[j] = s[j] * (1.0 + slope * v[j] * (1.0 - s[j]));
      v[j] *= s[j];
    }
  });
}

// (1 + tanh(u))/2 = σ(2u), without the difference of 1 and nearly 1.
void gelu_by_tanh(std::size_t n, double slope, float* x, float* slopes) {
  constexpr double cubic = 0.044715;
  map_in_fp64(n, x, slopes, [slope](Wide& v, Wide& d) {
    Wide s;
    for (std::size_t j = 0; j < side_by_side; ++j)
      s[j] = 2 * slope * (v[j] + cubic * (v[j] * v[j] * v[j]));
    sigmoids(s);
    for (std::size_t j = 0; j < side_by_side; ++j) {
      const Vector<double> inner = 2 * slope * (1.0 + 3 * cubic * (v[j] * v[j]));
      d[j] = s[j] * (1.0 + v[j] * inner * (1.0 - s[j]));
      v[j] *= s[j];
    }
  });
}

void tanh(std::size_t n, float* x, float* slopes) {
  // Where 1 − e^(−2|x|) has lost 10 of 53 bits, the series' next term is as small.
  constexpr double small = 0x1p-10;
  map_in_fp64(n, x, slopes, [](Wide& v, Wide& d) {
    Wide e;
    for (std::size_t j = 0; j < side_by_side; ++j) e[j] = -2 * magnitude(v[j]);
    exponential<double>(e);
    for (std::size_t j = 0; j < side_by_side; ++j) {
      const Vector<double> size = magnitude(v[j]);
      const Vector<double> large = (1.0 - e[j]) / (1.0 + e[j]);
      const Vector<double> series = v[j] * (1.0 - v[j] * v[j] / 3.0);
      d[j] = 4.0 * e[j] / ((1.0 + e[j]) * (1.0 + e[j]));
      v[j] = size < small ? series : v[j] < 0 ? -large : large;
    }
  });
}

// Φ(−√2 z) = erfc(z)/2 = e^(−z²) p(t)/(1 + 2z) for z ≥ 0 and t = (z − 3)/(z + 3). p is the
// polynomial through it at Chebyshev's nodes of 0 ≤ z ≤ 10.5, computed in 60 digits: off by 6.4e-11
// at most. Beyond that, erfc(z) z is 0 in fp32.
constexpr double largest_z = 10.5;
constexpr double middle_z = 3;
constexpr double tail_series[] = {
    0x1.1d7819d15fbeep-16, 0x1.0e812060be929p-14, -0x1.081bb155001b8p-14, -0x1.9f2c1fa952ef0p-12,
    0x1.f03d47eda5f04p-11, 0x1.4c2467ab44692p-10, -0x1.857506058dc72p-7,  0x1.17c96a56b4544p-5,
    -0x1.e88b8fede6ebfp-5, 0x1.09836c7f2e79fp-4,  -0x1.85a15a41773cbp-6,  -0x1.15c084d636d5dp-4,
    0x1.40c522d7c29f2p-1};

/// The polynomial above over 1 + 2z.
inline Vector<double> scaled_tail(Vector<double> z) {
  z = z > largest_z ? all_of(largest_z) : z;
  const Vector<double> t = (z - middle_z) / (z + middle_z);
  Vector<double> sum = all_of(tail_series[0]);
  for (std::size_t i = 1; i < sizeof(tail_series) / sizeof(double); ++i)
    sum = fused(sum, t, all_of(tail_series[i]));
  return sum / (1.0 + 2.0 * z);
}

void gelu(std::size_t n, float* x, float* slopes) {
  constexpr double inverse_sqrt2 = 0x1.6a09e667f3bcdp-1, inverse_sqrt_2pi = 0x1.9884533d43651p-2;
  map_in_fp64(n, x, slopes, [](Wide& v, Wide& d) {
    Wide e;
    for (std::size_t j = 0; j < side_by_side; ++j) e[j] = v[j] * v[j] * -0.5;
    exponential<double>(e);
    for (std::size_t j = 0; j < side_by_side; ++j) {
      const Vector<double> tail = e[j] * scaled_tail(magnitude(v[j]) * inverse_sqrt2);
      const Vector<double> share = v[j] < 0 ? tail : 1.0 - tail;
      d[j] = share + v[j] * e[j] * inverse_sqrt_2pi;
      v[j] *= share;
    }
  });
}

}  // namespace

extern const ActivationKernels activations32;
const ActivationKernels activations32{times_sigmoid, gelu_by_tanh, gelu, tanh};

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
