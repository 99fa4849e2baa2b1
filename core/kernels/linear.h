#pragma once

#include <cstddef>

#include "core/kernels/level.h"

namespace orrery::kernels {

/// y_i = q_i · (sums + the keys that query i sees), in fp64.
template <class T>
struct RunningDots {
  std::size_t queries{};
  std::size_t features{};
  const T* q{};  ///< [queries, features]
  const T* k{};  ///< [keys, features], the keys in order
  /// The number of keys that each query sees, those in `sums` included; ascending. Null for none
  /// of k.
  const std::ptrdiff_t* visible{};
  std::ptrdiff_t before{};  ///< how many keys `sums` already holds
  double* sums{};           ///< [features]; on return, of all keys that the last query sees
  double* y{};
};

/// Kernels of linear attention for a block of features, beside the products of TileKernels.
template <class T>
struct LinearKernels {
  /// sums [columns] += the rows of x [rows, columns].
  void (*add_rows)(std::size_t rows, std::size_t columns, const T* x, std::ptrdiff_t stride,
                   double* sums);
  void (*running_dots)(const RunningDots<T>& dots);
  /// sums += x [n], and what they come to in T.
  void (*accumulate)(std::size_t n, const T* x, double* sums, T* rounded);
  /// y = x / by, rounded to T once.
  void (*divide)(std::size_t n, const T* x, double by, T* y);
  /// y = x + 1 where x is above 0, and e^x elsewhere, off by at most 2 units in the last place.
  void (*elu_plus_one)(std::size_t n, const T* x, T* y);
  /// Whether each x [n] is 0 or lowest ≤ |x| ≤ highest: never of NaN.
  bool (*lies_within)(std::size_t n, const T* x, T lowest, T highest);
};

/// Those of a level that the CPU has.
template <class T>
const LinearKernels<T>& linear_kernels(Level level = best_level());

}  // namespace orrery::kernels
