#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "experiments/arrays/attend.h"

namespace orrery::arrays {

/// One encoding applied to vectors or positions.
struct ApplyInputs {
  std::optional<Tensor> x{};  ///< [N, d], [heads, N, d] or [batch, heads, N, d]
  TensorMap tables{};
  std::vector<std::int64_t> positions{};  ///< of the rows of x; of queries and keys for an index
};

/// Encoded vectors of the shape of x, with the names of its dimensions.
std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values);

}  // namespace orrery::arrays
