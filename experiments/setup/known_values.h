#pragma once

#include <string_view>
#include <vector>

#include "experiments/model/layers.h"

namespace orrery::setup {

/// A value of a parameter that a paper or a model is known for.
struct KnownValue {
  double value{};
  std::string_view of{};  ///< "Llama 3"
};

/// Those of a parameter in ascending order; none for most.
const std::vector<KnownValue>& known_values(std::string_view key);

}  // namespace orrery::setup
