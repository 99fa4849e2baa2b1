#pragma once

#include "core/types.h"

namespace orrery {

/// The derivative of rows·W_h, W_h the columns of one head in W [width, heads·d]: returns ∂loss by
/// the rows, and d_W gains that by W. rows [N, width], d_out [N, d], d_W as W.
template <class T>
Matrix<T> pull_head_projection_back(const MatrixIn<T>& rows, const Matrix<T>& W, int head,
                                    const Matrix<T>& d_out, Matrix<double>& d_W);

}  // namespace orrery
