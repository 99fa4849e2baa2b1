#include "experiments/figure/equation/tex_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

using Class = EquationNode::Class;

/// Names and characters by class. A later one of equal characters is what LaTeX writes.
const std::vector<NamedSymbol>& symbol_table() {
  using Names = std::vector<std::pair<std::string_view, std::string_view>>;
  // clang-format off
  static const std::vector<std::pair<Class, Names>> classes{
      {Class::ordinary, {{"alpha", "α"}, {"beta", "β"}, {"gamma", "γ"}, {"delta", "δ"},
        {"epsilon", "ε"}, {"zeta", "ζ"}, {"eta", "η"}, {"theta", "θ"}, {"iota", "ι"},
        {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"}, {"nu", "ν"}, {"xi", "ξ"}, {"pi", "π"},
        {"rho", "ρ"}, {"sigma", "σ"}, {"tau", "τ"}, {"phi", "ϕ"}, {"varphi", "φ"}, {"chi", "χ"},
        {"psi", "ψ"}, {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},
        {"Lambda", "Λ"}, {"Pi", "Π"}, {"Sigma", "Σ"}, {"Phi", "Φ"}, {"Psi", "Ψ"}, {"Omega", "Ω"},
        {"infty", "∞"}, {"partial", "∂"}, {"ell", "ℓ"}, {"ldots", "…"}, {"cdots", "⋯"},
        {"vdots", "⋮"}, {"ddots", "⋱"}, {"prime", "′"}, {"intercal", "⊺"}, {"top", "⊤"}}},
      {Class::operation, {{"times", "×"}, {"cdot", "·"}, {"pm", "±"}, {"circ", "∘"},
        {"oplus", "⊕"}, {"otimes", "⊗"}, {"odot", "⊙"}}},
      {Class::relation, {{"leq", "≤"}, {"le", "≤"}, {"geq", "≥"}, {"ge", "≥"}, {"neq", "≠"},
        {"approx", "≈"}, {"equiv", "≡"}, {"propto", "∝"}, {"sim", "∼"}, {"in", "∈"}, {"to", "→"},
        {"ll", "≪"}, {"gg", "≫"}}},
      {Class::large, {{"sum", "∑"}, {"prod", "∏"}, {"int", "∫"}, {"max", "max"}, {"min", "min"},
        {"lim", "lim"}}},
      {Class::function, {{"cos", "cos"}, {"sin", "sin"}, {"exp", "exp"}, {"log", "log"},
        {"ln", "ln"}, {"Re", "Re"}, {"Im", "Im"}, {"sgn", "sgn"}}},
      {Class::opening, {{"langle", "⟨"}, {"lfloor", "⌊"}, {"lVert", "‖"}, {"lvert", "|"},
        {"{", "{"}}},
      {Class::closing, {{"rangle", "⟩"}, {"rfloor", "⌋"}, {"rVert", "‖"}, {"rvert", "|"},
        {"}", "}"}}},
      {Class::ordinary, {{"|", "‖"}, {"%", "%"}, {"_", "_"}}}};
  // clang-format on
  static const std::vector<NamedSymbol> table = [] {
    std::vector<NamedSymbol> all;
    for (const auto& [role, names] : classes)
      for (const auto& [name, text] : names) all.push_back({name, text, role});
    return all;
  }();
  return table;
}

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

std::span<const NamedSymbol> named_symbols() { return symbol_table(); }

const NamedSymbol* find_named_symbol(std::string_view name) {
  for (const NamedSymbol& symbol : symbol_table())
    if (symbol.name == name) return &symbol;
  return nullptr;
}

Class class_of_character(std::string_view character) {
  constexpr std::array operations{"+", "-", "−", "*"};
  constexpr std::array relations{"=", "<", ">", ":"};
  const auto among = [&](const auto& list) {
    return std::ranges::find(list, character) != list.end();
  };
  if (among(operations)) return Class::operation;
  if (among(relations)) return Class::relation;
  if (character == "(" || character == "[") return Class::opening;
  if (character == ")" || character == "]") return Class::closing;
  if (character == "," || character == ";") return Class::punctuation;
  if (character == "|" || character == "‖") return Class::ordinary;  // opens or closes
  for (const NamedSymbol& symbol : symbol_table())
    if (symbol.text == character) return symbol.role;
  return Class::ordinary;
}

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

std::string_view TexReader::peek() const { return tex_.substr(at_, character_length(tex_, at_)); }

bool TexReader::is_digit(std::size_t at) const {
  return at < tex_.size() && std::isdigit(static_cast<unsigned char>(tex_[at])) != 0;
}

bool TexReader::is_at_digit() const { return is_digit(at_); }

std::string TexReader::peek_command() {
  const std::size_t before = at_;
  std::string name = is_at("\\") ? take_command() : std::string();
  at_ = before;
  return name;
}

void TexReader::skip_spaces() {
  while (!done() && std::isspace(static_cast<unsigned char>(tex_[at_])) != 0) ++at_;
}

std::string_view TexReader::take() {
  const std::string_view character = peek();
  at_ += character.size();
  return character;
}

bool TexReader::accept(std::string_view text) {
  if (!is_at(text)) return false;
  at_ += text.size();
  return true;
}

std::string TexReader::take_command() {
  ++at_;
  if (done()) refuse("\\", "needs a name", "write one after it, as in \\theta");
  std::size_t end = at_;
  while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end])) != 0) ++end;
  if (end == at_) return std::string(take());
  std::string name(tex_.substr(at_, end - at_));
  at_ = end;
  return name;
}

std::string_view TexReader::take_number() {
  const std::size_t start = at_;
  while (is_digit(at_) || (is_at(".") && is_digit(at_ + 1))) ++at_;
  return tex_.substr(start, at_ - start);
}

std::string TexReader::take_words(const std::string& command) {
  skip_spaces();
  const std::size_t end = tex_.find('}', at_);
  if (!is_at("{") || end == std::string_view::npos)
    refuse("\\" + command, "needs words in braces", fmt::format("write \\{}{{words}}", command));
  std::string words(tex_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return words;
}

void TexReader::refuse(const std::string& what, const std::string& rule,
                       const std::string& remedy) const {
  refuse_at(at_, what, rule, remedy);
}

void TexReader::refuse_at(std::size_t position, const std::string& what, const std::string& rule,
                          const std::string& remedy) const {
  throw UsageError(fmt::format("formula, character {}: {}", position + 1, what), rule, remedy);
}

}  // namespace orrery
