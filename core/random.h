#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace orrery {

/// A stream of random numbers named by a seed and a purpose. The same name gives the same numbers
/// wherever and in whatever order streams are used; other purposes give independent streams. The
/// engine is std::mt19937_64, whose output the standard fixes; the distributions are our own,
/// because the standard leaves theirs to the library.
class Random {
 public:
  Random(std::int64_t seed, std::string_view purpose);

  /// In [0, 1), 53 random bits.
  double uniform();
  /// Standard normal, by Box and Muller's method in fp64.
  double normal();
  /// In [0, count), unbiased. count ≥ 1.
  std::int64_t integer(std::int64_t count);

 private:
  std::mt19937_64 engine_;
  double spare_{};
  bool has_spare_{false};
};

/// [rows, columns] of independent normals with the given standard deviation, drawn row by row in
/// fp64: an fp32 matrix is the rounded fp64 one.
template <class T>
Matrix<T> normal_matrix(Random& random, Index rows, Index columns, double standard_deviation = 1.0);

/// 0 … n − 1 in random order, each order as likely (Fisher and Yates).
std::vector<Index> random_order(Random& random, Index n);

}  // namespace orrery
