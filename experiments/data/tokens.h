#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// Checks that the bytes are a UTF-8 text, if only of white space. Removes a UTF-8 byte
/// order mark and changes nothing else.
/// @param name  the Text's name, also in messages
/// Throws DataError: UTF-16 or UTF-32 (by its byte order mark), a NUL byte, malformed UTF-8 (with
/// the offset in bytes), empty, more than 2^31 − 1 bytes.
Text parse_text(std::string bytes, std::string name);

enum class TokenUnit { words, bytes };

/// Labels and types of the same tokens, in their order. Tokens of equal type are repetitions.
struct Tokens {
  /// To print: valid UTF-8, never a control character, at most 64 characters. Different types may
  /// have the same label.
  std::vector<std::string> labels{};
  std::vector<std::string> types{};  ///< the word or byte itself, exactly
};

/// The first max_tokens tokens of a text that parse_text accepted. Throws DataError: words of white
/// space alone.
/// words: by Unicode's word boundaries (UAX #29, with ICU's dictionaries for Chinese, Japanese,
/// Thai,
///        Lao, Khmer and Burmese); a punctuation mark is a token, white space is not.
/// bytes: one token per byte; its label is the character, ␣ ↵ ⇥, or hexadecimal as 0xE2.
/// At least one token unless max_tokens is 0. Cost: proportional to the text up to the last token.
Tokens tokenize(const Text& text, TokenUnit unit, std::size_t max_tokens);

/// How many tokens the whole text has; counting stops at up_to.
std::size_t count_tokens(const Text& text, TokenUnit unit, std::size_t up_to);

}  // namespace orrery
