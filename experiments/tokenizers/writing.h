#pragma once

#include <string>
#include <string_view>

namespace orrery {

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
