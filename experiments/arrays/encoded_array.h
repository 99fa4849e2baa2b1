#pragma once

#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// Encoded vectors of the shape of x, with the names of its dimensions.
std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values);

}  // namespace orrery
