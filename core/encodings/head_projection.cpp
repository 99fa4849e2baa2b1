#include "core/encodings/head_projection.h"

#include "core/product.h"

namespace orrery {

template <class T>
Matrix<T> pull_head_projection_back(const MatrixIn<T>& rows, const Matrix<T>& W, int head,
                                    const Matrix<T>& d_out, Matrix<double>& d_W) {
  const Index d = d_out.cols();
  d_W.middleCols(head * d, d) += transposed_product<T>(rows, d_out).template cast<double>();
  return product_with_transpose<T>(d_out, W.middleCols(head * d, d));
}

template Matrix<float> pull_head_projection_back(const MatrixIn<float>&, const Matrix<float>&, int,
                                                 const Matrix<float>&, Matrix<double>&);
template Matrix<double> pull_head_projection_back(const MatrixIn<double>&, const Matrix<double>&,
                                                  int, const Matrix<double>&, Matrix<double>&);

}  // namespace orrery
