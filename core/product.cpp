#include "core/product.h"

namespace orrery {

template <class T>
Matrix<T> product(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  return a * b;
}

template <class T>
Matrix<T> product_with_transpose(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  return a * b.transpose();
}

template <class T>
Matrix<T> transposed_product(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  return a.transpose() * b;
}

template <class T>
Matrix<T> assigned_product(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  Matrix<T> c;
  c = a * b;
  return c;
}

template Matrix<float> product(const MatrixIn<float>&, const MatrixIn<float>&);
template Matrix<double> product(const MatrixIn<double>&, const MatrixIn<double>&);
template Matrix<float> product_with_transpose(const MatrixIn<float>&, const MatrixIn<float>&);
template Matrix<double> product_with_transpose(const MatrixIn<double>&, const MatrixIn<double>&);
template Matrix<float> transposed_product(const MatrixIn<float>&, const MatrixIn<float>&);
template Matrix<double> transposed_product(const MatrixIn<double>&, const MatrixIn<double>&);

template Matrix<float> assigned_product(const MatrixIn<float>&, const MatrixIn<float>&);
template Matrix<double> assigned_product(const MatrixIn<double>&, const MatrixIn<double>&);

}  // namespace orrery
