#include "experiments/figure/equation/inline_formula.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "experiments/figure/equation/script_letters.h"
#include "experiments/text/utf8.h"

namespace orrery::figure {
namespace {

using Kind = InlineFormula::Kind;

constexpr int max_depth = 8;

constexpr std::array functions{"cos", "sin", "exp",  "log",     "ln",    "max", "min", "Re",
                               "Im",  "sgn", "clip", "softmax", "logit", "cov", "var"};
constexpr std::array signs{"+", "−", "·", "×", "=", "<", ">", "≤",
                           "≥", "≠", "≈", "→", "/", "±", "∘"};
constexpr std::array brackets{"(", ")", "[", "]", "|", "‖", "⟨", "⟩", "⌊", "⌋"};
constexpr std::array others{",", ";", "…", "½", "¼", "∞", "∂", "∈", "⊤", "ℓ", "⋯"};
/// Abbreviations that look like a fraction, and units.
constexpr std::array words{"A/B", "I/O", "w/o", "N/A", "R/W", "μs", "°C"};

template <class List>
bool among(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_greek(std::string_view character) {
  std::size_t at = 0;
  const char32_t c = next_character(character, at);
  return (c >= U'Α' && c <= U'ω') || c == U'ϕ' || c == U'ϑ';
}

/// Reads from left to right; what it cannot read makes the piece words.
class Reader {
 public:
  Reader(std::string_view text, int depth) : text_(text), depth_(depth) {}

  std::optional<InlineFormula> read() {
    while (at_ < text_.size())
      if (!read_next()) return std::nullopt;
    return InlineFormula{kind(), tex_};
  }

 private:
  enum class Last { none, atom, sign, bracket, other };

  bool read_next() {
    const char c = text_[at_];
    if (c == ' ') return skip(1);
    if (is_letter(c)) return read_letters();
    if (is_digit(c)) return read_number();
    if (c == '_' || c == '^') return read_script();
    const std::string_view character = text_.substr(at_, character_length(text_, at_));
    if (character == "√") return read_root();
    if (script_letter(character)) return read_script_letters();
    return read_character(character);
  }

  bool skip(std::size_t bytes) {
    at_ += bytes;
    return true;
  }

  void add(std::string_view tex, Last last) {
    if (last != Last::bracket) ++parts_;
    tex_.append(tex);
    last_ = last;
  }

  std::string_view run_of(bool (*belongs)(char)) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool read_letters() {
    const std::string_view run = run_of(is_letter);
    if (run.size() == 1) {
      if (at_ < text_.size() && is_digit(text_[at_])) return false;  // a name: T5, fp32
      letter_ = run[0];
      return add_variable(run);
    }
    if (among(functions, run)) {
      has_function_ = true;
      add("\\operatorname{" + std::string(run) + "}", Last::other);
      return true;
    }
    // Two letters are a product where something else says that this is a formula.
    const bool product = run.size() == 2 && (depth_ > 0 || last_ == Last::atom);
    if (product) return add_variable(run);
    if (run != "base" || run == text_) return false;
    has_variable_ = true;
    add("\\mathrm{base}", Last::atom);
    return true;
  }

  bool add_variable(std::string_view letters) {
    has_variable_ = true;
    add(letters, Last::atom);
    return true;
  }

  bool read_number() {
    const std::string_view run = run_of([](char c) { return is_digit(c) || c == '.'; });
    if (run.back() == '.' || is_exponent()) return false;
    add(run, Last::atom);
    return true;
  }

  /// "e+11" after a number.
  bool is_exponent() const {
    return at_ + 1 < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E') &&
           (text_[at_ + 1] == '+' || is_digit(text_[at_ + 1]));
  }

  bool read_character(std::string_view character) {
    if (!is_greek(character)) greek_ = 0;
    if (!known(character)) return false;
    at_ += character.size();
    return true;
  }

  bool known(std::string_view character) {
    // A word that was cut, or what followed a sign.
    if (character == "…" && (last_ == Last::atom || last_ == Last::sign)) return false;
    if (character == "Σ" || character == "∏") {
      has_function_ = true;
      add(character == "Σ" ? "\\sum " : "\\prod ", Last::other);
    } else if (is_greek(character)) {
      if (++greek_ > 2) return false;  // a word
      letter_ = 'x';
      return add_variable(character);
    } else if (among(signs, character)) {
      add(character, Last::sign);
    } else if (among(brackets, character)) {
      add(character, Last::bracket);
    } else if (among(others, character)) {
      add(character, Last::other);
    } else {
      return false;
    }
    return true;
  }

  /// What stands in brackets at the reader's place, without them.
  std::optional<std::string_view> bracketed(char open, char close) {
    if (at_ >= text_.size() || text_[at_] != open) return std::nullopt;
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == open) ++depth;
      if (text_[i] == close && --depth == 0) {
        const std::string_view inside = text_.substr(at_ + 1, i - at_ - 1);
        at_ = i + 1;
        return inside;
      }
    }
    return std::nullopt;
  }

