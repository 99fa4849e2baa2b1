#pragma once

#include <string>
#include <string_view>

#include "experiments/model_files/config_values.h"

namespace orrery {

/// The keys of a Hugging Face config.json; of a multimodal model those of its text. Throws DataError:
/// not JSON.
ConfigValues text_config(std::string_view text, const std::string& file);

}  // namespace orrery
