#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "experiments/figure/equation/tree.h"

namespace orrery {

/// A symbol that TeX writes as a command: "theta" for θ.
struct NamedSymbol {
  std::string_view name;
  std::string_view text;
  EquationNode::Class role;
};

std::span<const NamedSymbol> named_symbols();

/// Null for an unknown name.
const NamedSymbol* find_named_symbol(std::string_view name);

/// Class of a character that stands for itself: "=" is a relation.
EquationNode::Class class_of_character(std::string_view character);

// Letters that Unicode has as sub- or superscripts: "ₘ", "ᵀ".

enum class Script { below, above };

/// Every character in its script form; empty when one of them has none.
std::optional<std::string> as_script(std::string_view text, Script where);

struct ScriptLetter {
  std::string_view plain{};  ///< "m"
  Script where{};
};

/// The letter that a character is the script form of, if it is one.
std::optional<ScriptLetter> script_letter(std::string_view character);

/// Reads the characters, commands, numbers and words of a formula in TeX, and reports errors with
/// their position. The text must be valid UTF-8 and outlive the reader.
class TexReader {
 public:
  explicit TexReader(std::string_view tex) : tex_(tex) {}

  bool done() const { return at_ >= tex_.size(); }
  std::size_t position() const { return at_; }  ///< in bytes
  std::string_view peek() const;
  bool is_at(std::string_view text) const { return tex_.substr(at_).starts_with(text); }
  bool is_at_digit() const;
  /// The next command's name without reading it; empty when no command is next.
  std::string peek_command();

  void skip_spaces();
  std::string_view take();
  /// Reads `text` if it is next.
  bool accept(std::string_view text);
  /// The name after the backslash that is next. Throws UsageError when there is none.
  std::string take_command();
  /// Digits with decimal points between them.
  std::string_view take_number();
  /// The text in braces that is next, spaces included; `command` is named in the error.
  std::string take_words(const std::string& command);

  /// Throws UsageError that names the current position.
  [[noreturn]] void refuse(const std::string& what, const std::string& rule,
                           const std::string& remedy) const;
  /// The same, naming an earlier position.
  [[noreturn]] void refuse_at(std::size_t position, const std::string& what,
                              const std::string& rule, const std::string& remedy) const;

 private:
  bool is_digit(std::size_t at) const;

  std::string_view tex_;
  std::size_t at_{0};
};

}  // namespace orrery
