#include "experiments/figure/equation/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "experiments/figure/equation/script_letters.h"
#include "experiments/figure/equation/symbols.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

struct Sign {
  std::string_view utf8, latex;
};

/// In words.
constexpr std::array in_words{Sign{"–", "--"},     Sign{"—", "---"},     Sign{"…", "\\ldots{}"},
                              Sign{"“", "``"},     Sign{"”", "''"},      Sign{"‘", "`"},
                              Sign{"’", "'"},      Sign{"§", "\\S{}"},   Sign{"\u2009", "\\,"},
                              Sign{"\u00A0", "~"}, Sign{"\u202F", "\\,"}};
/// In formulas, besides named_symbols.
constexpr std::array in_formulas{Sign{"−", "-"}, Sign{"½", "\\frac{1}{2}"}, Sign{"√", "\\surd "},
                                 Sign{"⌈", "\\lceil "}, Sign{"⌉", "\\rceil "}};

template <class Signs>
std::optional<std::string> among(const Signs& signs, std::string_view utf8) {
  const auto found =
      std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) { return sign.utf8 == utf8; });
  if (found == signs.end()) return std::nullopt;
  return std::string(found->latex);
}

/// What a character beyond ASCII is in a formula; empty where LaTeX has no name for it.
std::optional<std::string> in_formula(std::string_view utf8) {
  if (const auto letter = script_letter(utf8)) {
    const std::string plain = in_formula(letter->plain).value_or(std::string(letter->plain));
    return fmt::format("{}{{{}}}", letter->where == Script::below ? "_" : "^", plain);
  }
  if (const auto sign = among(in_formulas, utf8)) return sign;
  std::optional<std::string> name;  // the last one, as \| for \lVert
  for (const NamedSymbol& symbol : named_symbols())
    if (symbol.text == utf8 && utf8.size() > 1) name = symbol.name;
  if (!name) return std::nullopt;
  const bool is_word = std::isalpha(static_cast<unsigned char>(name->front())) != 0;
  return "\\" + *name + (is_word ? " " : "");
}

std::string word_of_ascii(char c) {
  if (c == '\\') return "\\textbackslash{}";
  if (c == '~' || c == '^') return fmt::format("\\{}{{}}", c);
  if (c == '<' || c == '>' || c == '|') return fmt::format("\\ensuremath{{{}}}", c);
  if (std::string_view("_%&#${}").find(c) != std::string_view::npos) return fmt::format("\\{}", c);
  return std::string(1, c);
}

std::string word_of(std::string_view utf8) {
  if (utf8.size() == 1) return word_of_ascii(utf8.front());
  if (auto sign = among(in_words, utf8)) return std::move(*sign);
  if (auto sign = in_formula(utf8)) {
    if (sign->ends_with(' ')) sign->pop_back();
    return fmt::format("\\ensuremath{{{}}}", *sign);
  }
  return std::string(utf8);
}

std::string formula_of(std::string_view utf8) {
  if (utf8 == "Σ") return "\\sum ";
  return in_formula(utf8).value_or(std::string(utf8));
}

std::string each(std::string_view text, std::string (*of)(std::string_view)) {
  std::string all;
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at))
    all += of(text.substr(at, character_length(text, at)));
  return all;
}

}  // namespace

std::string latex_words(std::string_view words) { return each(words, word_of); }

std::string latex_text(std::string_view marked) {
  std::string latex;
  for (const MarkedPart& part : marked_parts(marked))
    latex += part.is_formula ? "$" + each(part.text, formula_of) + "$" : latex_words(part.text);
  return latex;
}

}  // namespace orrery
