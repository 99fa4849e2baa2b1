#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.h"

namespace orrery {

/// The tensors of a file by name.
using TensorMap = std::map<std::string, Tensor, std::less<>>;

/// "weights.npz#layer0.q": what messages and captions call a tensor of a file.
std::string tensor_label(std::string_view file, std::string_view tensor);

/// The name among `names` that is wanted. An empty wish is for the only one there is.
/// @param file  what messages call the file
/// Throws UsageError: no such name (the nearest is suggested), or none wanted where there are
/// several (the first 8 are listed).
const std::string& the_name(const std::vector<std::string>& names, std::string_view wanted,
                            const std::string& file);

}  // namespace orrery