  bool add_group(std::string_view command, std::string_view inside) {
    if (depth_ >= max_depth) return false;
    const auto formula = Reader(inside, depth_ + 1).read();
    if (!formula || formula->tex.empty()) return false;
    has_script_ = true;
    add(std::string(command) + "{" + formula->tex + "}", Last::atom);
    return true;
  }

  bool read_script() {
    if (last_ != Last::atom && last_ != Last::bracket && last_ != Last::other) return false;
    const char mark = text_[at_++];
    const std::string_view command = mark == '_' ? "_" : "^";
    if (const auto group = bracketed('{', '}')) return add_group(command, *group);
    if (const auto group = bracketed('(', ')')) return add_group(command, *group);
    const std::string_view run = run_of([](char c) { return is_letter(c) || is_digit(c); });
    if (run.size() > 2 && std::any_of(run.begin(), run.end(), is_letter)) {
      has_script_ = true;
      add(std::string(command) + "{\\mathrm{" + std::string(run) + "}}", Last::atom);
      return true;
    }
    if (!run.empty()) return add_group(command, run);
    if (at_ >= text_.size()) return false;
    const std::string_view character = text_.substr(at_, character_length(text_, at_));
    at_ += character.size();
    return add_group(command, character);
  }

  bool read_script_letters() {
    std::string plain;
    const Script where = script_letter(text_.substr(at_, character_length(text_, at_)))->where;
    if (last_ == Last::none || last_ == Last::sign) return false;
    while (at_ < text_.size()) {
      const std::string_view character = text_.substr(at_, character_length(text_, at_));
      const auto letter = script_letter(character);
      if (!letter || letter->where != where) break;
      plain += letter->plain;
      at_ += character.size();
    }
    has_script_ = true;
    add((where == Script::below ? "_{" : "^{") + plain + "}", Last::atom);
    return true;
  }

  bool read_root() {
    at_ += std::string_view("√").size();
    if (const auto group = bracketed('(', ')')) return add_group("\\sqrt", *group);
    const std::string_view run = run_of([](char c) { return is_letter(c) || is_digit(c); });
    return !run.empty() && add_group("\\sqrt", run);
  }

  Kind kind() const {
    if (parts_ == 1 && last_ == Last::sign) return Kind::sign;
    const bool alone = parts_ == 1 && letter_ != 0 && !has_script_;
    if (alone && (letter_ == 'a' || letter_ == 'A' || letter_ == 'I')) return Kind::article;
    if (alone) return letter_ >= 'A' && letter_ <= 'Z' ? Kind::capital : Kind::small_letter;
    if (has_variable_) return Kind::formula;
    if (has_function_) return parts_ == 1 ? Kind::function : Kind::formula;
    return Kind::number;
  }

  std::string_view text_;
  int depth_;
  std::size_t at_{0};
  std::string tex_{};
  Last last_{Last::none};
  std::size_t parts_{0};  ///< besides brackets
  int greek_{0};          ///< letters in a row
  char letter_{0};        ///< the single one read last
  bool has_variable_{false};
  bool has_function_{false};
  bool has_script_{false};
};

/// "2k", "3D": a number with a unit or a name.
bool is_number_and_letter(std::string_view piece) {
  return piece.size() >= 2 && is_letter(piece.back()) &&
         std::all_of(piece.begin(), piece.end() - 1,
                     [](char c) { return is_digit(c) || c == '.'; });
}

/// "C++": a sign with nothing after it.
bool ends_in_sign(std::string_view piece) {
  return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
    return piece.size() > sign.size() && piece.ends_with(sign);
  });
}

}  // namespace

std::optional<InlineFormula> inline_formula(std::string_view piece) {
  if (piece.empty() || among(words, piece) || is_number_and_letter(piece) || ends_in_sign(piece))
    return std::nullopt;
  return Reader(piece, 0).read();
}

}  // namespace orrery::figure
