#pragma once

#include <Eigen/Core>

#include "core/position.h"

namespace orrery {

using Index = Eigen::Index;

/// Row-major: rows are positions, columns are channels.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A matrix that is read: a Matrix, a block of rows or columns, or a map of the caller's memory.
template <class T>
using MatrixIn = Eigen::Ref<const Matrix<T>, 0, Eigen::OuterStride<>>;
/// A matrix that is changed in place.
template <class T>
using MatrixOut = Eigen::Ref<Matrix<T>, 0, Eigen::OuterStride<>>;

}  // namespace orrery
