#include "experiments/text/printable.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "experiments/text/utf8.h"

namespace orrery::text {
namespace {

constexpr std::size_t most_characters = 40;
constexpr std::size_t most_bytes_per_character = 4;

bool is_printable(char32_t character) {
  return character != not_utf8 && u_isprint(static_cast<UChar32>(character)) != 0;
}

std::string escaped(std::string_view bytes) {
  std::string shown;
  for (const char byte : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return shown;
}

}  // namespace

std::string printable(std::string_view text) {
  // Only the bytes that 40 characters can have are looked at.
  const std::string_view start = text.substr(0, most_characters * most_bytes_per_character);
  std::string shown;
  std::size_t at = 0;
  for (std::size_t count = 0; at < start.size() && count < most_characters; ++count) {
    const std::size_t begin = at;
    const char32_t character = next_character(start, at);
    const std::string_view bytes = start.substr(begin, at - begin);
    shown += is_printable(character) ? std::string(bytes) : escaped(bytes);
  }
  return at < text.size() ? shown + "…" : shown;
}

std::string without_controls(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    const std::string_view bytes = text.substr(begin, at - begin);
    const bool harmless = character == U'\n' || is_printable(character);
    shown += harmless ? std::string(bytes) : escaped(bytes);
  }
  return shown;
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", printable(text)); }

}  // namespace orrery::text
