#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/data/array_codec.h"
#include "experiments/data/tensor_map.h"
#include "tests/fuzz/harness.h"

namespace orrery::fuzz {

/// What the readers of arrays promise.
inline void require_valid(const Tensor& tensor, Values allowed) {
  require(!tensor.shape.empty() && tensor.shape.size() <= 4, "a tensor has rank 1 to 4");
  std::size_t elements = 1;
  for (const std::size_t dimension : tensor.shape) elements *= dimension;
  require(elements > 0 && elements == tensor.values.size(),
          "a tensor has as many values as its shape");
  const bool minus_infinity = allowed == Values::finite_or_minus_infinity;
  require(std::all_of(tensor.values.begin(), tensor.values.end(),
                      [&](double value) {
                        return std::isfinite(value) ||
                               (minus_infinity && std::isinf(value) && value < 0);
                      }),
          "a tensor's values are finite");
}

inline bool is_finite(const Tensor& tensor) {
  return std::all_of(tensor.values.begin(), tensor.values.end(),
                     [](double value) { return std::isfinite(value); });
}

inline Array array_of(const Tensor& tensor, const std::string& name) {
  Array array;
  array.name = name;
  array.shape = tensor.shape;
  array.values = tensor.values;
  return array;
}

inline bool same_numbers(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.values == b.values;
}

/// What is read can be written, and the same is read again.
template <class Write, class Read>
void require_round_trip(const TensorMap& tensors, Write write, Read read) {
  std::vector<Array> arrays;
  std::vector<const Array*> pointers;
  for (const auto& [name, tensor] : tensors) arrays.push_back(array_of(tensor, name));
  for (const Array& array : arrays) pointers.push_back(&array);
  const TensorMap again = read(write(pointers));
  require(again.size() == tensors.size(), "as many tensors are read as were written");
  for (const auto& [name, tensor] : tensors) {
    const auto found = again.find(name);
    require(found != again.end() && same_numbers(found->second, tensor),
            "a tensor is read as it was written");
  }
}

}  // namespace orrery::fuzz
