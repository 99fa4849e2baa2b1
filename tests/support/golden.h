#pragma once

#include <type_traits>

#include "core/analysis/largest.h"
#include "tests/support/golden_file.h"

namespace orrery::test {

template <class T>
Matrix<T> matrix_of(const nlohmann::json& rows) {
  Matrix<T> m(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      m(i, j) =
          rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).template get<T>();
  return m;
}

/// orrery::largest_difference for matrices and expressions, computed in T if given, else in the
/// scalar of `a`.
template <class T = void, class A, class B>
double largest_difference(const A& a, const B& b) {
  using Scalar = std::conditional_t<std::is_void_v<T>, typename A::Scalar, T>;
  return orrery::largest_difference<Scalar>(a, b);
}

}  // namespace orrery::test
