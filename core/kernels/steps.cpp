#include "core/kernels/steps.h"

#include <utility>

#include "core/kernels/exponential.h"
#include "core/kernels/vectors.h"

namespace orrery::kernels::ORRERY_KERNELS_LEVEL {
namespace {

/// Calls use(i, count) for the vectors of n numbers: `count` is lanes<T>, and known to be so, for all
/// but the last.
template <class T, class Use>
inline void for_vectors(std::size_t n, const Use& use) {
  std::size_t i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) use(i, lanes<T>);
  if (i < n) use(i, n - i);
}

template <class V>
inline auto sum_of(V v) {
  auto sum = v[0];
  for (std::size_t l = 1; l < sizeof v / sizeof sum; ++l) sum += v[l];
  return sum;
}

// ---- Softmax -----------------------------------------------------------------------------------

/// x ← scale·x + bias; the largest of them, NaN left out.
template <class T>
T scale_logits(std::size_t n, T scale, const T* bias, T* x) {
  constexpr T lowest = -__builtin_inff();
  Vector<T> most = all_of(lowest);
  const auto keep_largest = [&](Vector<T> v) { most = v > most ? v : most; };
  for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
    Vector<T> v = load_some(x + i, count) * scale;
    if (bias) v += load_some(bias + i, count);
    store_some(x + i, v, count);
    keep_largest(count == lanes<T> ? v : load_first(x + i, count, lowest));
  });
  T largest = lowest;
  for (std::size_t l = 0; l < lanes<T>; ++l) largest = most[l] > largest ? most[l] : largest;
  return largest;
}

/// x ← exp(x − shift), four vectors at once; the sum in fp64.
template <class T>
double exponentials_from(std::size_t n, T shift, T* x) {
  constexpr std::size_t at_once = 4 * lanes<T>;
  constexpr T lowest = -__builtin_inff();  // exp of what is beyond the end is 0
  Vector<double> sums{};
  const auto four = [&](std::size_t i, const auto& count_of) {
    Vector<T> e[4];
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t count = count_of(j);
      e[j] = count == 0 ? all_of(lowest) : load_some(x + i + j * lanes<T>, count, lowest) - shift;
    }
    exponential<T>(e);
    for (std::size_t j = 0; j < 4; ++j)
      if (count_of(j) > 0) store_some(x + i + j * lanes<T>, e[j], count_of(j));
    sums += widened((e[0] + e[1]) + (e[2] + e[3]));
  };
  std::size_t i = 0;
  for (; i + at_once <= n; i += at_once) four(i, [](std::size_t) { return lanes<T>; });
  if (i < n)
    four(i, [left = n - i](std::size_t j) {
      const std::size_t before = j * lanes<T>;
      return left <= before ? 0 : left - before < lanes<T> ? left - before : lanes<T>;
    });
  return sum_of(sums);
}

template <class T>
void softmax(std::size_t n, T scale, const T* bias, T* x) {
  const T largest = scale_logits(n, scale, bias, x);
  const T share = static_cast<T>(1 / exponentials_from(n, largest, x));
  for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
    store_some(x + i, load_some(x + i, count) * share, count);
  });
}

template <class T>
void pull_softmax_back(std::size_t n, T scale, const T* a, T* d) {
  Vector<T> sum{};
  for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
    sum = fused(load_some(a + i, count), load_some(d + i, count), sum);
  });
  const T mean = sum_of(sum);
  for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
    const Vector<T> slope = load_some(a + i, count) * (load_some(d + i, count) - mean);
    store_some(d + i, slope * scale, count);
  });
}

// ---- Norms -------------------------------------------------------------------------------------

/// Half a vector of fp32, or a vector of fp64: as many numbers as a vector in fp64 has.
template <class T>
struct Narrow {
  typedef T Numbers __attribute__((vector_size(lanes<double> * sizeof(T))));
};

template <class T>
inline typename Narrow<T>::Numbers load_narrow(const T* p, std::size_t count) {
  typename Narrow<T>::Numbers v{};
  __builtin_memcpy(&v, p, count * sizeof(T));
  return v;
}

/// As for_vectors, of lanes<double> numbers.
template <class Use>
inline void for_narrow(std::size_t n, const Use& use) {
  std::size_t i = 0;
  for (; i + lanes<double> <= n; i += lanes<double>) use(i, lanes<double>);
  if (i < n) use(i, n - i);
}

template <class T>
inline Vector<double> load_wide(const T* p, std::size_t count) {
  return __builtin_convertvector(load_narrow(p, count), Vector<double>);
}

