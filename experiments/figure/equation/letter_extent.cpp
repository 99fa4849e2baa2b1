#include "experiments/figure/equation/letter_extent.h"

#include <algorithm>

#include "experiments/text/utf8.h"

namespace orrery::figure {
namespace {

constexpr double low_letter = 0.56;  ///< a c e m n
constexpr double descender = 0.22;   ///< g p q y

LetterExtent extent_of_character(std::string_view c) {
  constexpr std::string_view low = "acemnorsuvwxzαειονπστυωκ";
  constexpr std::string_view low_down = "gpqyγημρφχψςj";
  constexpr std::string_view tall_down = "()[]{}|βζξϕ⟨⟩⌊⌋⌈⌉‖,;Q";
  const auto in = [c](std::string_view set) { return set.find(c) != std::string_view::npos; };
  if (in(low)) return {low_letter, 0.02};
  if (c == "j") return {tall_letter, descender};
  if (in(low_down)) return {low_letter, descender};
  if (in(tall_down)) return {tall_letter, 0.15};
  return {tall_letter, 0.02};
}

}  // namespace

LetterExtent letter_extent(std::string_view text) {
  LetterExtent extent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const LetterExtent one = extent_of_character(text.substr(at, length));
    extent.ascent = std::max(extent.ascent, one.ascent);
    extent.descent = std::max(extent.descent, one.descent);
    at += length;
  }
  return extent;
}

}  // namespace orrery::figure
