#pragma once

#include "core/types.h"

namespace orrery {

/// Layer normalisation of each row: (x − mean)/√(variance + epsilon)·gain + bias, the variance over
/// all d channels. rows [N, d]; gain, bias [1, d]. Moments in fp64. Throws UsageError unless gain
/// and bias are [1, d]. Source: Ba et al. 2016.
template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows, const Matrix<T>& gain, const Matrix<T>& bias,
                           double epsilon);

}  // namespace orrery
