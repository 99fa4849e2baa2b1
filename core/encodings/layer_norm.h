#pragma once

#include "core/types.h"

namespace orrery {

/// Layer normalisation of each row: (x − mean)/√(variance + epsilon)·gain + bias, the variance over
/// all d channels. rows [N, d]; gain, bias [1, d]. Moments in fp64. Throws UsageError unless gain
/// and bias are [1, d]. Source: Ba et al. 2016.
template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows, const Matrix<T>& gain, const Matrix<T>& bias,
                           double epsilon);

/// Its derivative: returns ∂loss by the rows, given that by what became of them. d_gain and d_bias
/// [1, d] gain theirs.
template <class T>
Matrix<T> pull_layer_norm_back(const Matrix<T>& rows, const Matrix<T>& gain, double epsilon,
                               const Matrix<T>& d_out, Matrix<double>& d_gain,
                               Matrix<double>& d_bias);

}  // namespace orrery
