#include "experiments/figure/equation/script_letters.h"

#include <algorithm>
#include <array>
#include <span>

#include "experiments/text/utf8.h"

namespace orrery {
namespace {

struct Letter {
  std::string_view plain, script;
};

// clang-format off
constexpr std::array letters_below{
    Letter{"0", "₀"}, Letter{"1", "₁"}, Letter{"2", "₂"}, Letter{"3", "₃"}, Letter{"4", "₄"},
    Letter{"5", "₅"}, Letter{"6", "₆"}, Letter{"7", "₇"}, Letter{"8", "₈"}, Letter{"9", "₉"},
    Letter{"+", "₊"}, Letter{"−", "₋"}, Letter{"=", "₌"}, Letter{"a", "ₐ"}, Letter{"e", "ₑ"},
    Letter{"h", "ₕ"}, Letter{"i", "ᵢ"}, Letter{"j", "ⱼ"}, Letter{"k", "ₖ"}, Letter{"l", "ₗ"},
    Letter{"m", "ₘ"}, Letter{"n", "ₙ"}, Letter{"o", "ₒ"}, Letter{"p", "ₚ"}, Letter{"r", "ᵣ"},
    Letter{"s", "ₛ"}, Letter{"t", "ₜ"}, Letter{"u", "ᵤ"}, Letter{"v", "ᵥ"}, Letter{"x", "ₓ"}};
constexpr std::array letters_above{
    Letter{"0", "⁰"}, Letter{"1", "¹"}, Letter{"2", "²"}, Letter{"3", "³"}, Letter{"4", "⁴"},
    Letter{"5", "⁵"}, Letter{"6", "⁶"}, Letter{"7", "⁷"}, Letter{"8", "⁸"}, Letter{"9", "⁹"},
    Letter{"+", "⁺"}, Letter{"−", "⁻"}, Letter{"⊤", "ᵀ"}, Letter{"′", "′"}, Letter{"a", "ᵃ"},
    Letter{"b", "ᵇ"}, Letter{"i", "ⁱ"}, Letter{"k", "ᵏ"}, Letter{"m", "ᵐ"}, Letter{"n", "ⁿ"},
    Letter{"t", "ᵗ"}, Letter{"x", "ˣ"}, Letter{"K", "ᴷ"}, Letter{"T", "ᵀ"}, Letter{"V", "ⱽ"}};
// clang-format on

std::span<const Letter> letters(Script where) {
  if (where == Script::below) return letters_below;
  return letters_above;
}

std::optional<std::string_view> in_script(std::string_view character, Script where) {
  if (character == "," && where == Script::below) return character;
  for (const Letter& letter : letters(where))
    if (letter.plain == character) return letter.script;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> as_script(std::string_view text, Script where) {
  std::string script;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, character_length(text, at));
    const auto known = in_script(character, where);
    if (!known) return std::nullopt;
    script += *known;
    at += character.size();
  }
  return script;
}

std::optional<ScriptLetter> script_letter(std::string_view character) {
  for (const Script where : {Script::below, Script::above})
    for (const Letter& letter : letters(where))
      if (letter.script == character) return ScriptLetter{letter.plain, where};
  return std::nullopt;
}

}  // namespace orrery
