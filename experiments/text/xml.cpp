#include "experiments/text/xml.h"

#include "experiments/text/utf8.h"

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

}  // namespace orrery
