#include "experiments/text/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "experiments/text/utf8.h"

namespace orrery::text {
namespace {

struct Sign {
  std::string_view utf8;
  std::string_view latex;  ///< in mathematics
};

/// What titles, captions and names have beyond ASCII.
constexpr std::array signs{Sign{"α", "\\alpha"},
                           Sign{"β", "\\beta"},
                           Sign{"γ", "\\gamma"},
                           Sign{"δ", "\\delta"},
                           Sign{"ε", "\\varepsilon"},
                           Sign{"η", "\\eta"},
                           Sign{"θ", "\\theta"},
                           Sign{"κ", "\\kappa"},
                           Sign{"λ", "\\lambda"},
                           Sign{"μ", "\\mu"},
                           Sign{"π", "\\pi"},
                           Sign{"ρ", "\\rho"},
                           Sign{"σ", "\\sigma"},
                           Sign{"τ", "\\tau"},
                           Sign{"φ", "\\varphi"},
                           Sign{"ϕ", "\\phi"},
                           Sign{"ω", "\\omega"},
                           Sign{"Δ", "\\Delta"},
                           Sign{"Σ", "\\Sigma"},
                           Sign{"Θ", "\\Theta"},
                           Sign{"±", "\\pm"},
                           Sign{"·", "\\cdot"},
                           Sign{"×", "\\times"},
                           Sign{"½", "\\frac{1}{2}"},
                           Sign{"‖", "\\Vert"},
                           Sign{"→", "\\to"},
                           Sign{"−", "-"},
                           Sign{"√", "\\surd"},
                           Sign{"∞", "\\infty"},
                           Sign{"≤", "\\le"},
                           Sign{"≥", "\\ge"},
                           Sign{"≠", "\\ne"},
                           Sign{"≈", "\\approx"},
                           Sign{"⌈", "\\lceil"},
                           Sign{"⌉", "\\rceil"},
                           Sign{"⌊", "\\lfloor"},
                           Sign{"⌋", "\\rfloor"},
                           Sign{"∈", "\\in"},
                           Sign{"ℓ", "\\ell"},
                           Sign{"ᵀ", "^{\\top}"},
                           Sign{"⁰", "^0"},
                           Sign{"¹", "^1"},
                           Sign{"²", "^2"},
                           Sign{"³", "^3"},
                           Sign{"⁴", "^4"},
                           Sign{"⁵", "^5"},
                           Sign{"⁶", "^6"},
                           Sign{"⁷", "^7"},
                           Sign{"⁸", "^8"},
                           Sign{"⁹", "^9"},
                           Sign{"⁻", "^-"},
                           Sign{"ⁿ", "^n"},
                           Sign{"₀", "_0"},
                           Sign{"₁", "_1"},
                           Sign{"₂", "_2"},
                           Sign{"₃", "_3"},
                           Sign{"₄", "_4"},
                           Sign{"₅", "_5"},
                           Sign{"₆", "_6"},
                           Sign{"₇", "_7"},
                           Sign{"₈", "_8"},
                           Sign{"₉", "_9"},
                           Sign{"ₘ", "_m"},
                           Sign{"ₙ", "_n"},
                           Sign{"ₜ", "_t"},
                           Sign{"ⱼ", "_j"},
                           Sign{"ᵢ", "_i"},
                           Sign{"ₖ", "_k"}};

/// In the text itself.
constexpr std::array in_text{Sign{"–", "--"},     Sign{"—", "---"},     Sign{"…", "\\ldots{}"},
                             Sign{"“", "``"},     Sign{"”", "''"},      Sign{"‘", "`"},
                             Sign{"’", "'"},      Sign{"§", "\\S{}"},   Sign{"\u2009", "\\,"},
                             Sign{"\u00A0", "~"}, Sign{"\u202F", "\\,"}};

std::string of_ascii(char c) {
  if (c == '\\') return "\\textbackslash{}";
  if (c == '~' || c == '^') return fmt::format("\\{}{{}}", c);
  if (c == '<' || c == '>' || c == '|') return fmt::format("\\ensuremath{{{}}}", c);
  if (std::string_view("_%&#${}").find(c) != std::string_view::npos) return fmt::format("\\{}", c);
  return std::string(1, c);
}

std::string of_character(std::string_view utf8) {
  const auto named = [&](const Sign& sign) { return sign.utf8 == utf8; };
  if (const auto sign = std::find_if(signs.begin(), signs.end(), named); sign != signs.end())
    return fmt::format("\\ensuremath{{{}}}", sign->latex);
  if (const auto sign = std::find_if(in_text.begin(), in_text.end(), named); sign != in_text.end())
    return std::string(sign->latex);
  return std::string(utf8);
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const std::string_view character = text.substr(at, length);
    out += length == 1 ? of_ascii(character.front()) : of_character(character);
    at += length;
  }
  return out;
}

}  // namespace orrery::text
