#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// The tensors of a file by name.
using TensorMap = std::map<std::string, Tensor, std::less<>>;

/// "weights.npz#layer0.q": a tensor of a file, in messages and captions.
std::string tensor_label(std::string_view file, std::string_view tensor);

/// The name among `names` that a user asked for; an empty `wanted` means the only one.
/// @param file  the file's name in messages
/// Throws UsageError: an unknown name (the nearest is suggested), or no name where there are
/// several (the first 8 are listed).
const std::string& resolve_tensor_name(const std::vector<std::string>& names,
                                       std::string_view wanted, const std::string& file);

}  // namespace orrery
