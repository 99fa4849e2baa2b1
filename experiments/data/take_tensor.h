#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "experiments/model/inputs.h"

namespace orrery {

/// The tensor of a file parameter, taken out of the inputs; empty when the parameter is.
inline std::optional<Tensor> take_tensor(Inputs& inputs, const char* key) {
  const auto found = inputs.find(key);
  if (found == inputs.end()) return std::nullopt;
  std::optional<Tensor> tensor(std::move(std::get<Tensor>(found->second)));
  inputs.erase(found);
  return tensor;
}

}  // namespace orrery
