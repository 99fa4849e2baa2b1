#include "experiments/figure/utf8.h"

#include <algorithm>

namespace orrery {
namespace {

bool is_valid_character(const std::string& bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first < 0x80) return first != 0;
  const bool whole = std::all_of(bytes.begin() + 1, bytes.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  });
  const std::size_t expected = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (!whole || first > 0xF4 || bytes.size() != expected) return false;
  const auto second = static_cast<unsigned char>(bytes[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_high = first == 0xF4 && second >= 0x90;
  return !overlong && !surrogate && !too_high;
}

}  // namespace

std::size_t character_length(std::string_view utf8, std::size_t position) {
  const auto first = static_cast<unsigned char>(utf8[position]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC0 ? 1
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                                            : 4;
  return std::min(length, utf8.size() - position);
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string character(text.substr(i, character_length(text, i)));
    const bool valid = is_valid_character(character);
    out += valid ? character : "\xEF\xBF\xBD";
    i += valid ? character.size() : 1;
  }
  return out;
}

}  // namespace orrery
