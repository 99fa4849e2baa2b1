#include "experiments/tokenizers/unicode.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "experiments/text/utf8.h"
#include "experiments/tokenizers/vocabulary.h"

namespace orrery {
namespace {

constexpr int bert_version = 8, normal_form_version = 9;

struct Block {
  char32_t first, last;
};

constexpr Block chinese_blocks[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                    {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                    {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};

// Characters whose category has changed since.
constexpr char32_t canadian_chi = 0x166D, sharada_sandhi = 0x111C9, hanunoo_sign = 0x1734;
constexpr char32_t new_nonspacing[] = {0x1885, 0x1886, 0xA9BD};
constexpr char32_t vedic_ardhavisarga = 0x1CF2, rotated_ardhavisarga = 0x1CF3;

constexpr char32_t capital_i_with_dot = 0x130, dot_above = 0x307;

bool has_category(char32_t character, std::uint32_t mask) {
  return (U_MASK(u_charType(static_cast<UChar32>(character))) & mask) != 0;
}

bool is_known_to(int version, char32_t character) {
  UVersionInfo age{};
  u_charAge(static_cast<UChar32>(character), age);
  return age[0] != 0 && age[0] <= version;
}

bool is_ascii_punctuation(char32_t character) {
  return (character >= '!' && character <= '/') || (character >= ':' && character <= '@') ||
         (character >= '[' && character <= '`') || (character >= '{' && character <= '~');
}

constexpr char32_t first_in_pairs = 0x10000, high_surrogates = 0xD800, low_surrogates = 0xDC00;
constexpr char32_t surrogate_bits = 10, surrogate_mask = 0x3FF;

bool is_high_surrogate(char16_t unit) { return unit >= high_surrogates && unit < low_surrogates; }

}  // namespace

bool is_punctuation(char32_t character) {
  if (is_ascii_punctuation(character) || character == canadian_chi || character == sharada_sandhi)
    return true;
  return has_category(character, U_GC_P_MASK) && is_known_to(bert_version, character);
}

bool is_control(char32_t character) {
  if (character == '\t' || character == '\n' || character == '\r') return false;
  return has_category(character, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK) &&
         is_known_to(bert_version, character);
}

bool is_nonspacing_mark(char32_t character) {
  if (character == hanunoo_sign) return true;
  if (character == sharada_sandhi || std::find(std::begin(new_nonspacing), std::end(new_nonspacing),
                                               character) != std::end(new_nonspacing))
    return false;
  return has_category(character, U_GC_MN_MASK) && is_known_to(bert_version, character);
}

bool is_mark(char32_t character) {
  if (character == vedic_ardhavisarga || character == rotated_ardhavisarga) return true;
  return character != sharada_sandhi && has_category(character, U_GC_M_MASK) &&
         is_known_to(normal_form_version, character);
}

bool is_numeric(char32_t character) { return has_category(character, U_GC_N_MASK); }

bool is_white_space(char32_t character) {
  return u_isUWhiteSpace(static_cast<UChar32>(character)) != 0;
}

bool is_word_character(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  return u_isUAlphabetic(c) || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL) ||
         has_category(character, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK);
}

bool is_chinese(char32_t character) {
  return std::any_of(std::begin(chinese_blocks), std::end(chinese_blocks), [&](const Block& block) {
    return character >= block.first && character <= block.last;
  });
}

std::pair<char32_t, char32_t> lower_case(char32_t character) {
  if (character == capital_i_with_dot) return {'i', dot_above};
  return {static_cast<char32_t>(u_tolower(static_cast<UChar32>(character))), 0};
}

std::u16string utf16_of(std::string_view utf8) {
  std::u16string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = next_character(utf8, at);
    if (c < first_in_pairs) {
      out += static_cast<char16_t>(c);
      continue;
    }
    const char32_t rest = c - first_in_pairs;
    out += static_cast<char16_t>(high_surrogates + (rest >> surrogate_bits));
    out += static_cast<char16_t>(low_surrogates + (rest & surrogate_mask));
  }
  return out;
}

void append_utf8(std::u16string_view utf16, std::string& to) {
  for (std::size_t i = 0; i < utf16.size(); ++i) {
    char32_t c = utf16[i];
    if (is_high_surrogate(utf16[i]) && i + 1 < utf16.size()) {
      c = first_in_pairs + ((c & surrogate_mask) << surrogate_bits);
      c += utf16[++i] & surrogate_mask;
    }
    to += utf8_of(c);
  }
}

std::size_t Utf8Places::of(std::size_t utf16_place) {
  while (utf16_at_ < utf16_place && at_ < utf8_.size())
    utf16_at_ += next_character(utf8_, at_) < first_in_pairs ? 1U : 2U;
  return at_;
}

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
