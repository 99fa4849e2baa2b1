#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/attention/mask.h"
#include "core/types.h"
#include "experiments/figure/figure.h"

namespace orrery {

using ArrayPtr = std::shared_ptr<const Array>;

/// A matrix as an array of a result, in its own precision. axes names rows and columns.
template <class T>
ArrayPtr array_of(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes);

/// 1 where one of n queries does not see one of n keys, [n, n]; null when every one sees all.
/// Throws UsageError when the mask has another shape.
ArrayPtr mask_array(const Mask& mask, Index n);

}  // namespace orrery
