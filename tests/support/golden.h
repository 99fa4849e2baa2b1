#pragma once

#include "core/types.h"
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

template <class T>
double largest_difference(const Matrix<T>& a, const Matrix<T>& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

}  // namespace orrery::test
