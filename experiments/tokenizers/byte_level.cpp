#include "experiments/tokenizers/byte_level.h"

#include <array>

#include "experiments/tokenizers/vocabulary.h"

namespace orrery {
namespace {

constexpr char32_t first_substitute = 256;  // for bytes that are not visible, in their order
constexpr std::size_t most_substitutes = 68;

constexpr bool is_visible(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
}

struct ByteCharacters {
  std::array<std::string, 256> of_byte{};
  std::array<int, first_substitute + most_substitutes> byte_of{};  // -1 for none
};

ByteCharacters make_byte_characters() {
  ByteCharacters all;
  all.byte_of.fill(-1);
  char32_t substitute = first_substitute;
  for (unsigned byte = 0; byte < all.of_byte.size(); ++byte) {
    const char32_t character = is_visible(byte) ? byte : substitute++;
    all.of_byte[byte] = utf8_of(character);
    all.byte_of[character] = static_cast<int>(byte);
  }
  return all;
}

const ByteCharacters& byte_characters() {
  static const ByteCharacters all = make_byte_characters();
  return all;
}

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

AlignedText byte_level(const AlignedText& text) {
  AlignedText out;
  out.text.reserve(2 * text.text.size());
  out.origins.reserve(2 * text.text.size());
  for (std::size_t i = 0; i < text.text.size(); ++i)
    append(out, byte_character(static_cast<unsigned char>(text.text[i])), text.origins[i]);
  return out;
}

const std::string& byte_character(unsigned char byte) { return byte_characters().of_byte[byte]; }

std::optional<std::string> bytes_of_byte_level(std::string_view piece) {
  std::string bytes;
  for (std::size_t at = 0; at < piece.size();) {
    const char32_t character = next_character(piece, at);
    const auto& byte_of = byte_characters().byte_of;
    if (character >= byte_of.size() || byte_of[character] < 0) return std::nullopt;
    bytes += static_cast<char>(byte_of[character]);
  }
  return bytes;
}

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
