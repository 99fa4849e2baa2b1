#include "experiments/figure/xml.h"

#include "experiments/figure/utf8.h"

namespace orrery {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_forbidden(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x20) return first != '\t' && first != '\n' && first != '\r';
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

std::string_view escaped(std::string_view character) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  return is_forbidden(character) ? replacement : character;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  for (std::size_t i = 0; i < valid.size();) {
    const std::size_t length = character_length(valid, i);
    out += escaped(std::string_view(valid).substr(i, length));
    i += length;
  }
  return out;
}

}  // namespace orrery
