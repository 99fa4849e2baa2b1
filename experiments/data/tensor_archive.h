#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_data.h"
#include "experiments/data/tensor_map.h"

namespace orrery {

/// A file of tensors whose list is read and checked, and whose values are decoded one tensor at a
/// time: a model's file holds hundreds, and a run wants one.
class TensorArchive {
 public:
  virtual ~TensorArchive() = default;
  /// Sorted, without duplicates, at least one.
  virtual std::vector<std::string> names() const = 0;
  /// One of names(). Throws DataError: damaged, or not what Tensor takes (see parse_npy).
  virtual Tensor tensor(const std::string& name, Values allowed = Values::finite) const = 0;
};

/// Every tensor of the archive.
/// @param file  what messages call it
/// Throws DataError as TensorArchive::tensor does, and where all of them together have more than
/// most_elements.
TensorMap all_tensors(const TensorArchive& archive, std::string_view file,
                      std::size_t most_elements = max_elements);

}  // namespace orrery
