#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace orrery {

/// Random tokens of a vocabulary, each once before any comes again, so that what followed a token
/// before is never in doubt.
/// @param left_out  tokens that are not drawn
/// Throws UsageError where no token is left.
std::vector<std::int32_t> random_tokens(Random& random, std::int64_t count, int vocabulary,
                                        std::span<const std::int32_t> left_out = {});

/// Random tokens, and the same again. The same seed and number give the same ones.
/// @param number  of the sequence
/// @param first   stands before them, once; −1 for none
std::vector<std::int32_t> repeated_tokens(std::int64_t count, int vocabulary, std::int64_t seed,
                                          std::int64_t number, std::int32_t first = -1);

}  // namespace orrery
