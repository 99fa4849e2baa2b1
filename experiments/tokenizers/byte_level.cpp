#include "experiments/tokenizers/byte_level.h"

#include <array>

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

}  // namespace orrery
