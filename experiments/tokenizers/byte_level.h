#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/tokenizers/aligned_text.h"

namespace orrery {

/// GPT-2's pattern of words, which ByteLevel has of its own.
inline constexpr std::string_view gpt2_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Each byte as the visible character that GPT-2 writes for it: A is A, a space is Ġ, 0x00 is Ā.
AlignedText byte_level(const AlignedText& text);

/// The same of one byte.
const std::string& byte_character(unsigned char byte);

/// The bytes that such characters stand for. Nothing when one is not among the 256.
std::optional<std::string> bytes_of_byte_level(std::string_view piece);

/// How a vocabulary writes bytes of texts.
enum class Writing {
  byte_level,  ///< GPT-2's visible characters for bytes
  metaspace,   ///< ▁ for a space, <0x0A> for a byte
  word_piece,  ///< ## before what continues a word
  word_start,  ///< ▁ before what begins a word
};

/// The bytes of a text that a piece stands for.
std::string text_of_piece(std::string_view piece, Writing writing);

}  // namespace orrery
