#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/checkpoints/forward_pass.h"
#include "experiments/model/inputs.h"

namespace orrery {

/// The numbers of an array as ids of tokens, in row-major order.
/// Throws DataError, naming `key`: a number that is no id.
std::vector<std::int32_t> ids_in(const Tensor& tensor, const std::string& key);

/// The tokens that a pass reads: those of the inputs, or the text of the inputs as the model's own
/// tokenizer reads it, at most "length" of them.
/// @param model   a folder or a .gguf
/// @param params  of forward_params
/// @param longest  tokens of a text where "length" is 0; 0 for all
/// Throws UsageError: text and tokens both or neither, or an array that is not [N]; DataError: a
/// number that is no id; and as read_tokenizer does.
PassInputs pass_inputs(const std::filesystem::path& model, const ParamSet& params, Inputs inputs,
                       std::int64_t longest);

}  // namespace orrery
