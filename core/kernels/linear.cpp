#include "core/kernels/linear.h"

#include "core/kernels/exponential.h"
#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

/// A vector of fp64 from as many numbers at p.
template <class T>
inline Vector<double> load_widened(const T* p) {
  typedef T Narrow __attribute__((vector_size(lanes<double> * sizeof(T))));
  Narrow narrow;
  __builtin_memcpy(&narrow, p, sizeof narrow);
  return __builtin_convertvector(narrow, Vector<double>);
}

/// `count` vectors of columns, whose sums stay in registers.
template <class T, std::size_t count>
void add_columns(std::size_t rows, const T* x, std::ptrdiff_t stride, double* sums) {
  Vector<double> sum[count];
  for (std::size_t j = 0; j < count; ++j) sum[j] = load(sums + j * lanes<double>);
  for (std::size_t i = 0; i < rows; ++i, x += stride)
    for (std::size_t j = 0; j < count; ++j) sum[j] += load_widened(x + j * lanes<double>);
  for (std::size_t j = 0; j < count; ++j) store(sums + j * lanes<double>, sum[j]);
}

template <class T>
void add_rows(std::size_t rows, std::size_t columns, const T* x, std::ptrdiff_t stride,
              double* sums) {
  std::size_t t = 0;
  for (; t + 8 * lanes<double> <= columns; t += 8 * lanes<double>)
    add_columns<T, 8>(rows, x + t, stride, sums + t);
  for (; t + lanes<double> <= columns; t += lanes<double>)
    add_columns<T, 1>(rows, x + t, stride, sums + t);
  for (; t < columns; ++t)
    for (std::size_t i = 0; i < rows; ++i)
      sums[t] += static_cast<double>(
          x[static_cast<std::ptrdiff_t>(i) * stride + static_cast<std::ptrdiff_t>(t)]);
}

inline double lane_sum(Vector<double> v) {
  double part[lanes<double>];
  __builtin_memcpy(part, &v, sizeof v);
  for (std::size_t width = lanes<double> / 2; width > 0; width /= 2)
    for (std::size_t l = 0; l < width; ++l) part[l] += part[l + width];
  return part[0];
}

/// q · y, where y gains the key first if there is one.
template <class T, bool adds>
double dot(std::size_t n, const T* q, const T* key, double* y) {
  Vector<double> sums[2] = {};
  const auto gained = [&](std::size_t t) {
    Vector<double> v = load(y + t);
    if constexpr (adds) store(y + t, v += load_widened(key + t));
    return v;
  };
  std::size_t t = 0;
  for (; t + 2 * lanes<double> <= n; t += 2 * lanes<double>) {
    sums[0] = fused(load_widened(q + t), gained(t), sums[0]);
    sums[1] = fused(load_widened(q + t + lanes<double>), gained(t + lanes<double>), sums[1]);
  }
  double sum = lane_sum(sums[0] + sums[1]);
  for (; t < n; ++t) {
    if constexpr (adds) y[t] += static_cast<double>(key[t]);
    sum += static_cast<double>(q[t]) * y[t];
  }
  return sum;
}

template <class T>
void running_dots(const RunningDots<T>& p) {
  const auto features = static_cast<std::ptrdiff_t>(p.features);
  std::ptrdiff_t added = 0;
  const T* q = p.q;
  for (std::size_t i = 0; i < p.queries; ++i, q += features) {
    const std::ptrdiff_t visible = p.visible ? p.visible[i] - p.before : 0;
    for (; added + 1 < visible; ++added)
      add_rows(1, p.features, p.k + added * features, features, p.sums);
    const T* key = p.k + added * features;
    p.y[i] = added < visible ? dot<T, true>(p.features, q, key, p.sums)
                             : dot<T, false>(p.features, q, key, p.sums);
    added = added < visible ? visible : added;
  }
}

template <class T>
void accumulate(std::size_t n, const T* __restrict x, double* __restrict sums,
                T* __restrict rounded) {
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] += static_cast<double>(x[i]);
    rounded[i] = static_cast<T>(sums[i]);
  }
}

void divide(std::size_t n, const float* __restrict x, double by, float* __restrict y) {
  const double inverse = 1 / by;  // a product with it is off by far less than fp32 shows
  for (std::size_t i = 0; i < n; ++i)
    y[i] = static_cast<float>(static_cast<double>(x[i]) * inverse);
}

void divide(std::size_t n, const double* __restrict x, double by, double* __restrict y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] / by;
}

/// x ← x + 1 where x is above 0, and e^x elsewhere: of NaN, too, which is above nothing.
template <class T, std::size_t count>
inline void elu_plus_one_of(Vector<T> (&x)[count]) {
  const Vector<T> zero{};
  Vector<T> below[count];
  for (std::size_t j = 0; j < count; ++j) below[j] = x[j] > zero ? zero : x[j];
  exponential<T>(below);
  for (std::size_t j = 0; j < count; ++j) x[j] = x[j] > zero ? x[j] + T(1) : below[j];
}

template <class T>
void elu_plus_one(std::size_t n, const T* x, T* y) {
  std::size_t i = 0;
  for (; i + 4 * lanes<T> <= n; i += 4 * lanes<T>) {
    Vector<T> v[4];
    for (std::size_t j = 0; j < 4; ++j) v[j] = load(x + i + j * lanes<T>);
    elu_plus_one_of<T>(v);
    for (std::size_t j = 0; j < 4; ++j) store(y + i + j * lanes<T>, v[j]);
  }
  for (; i < n; i += lanes<T>) {
    const std::size_t count = n - i < lanes<T> ? n - i : lanes<T>;
    Vector<T> v[1] = {load_some(x + i, count)};
    elu_plus_one_of<T>(v);
    store_some<T>(y + i, v[0], count);
  }
}

template <class T>
struct Pattern;
template <>
struct Pattern<float> {
  using Type = std::uint32_t;
};
template <>
struct Pattern<double> {
  using Type = std::uint64_t;
};

/// Of |x|: such patterns are in the order of the numbers, and NaN is the highest.
template <class T>
typename Pattern<T>::Type pattern(T x) {
  typename Pattern<T>::Type bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits & (~typename Pattern<T>::Type{0} >> 1);
}

template <class T>
bool lies_within(std::size_t n, const T* x, T lowest, T highest) {
  using Bits = typename Pattern<T>::Type;
  Bits least = ~Bits{0}, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Bits bits = pattern(x[i]);
    const Bits below = bits - 1;  // 0 becomes the highest
    least = below < least ? below : least;
    most = bits > most ? bits : most;
  }
  return (lowest == T(0) || least >= pattern(lowest) - 1) && most <= pattern(highest);
}

template <class T>
constexpr LinearKernels<T> linear_table{add_rows<T>, running_dots<T>, accumulate<T>,
                                        divide,      elu_plus_one<T>, lies_within<T>};

}  // namespace

extern const LinearKernels<float> linear32;
extern const LinearKernels<double> linear64;
const LinearKernels<float> linear32 = linear_table<float>;
const LinearKernels<double> linear64 = linear_table<double>;

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
