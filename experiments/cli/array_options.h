#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/attend.h"

namespace orrery::cli {

/// "0..9", "3,1,4" or "7". Throws UsageError: not of that form, or more than 2^24 positions.
std::vector<std::int64_t> parse_positions(const std::string& text);

/// Reads "NAME=FILE" words, FILE as tensor_path reads it, and "FILE" words, which give all tensors
/// of the file by their own names. Throws UsageError: a name twice; and as read_tensors does.
NamedTensors read_tables(const std::vector<std::string>& words);

/// The tensor that a file parameter names, if it names one. Throws as load_inputs does.
std::optional<Tensor> tensor_input(const Inputs& inputs, const char* key);

/// Parses the words into the parameters and refuses keys that nothing reads.
ParamSet params_from(const std::vector<ParamSpec>& specs, const std::vector<std::string>& words);

}  // namespace orrery::cli
