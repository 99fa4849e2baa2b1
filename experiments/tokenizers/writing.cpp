#include "experiments/tokenizers/writing.h"

#include "experiments/tokenizers/byte_level.h"
#include "experiments/tokenizers/vocabulary.h"

namespace orrery {
namespace {

constexpr std::string_view metaspace_character = "▁";
constexpr std::string_view word_piece_prefix = "##";

std::string with_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const bool is_space = piece.substr(at).starts_with(metaspace_character);
    const std::size_t length = is_space ? metaspace_character.size() : 1;
    text += is_space ? std::string_view(" ") : piece.substr(at, length);
    at += length;
  }
  return text;
}

std::string text_of_metaspace(std::string_view piece) {
  if (const auto byte = byte_of_piece(piece)) return std::string(1, static_cast<char>(*byte));
  return with_spaces(piece);
}

std::string without_prefix(std::string_view piece, std::string_view prefix) {
  const bool has_prefix = piece.starts_with(prefix) && piece.size() > prefix.size();
  return std::string(has_prefix ? piece.substr(prefix.size()) : piece);
}

}  // namespace

std::string text_of_piece(std::string_view piece, Writing writing) {
  switch (writing) {
    case Writing::byte_level:
      return bytes_of_byte_level(piece).value_or(std::string(piece));
    case Writing::metaspace:
      return text_of_metaspace(piece);
    case Writing::word_start:
      return without_prefix(piece, metaspace_character);
    case Writing::word_piece:
      break;
  }
  return without_prefix(piece, word_piece_prefix);
}

}  // namespace orrery
