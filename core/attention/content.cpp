#include "core/attention/content.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"

namespace orrery {

template <class T>
Matrix<T> unscaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  if (a.cols() != b.cols() || a.cols() == 0)
    throw UsageError(fmt::format("q with {} and k with {} channels", a.cols(), b.cols()),
                     "q and k have the same number of channels, one or more",
                     "give arrays of the same head");
  return a * b.transpose();
}

template <class T>
Matrix<T> scaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b, int terms) {
  Matrix<T> product = unscaled_product<T>(a, b);
  product *= T(1) / std::sqrt(static_cast<T>(terms) * static_cast<T>(a.cols()));
  return product;
}

template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in) {
  return {"content", scaled_product<T>(in.q, in.k, 1)};
}

template Matrix<float> unscaled_product(const MatrixIn<float>&, const MatrixIn<float>&);
template Matrix<double> unscaled_product(const MatrixIn<double>&, const MatrixIn<double>&);
template Matrix<float> scaled_product(const MatrixIn<float>&, const MatrixIn<float>&, int);
template Matrix<double> scaled_product(const MatrixIn<double>&, const MatrixIn<double>&, int);
template ScoreTerm<float> scaled_content_term(const ScoreInputs<float>&);
template ScoreTerm<double> scaled_content_term(const ScoreInputs<double>&);

}  // namespace orrery
