#pragma once

#include <vector>

#include "tests/bench/table.h"

namespace orrery::bench {

/// Linear layers, and passes over prompts of models with random weights up to the next token's
/// logits: shapes of SmolLM2-135M, and of a Llama with 2048 channels.
std::vector<Operation> prefills();

}  // namespace orrery::bench
