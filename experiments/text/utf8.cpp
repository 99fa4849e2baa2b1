#include "experiments/text/utf8.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <array>
#include <cstdint>

#include "experiments/text/display_width.h"

namespace orrery {
namespace {

/// Characters that XML 1.0 excludes; noncharacters have been replaced before.
bool is_forbidden(char32_t character) {
  return character < 0x20 && character != '\t' && character != '\n' && character != '\r';
}

std::string_view xml_text_of(char32_t character, std::string_view bytes) {
  if (character == '&') return "&amp;";
  if (character == '<') return "&lt;";
  if (character == '>') return "&gt;";
  if (character == '"') return "&quot;";
  return is_forbidden(character) ? replacement_character : bytes;
}

}  // namespace

// ICU's macros convert between int and unsigned char on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
char32_t next_character(std::string_view utf8, std::size_t& at) {
  auto i = static_cast<std::int32_t>(at);
  const auto length = static_cast<std::int32_t>(utf8.size());
  UChar32 character{};
  U8_NEXT(utf8.data(), i, length, character);
  at = static_cast<std::size_t>(i);
  return character < 0 ? not_utf8 : static_cast<char32_t>(character);
}

std::string utf8_of(char32_t character) {
  std::array<char, U8_MAX_LENGTH> bytes{};
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes.data(), length, static_cast<UChar32>(character));
  return {bytes.data(), static_cast<std::size_t>(length)};
}
#pragma GCC diagnostic pop

std::size_t character_length(std::string_view utf8, std::size_t at) {
  std::size_t next = at;
  next_character(utf8, next);
  return next - at;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (next_character(text, at) == not_utf8) return false;
  return true;
}

std::string drawable_utf8(std::string_view text) {
  std::string drawable;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    if (character == not_utf8)
      for (std::size_t i = begin; i < at; ++i) drawable += replacement_character;
    else if (character == 0 || (character >= 0xFDD0 && character <= 0xFDEF) ||
             (character & 0xFFFE) == 0xFFFE)  // noncharacters
      drawable += replacement_character;
    else
      drawable += text.substr(begin, at - begin);
  }
  return drawable;
}

bool is_blank(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  return u_isUWhiteSpace(c) || u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}

std::string xml_escaped(std::string_view text) {
  const std::string drawable = drawable_utf8(text);
  std::string out;
  for (std::size_t at = 0; at < drawable.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(drawable, at);
    out += xml_text_of(character, std::string_view(drawable).substr(begin, at - begin));
  }
  return out;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < utf8.size();)
    if (const char32_t c = next_character(utf8, at); c < 0x300 || c > 0x36F) ++width;
  return width;
}

std::string padded(std::string_view utf8, std::size_t width) {
  const std::size_t used = display_width(utf8);
  return std::string(utf8) + std::string(used < width ? width - used : 0, ' ');
}

std::vector<std::string> aligned(std::vector<std::string> cells, bool are_numbers) {
  std::size_t width = 0;
  for (const std::string& cell : cells)
    if (const std::size_t own = display_width(cell); own > width) width = own;
  for (std::string& cell : cells)
    cell = are_numbers ? std::string(width - display_width(cell), ' ') + cell : padded(cell, width);
  return cells;
}

}  // namespace orrery
