#include "experiments/text/printable.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf16.h>

#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::size_t most_characters = 40;
constexpr std::size_t most_bytes_per_character = 4;

constexpr char32_t line_separator = 0x2028, paragraph_separator = 0x2029;
// Persian and Indic scripts cannot be written without them.
constexpr char32_t non_joiner = 0x200C, joiner = 0x200D;

bool is_printable(char32_t character) {
  return character != not_utf8 && character != line_separator && character != paragraph_separator &&
         u_isprint(static_cast<UChar32>(character)) != 0;
}

bool is_harmless(char32_t character) {
  return is_printable(character) || character == non_joiner || character == joiner;
}

/// \xNN per byte for ASCII and for what is no character; \uNNNN, as in JSON, for the rest.
std::string escaped(char32_t character, std::string_view bytes) {
  std::string shown;
  if (character == not_utf8 || character < 0x7F)
    for (const char byte : bytes)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  else if (character <= 0xFFFF)
    shown = fmt::format("\\u{:04x}", static_cast<unsigned>(character));
  else
    shown = fmt::format("\\u{:04x}\\u{:04x}", static_cast<unsigned>(U16_LEAD(character)),
                        static_cast<unsigned>(U16_TRAIL(character)));
  return shown;
}

}  // namespace

std::string printable(std::string_view text) {
  // 40 characters have no more bytes than this; the rest is not read.
  const std::string_view start = text.substr(0, most_characters * most_bytes_per_character);
  std::string shown;
  std::size_t at = 0;
  for (std::size_t count = 0; at < start.size() && count < most_characters; ++count) {
    const std::size_t begin = at;
    const char32_t character = next_character(start, at);
    const std::string_view bytes = start.substr(begin, at - begin);
    shown += is_printable(character) ? std::string(bytes) : escaped(character, bytes);
  }
  return at < text.size() ? shown + "…" : shown;
}

std::string without_controls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if ((text[at] >= ' ' && text[at] <= '~') || text[at] == '\n') {
      shown += text[at++];
      continue;
    }
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    const std::string_view bytes = text.substr(begin, at - begin);
    if (is_harmless(character))
      shown += bytes;
    else
      shown += escaped(character, bytes);
  }
  return shown;
}

std::string in_one_line(std::string_view text) {
  std::string shown = without_controls(text);
  for (std::size_t at = 0; (at = shown.find('\n', at)) != std::string::npos;)
    shown.replace(at, 1, "\\x0a");
  return shown;
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", printable(text)); }

}  // namespace orrery