template <class T>
void normalise(const NormRows<T>& rows, const T* bias, T* y, std::ptrdiff_t y_stride) {
  const std::size_t n = rows.channels;
  const auto width = static_cast<double>(n);
  const T* x = rows.x;
  for (std::size_t row = 0; row < rows.rows; ++row, x += rows.stride, y += y_stride) {
    Vector<double> sum{}, squares{};
    if (rows.centres)
      for_narrow(n, [&](std::size_t i, std::size_t count) { sum += load_wide(x + i, count); });
    const double mean = sum_of(sum) / width;
    for_narrow(n, [&](std::size_t i, std::size_t count) {
      Vector<double> v = load_wide(x + i, count) - mean;
      if (count < lanes<double>) v = first_numbers<double>(count) ? v : Vector<double>{};
      squares = fused(v, v, squares);
    });
    const double inverse = 1 / __builtin_sqrt(sum_of(squares) / width + rows.epsilon);
    for_narrow(n, [&](std::size_t i, std::size_t count) {
      const Vector<double> v = (load_wide(x + i, count) - mean) * inverse;
      auto out = __builtin_convertvector(v, typename Narrow<T>::Numbers) *
                 load_narrow(rows.gain + i, count);
      if (bias) out += load_narrow(bias + i, count);
      __builtin_memcpy(y + i, &out, count * sizeof(T));
    });
  }
}

template <class T>
void pull_norm_back(const NormRows<T>& rows, const T* d_y, std::ptrdiff_t d_y_stride, T* d,
                    std::ptrdiff_t d_stride, bool add, T* d_gain) {
  const std::size_t n = rows.channels;
  const auto width = static_cast<T>(n);
  const T* x = rows.x;
  for (std::size_t row = 0; row < rows.rows;
       ++row, x += rows.stride, d_y += d_y_stride, d += d_stride) {
    Vector<T> sum{}, squares{}, along{}, slopes{};
    if (rows.centres)
      for_vectors<T>(n, [&](std::size_t i, std::size_t count) { sum += load_some(x + i, count); });
    const T mean = sum_of(sum) / width;
    for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
      const Vector<T> v = load_some(x + i, count, mean) - mean;
      const Vector<T> g = load_some(d_y + i, count) * load_some(rows.gain + i, count);
      squares = fused(v, v, squares);
      along = fused(g, v, along);
      slopes += g;
    });
    const T inverse =
        1 /
        static_cast<T>(__builtin_sqrt(static_cast<double>(sum_of(squares) / width) + rows.epsilon));
    const T share = sum_of(along) * inverse / width;
    const T slope = rows.centres ? sum_of(slopes) / width : T(0);
    for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
      const Vector<T> normed = (load_some(x + i, count) - mean) * inverse;
      const Vector<T> own = load_some(d_y + i, count);
      store_some(d_gain + i, fused(own, normed, load_some(d_gain + i, count)), count);
      Vector<T> out = (own * load_some(rows.gain + i, count) - slope - share * normed) * inverse;
      if (add) out += load_some(d + i, count);
      store_some(d + i, out, count);
    });
  }
}

// ---- Rotations ---------------------------------------------------------------------------------

template <class T, std::size_t... l>
inline Vector<T> with_neighbours_swapped(Vector<T> v, std::index_sequence<l...>) {
  return __builtin_shufflevector(v, v, (l ^ 1)...);
}

template <class T>
void turn(std::size_t n, const T* cos, const T* sin, bool back, const T* x, T* y) {
  const T sign = back ? T(-1) : T(1);
  for_vectors<T>(n, [&](std::size_t i, std::size_t count) {
    const Vector<T> own = load_some(x + i, count);
    const Vector<T> other = with_neighbours_swapped<T>(own, std::make_index_sequence<lanes<T>>());
    const Vector<T> turned = own * load_some(cos + i, count);
    store_some(y + i, fused(other, load_some(sin + i, count) * sign, turned), count);
  });
}

// ---- Steps -------------------------------------------------------------------------------------

inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }

template <class T>
void adam(std::size_t n, const AdamStep<T>& step, const T* __restrict g, T* __restrict m,
          T* __restrict v, T* __restrict w) {
  const AdamStep<T> s = step;
  for (std::size_t i = 0; i < n; ++i) {
    const T slope = g[i] * s.shorten;
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * slope;
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * (slope * slope);
    w[i] = s.decay * w[i] - s.rate * m[i] / (root(s.v_scale * v[i]) + s.epsilon);
  }
}

template <class T>
constexpr StepKernels<T> step_table{
    softmax<T>, pull_softmax_back<T>, normalise<T>, pull_norm_back<T>, turn<T>, adam<T>};

}  // namespace

extern const StepKernels<float> steps32;
extern const StepKernels<double> steps64;
const StepKernels<float> steps32 = step_table<float>;
const StepKernels<double> steps64 = step_table<double>;

}  // namespace orrery::kernels::ORRERY_KERNELS_LEVEL
