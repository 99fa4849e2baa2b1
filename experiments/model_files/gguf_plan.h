#pragma once

#include <string>
#include <string_view>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// The plan of a GGUF file as llama.cpp would run it: keys {arch}.rope.*, the pairing of its
/// architecture, and the tensors rope_freqs and rope_factors_*. Throws DataError as parse_gguf
/// does, and where the keys make no RoPE.
PositionPlan read_gguf(std::string_view bytes, const std::string& file,
                       const ReadOptions& options = {});

}  // namespace orrery
