#pragma once

#include <string>
#include <string_view>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// The plan of a Hugging Face config.json, of Transformers 4 or 5; of a multimodal model that of
/// its text. An unknown model type is read as far as its keys go, and `assumed` says so.
/// @param file  its name in reasons and messages
/// Throws DataError: not JSON, a value of the wrong kind, or no number of layers or channels.
PositionPlan read_config(std::string_view text, const std::string& file,
                         const ReadOptions& options = {});

/// The plan of a GGUF file as llama.cpp would run it: keys {arch}.rope.*, the pairing of its
/// architecture, and the tensors rope_freqs and rope_factors_*. Throws DataError as parse_gguf
/// does, and where the keys make no RoPE.
PositionPlan read_gguf(std::string_view bytes, const std::string& file,
                       const ReadOptions& options = {});

}  // namespace orrery
