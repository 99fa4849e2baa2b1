#pragma once

#include <string>
#include <vector>

#include "experiments/data/held_arrays.h"

namespace orrery::test {

/// Arrays whose numbers are asked for by name.
class HeldArrays : public orrery::HeldArrays {
 public:
  /// Empty when there is no such array.
  std::vector<double> numbers(const std::string& name) const {
    std::vector<double> values;
    for (const Array& array : arrays())
      for (std::size_t i = 0; array.name == name && i < array.size(); ++i)
        values.push_back(array[i]);
    return values;
  }
};

}  // namespace orrery::test
