#include "experiments/figure/equation/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "core/errors.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/tex_reader.h"
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
  const auto found = std::ranges::find(signs, utf8, &Sign::utf8);
  if (found == signs.end()) return std::nullopt;
  return std::string(found->latex);
}

/// What a character beyond ASCII is in a formula; empty where LaTeX has no name for it.
std::optional<std::string> in_formula(std::string_view utf8) {
  if (const auto letter = script_letter(utf8)) {
    const std::string plain = in_formula(letter->plain).value_or(std::string(letter->plain));
    return fmt::format("{}{{{}}}", letter->where == Script::below ? "_" : "^", plain);
  }
  if (auto sign = among(in_formulas, utf8)) return sign;
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

using Node = EquationNode;
using Kind = Node::Kind;
using Class = Node::Class;

bool is_letter_or_digit(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}

/// A word, one character, or brackets: what follows "_" without further brackets.
bool is_one_word(std::string_view text) {
  if (text.size() == character_length(text, 0)) return true;
  if (text.starts_with("[") && text.ends_with("]")) return true;
  if (text.starts_with("⌊") && text.find("⌋") + std::string_view("⌋").size() == text.size())
    return true;
  return std::ranges::all_of(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

/// The spacing around a node follows from the symbol that carries its scripts.
const Node& carrier(const Node& node) {
  return node.kind == Kind::scripts ? carrier(node.children[0]) : node;
}

bool is_colon(const Node& node) { return node.kind == Kind::symbol && node.text == ":"; }

Class role_of(const Node& node) { return is_colon(node) ? Class::punctuation : carrier(node).role; }

std::span<const Node> parts_of(const Node& node) {
  if (node.kind == Kind::row) return node.children;
  return {&node, 1};
}

/// Whether a sign at the top level, outside of brackets, makes it more than one factor.
bool is_sum(const Node& node) {
  int depth = 0;
  for (const Node& part : parts_of(node)) {
    const Class role = role_of(part);
    if (role == Class::opening) ++depth;
    if (role == Class::closing) --depth;
    const bool parts = role == Class::operation || role == Class::relation ||
                       (part.kind == Kind::symbol && part.text == "/");
    if (depth == 0 && parts) return true;
  }
  return false;
}

/// One symbol, or one function with its argument in brackets.
bool is_one_factor(const Node& node) {
  const std::span<const Node> parts = parts_of(node);
  if (parts.size() <= 1) return parts.empty() || parts[0].kind != Kind::fraction;
  return role_of(parts[1]) == Class::opening && role_of(parts.back()) == Class::closing &&
         !is_sum(node);
}

class Writer {
 public:
  /// Tight text has no room around its signs: that of scripts.
  explicit Writer(bool tight) : tight_(tight) {}

  std::string written(const Node& node) && {
    for (const Node& part : parts_of(node)) add(part);
    while (!text_.empty() && text_.back() == ' ') text_.pop_back();
    return std::move(text_);
  }

 private:
  void add(const Node& node) {
    if (node.kind == Kind::space) return add_space();
    if (node.kind == Kind::row) {
      for (const Node& part : node.children) add(part);
      return;
    }
    const std::string text = text_of(node);
    const Class role = role_of(node);
    if (wants_space_before(text, role)) add_space();
    // A word may bring its own space.
    const bool doubled = text_.ends_with(' ') && text.starts_with(' ');
    text_ += doubled ? text.substr(1) : text;
    if (wants_space_after(role)) add_space();
    ends_in_script_ = is_low_script(node);
    ends_in_word_ = is_word(text);
    last_ = role;
    begun_ = true;
  }

  void add_space() {
    if (!text_.empty() && text_.back() != ' ') text_ += ' ';
  }

  /// A sign with nothing to its left belongs to what follows.
  bool is_binary() const {
    return begun_ && last_ != Class::operation && last_ != Class::relation &&
           last_ != Class::opening && last_ != Class::punctuation && last_ != Class::large;
  }

  bool wants_space_before(const std::string& text, Class role) {
    signed_ = role == Class::operation && is_binary();
    if (role == Class::relation || role == Class::operation)
      return !tight_ && (role == Class::relation || signed_);
    if (!begun_ || text.empty()) return false;
    const bool after_name = last_ == Class::function || last_ == Class::large;
    if (after_name) return last_ == Class::large || role != Class::opening;
    const bool follows = last_ == Class::ordinary || last_ == Class::closing;
    if (role == Class::function || role == Class::large) return follows;
    if (role != Class::ordinary || !follows || !is_letter_or_digit(text.front())) return false;
    if (ends_in_script_) return true;
    if (!is_letter_or_digit(text_.back())) return false;
    return ends_in_word_ || (last_ == Class::ordinary && is_word(text));
  }

  bool wants_space_after(Class role) const {
    if (tight_) return false;
    return role == Class::relation || role == Class::punctuation || signed_;
  }

  static bool is_word(std::string_view text) {
    const auto end = std::ranges::find_if_not(
        text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
    return end - text.begin() > 1;
  }

  /// "W_q" needs room before the next letter, "Wₖ" does not.
  static bool is_low_script(const Node& node) {
    return node.kind == Kind::scripts && node.children[1].children.empty() &&
           !node.children[2].children.empty() &&
           !as_script(Writer(true).written(node.children[2]), Script::below);
  }

  static std::string bracketed(const Node& node, bool needed) {
    const std::string text = Writer(false).written(node);
    return needed ? "(" + text + ")" : text;
  }

  static std::string script(const Node& node, const char* mark, Script where) {
    if (node.kind == Kind::row && node.children.empty()) return {};
    const std::string text = Writer(true).written(node);
    if (const auto small = as_script(text, where)) return *small;
    return mark + (is_one_word(text) ? text : "(" + text + ")");
  }

  static std::string scripts_text(const Node& node) {
    const Node& above = node.children[1];
    const Node& below = node.children[2];
    std::string base = Writer(false).written(node.children[0]);
    if (role_of(node) == Class::large && !above.children.empty() && !below.children.empty())
      return base + "_(" + Writer(true).written(below) + ".." + Writer(true).written(above) + ")";
    return base + script(below, "_", Script::below) + script(above, "^", Script::above);
  }

  static std::string matrix_text(const Node& node) {
    std::string text;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) text += i % node.columns == 0 ? "; " : ", ";
      text += Writer(false).written(node.children[i]);
    }
    return text;
  }

  static std::string accented(const Node& node) {
    const std::string mark = node.text == "bar"   ? "\u0304"
                             : node.text == "hat" ? "\u0302"
                                                  : "\u0303";
    return Writer(false).written(node.children[0]) + mark;
  }

  static std::string text_of(const Node& node) {
    switch (node.kind) {
      case Kind::symbol:
        return node.text == "∑" ? "Σ" : node.text;
      case Kind::scripts:
        return scripts_text(node);
      case Kind::fraction:
        return bracketed(node.children[0], is_sum(node.children[0])) + "/" +
               bracketed(node.children[1], !is_one_factor(node.children[1]));
      case Kind::root:
        return "√" + bracketed(node.children[0], parts_of(node.children[0]).size() != 1);
      case Kind::accent:
        return accented(node);
      case Kind::fence:
        // The brace of cases has no counterpart on one line.
        return (node.open == "{" ? "" : node.open) + Writer(false).written(node.children[0]) +
               node.close;
      case Kind::matrix:
        return matrix_text(node);
      case Kind::row:
      case Kind::space:
        break;
    }
    return {};
  }

  bool tight_;
  std::string text_{};
  Class last_{Class::ordinary};
  bool begun_{false};
  bool signed_{false};
  bool ends_in_script_{false};
  bool ends_in_word_{false};
};

/// A formula as it was typed, without what TeX alone needs: "d_\mathrm{head}" is "d_head". What has
/// no such form makes it empty.
class Typed {
 public:
  explicit Typed(std::string_view tex) : in_(tex) {}

  std::optional<std::string> text() {
    std::string text;
    while (!in_.done() && !in_.is_at("}")) {
      if (!add_next(text)) return std::nullopt;
    }
    return text;
  }

 private:
  bool add_next(std::string& text) {
    if (in_.is_at("\\")) return add_command(text);
    if (in_.is_at("{")) {
      const bool script = text.ends_with('_') || text.ends_with('^');
      return add_group(text, script ? is_one_word : any_text);
    }
    text += in_.take();
    return true;
  }

  static bool any_text(std::string_view) { return true; }
  static bool is_one_character(std::string_view text) {
    return text.size() == character_length(text, 0);
  }

  /// In brackets unless its text may stand alone.
  bool add_group(std::string& text, bool (*alone)(std::string_view)) {
    in_.take();
    const auto inside = this->text();
    if (!inside || !in_.accept("}")) return false;
    text += alone(*inside) ? *inside : "(" + *inside + ")";
    return true;
  }

  bool add_command(std::string& text) {
    const std::string name = in_.take_command();
    if (name == "mathrm" || name == "operatorname" || name == "text") {
      text += in_.take_words(name);
      return true;
    }
    if (name == "sqrt" && in_.is_at("{")) {
      text += "√";
      return add_group(text, is_one_character);
    }
    const NamedSymbol* known = find_named_symbol(name);
    if (known) text += known->text;
    return known != nullptr;
  }

  TexReader in_;
};

/// Empty where it cannot be parsed.
std::optional<std::string> typed_text(const std::string& tex) {
  try {
    const EquationNode equation = parse_equation(tex);
    if (auto typed = Typed(tex).text()) return typed;
    return formula_text(equation);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string latex_words(std::string_view words) { return each(words, word_of); }

std::string latex_text(std::string_view marked) {
  std::string latex;
  for (const MarkedPart& part : marked_parts(marked))
    latex += part.is_formula ? "$" + each(part.text, formula_of) + "$" : latex_words(part.text);
  return latex;
}

std::string formula_text(const EquationNode& equation) { return Writer(false).written(equation); }

std::string formula_text(std::string_view tex) { return formula_text(parse_equation(tex)); }

std::string plain_text(std::string_view marked) {
  std::string plain;
  for (const MarkedPart& part : marked_parts(marked))
    plain += part.is_formula ? typed_text(part.text).value_or("$" + part.text + "$") : part.text;
  return plain;
}

}  // namespace orrery
