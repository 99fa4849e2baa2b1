#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/attend.h"

namespace orrery::cli {

/// "0..9", "3,1,4" or "7". Throws UsageError: not of that form, or more than 2^24 positions.
std::vector<std::int64_t> parse_positions(const std::string& text);

/// Reads "NAME=FILE" words, FILE as tensor_path reads it, and "FILE" words, which give the tensors
/// of the file that are wanted, by their own names. What else such a file holds, a step count or
/// another layer, is not decoded, and said once on stderr. Throws UsageError: a name twice, a FILE
/// with nothing that is wanted, or with a name that is nearly that of a table it lacks; and as
/// read_tensors does for what is read.
NamedTensors read_tables(const std::vector<std::string>& words,
                         const std::vector<std::string>& wanted);

/// The tensor that a file parameter names, if it names one. Throws as load_inputs does.
std::optional<Tensor> tensor_input(const Inputs& inputs, const char* key);

/// The arrays as one file, or empty when the name is neither .npz nor .safetensors.
std::string archive_bytes(const std::string& file,
                          const std::vector<std::shared_ptr<const Array>>& arrays);

/// "  key  description" a line, with choices and default, for help texts. Parameters of single
/// encodings are left out: `describe ENCODING` has them.
std::string keys_text(const std::vector<ParamSpec>& specs);

/// Parses the words into the parameters and refuses keys that nothing reads.
ParamSet params_from(const std::vector<ParamSpec>& specs, const std::vector<std::string>& words);

}  // namespace orrery::cli
