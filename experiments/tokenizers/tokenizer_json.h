#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// Largest tokenizer.json that is read: those of 2^18 tokens have half of it.
inline constexpr std::uintmax_t max_tokenizer_bytes = std::uintmax_t{64} << 20;

/// The tokenizer of a tokenizer.json, as Hugging Face's tokenizers 0.23 encodes one text with it.
/// Truncation, padding and the decoder change no id of a text and are left out.
///
/// Throws DataError, naming what is wrong: no JSON, a component or a key that is not known, a regular
/// expression that is not read, an added token whose id is not the one that its place gives it.
///
/// Characters that Unicode has assigned since 15.0, which ICU 72 does not know, may be split
/// differently: categories.h.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, std::string_view name);

}  // namespace orrery
