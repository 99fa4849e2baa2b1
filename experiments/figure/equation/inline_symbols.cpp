#include "experiments/figure/equation/inline_symbols.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/figure/equation/inline_formula.h"
#include "experiments/figure/equation/parse.h"

namespace orrery::figure {
namespace {

using Node = EquationNode;
using Kind = InlineFormula::Kind;

/// A piece of the text, with the spaces before it and the punctuation after it.
struct Piece {
  std::string_view spaces{}, text{}, after{};
  std::optional<InlineFormula> formula{};
  bool is(Kind kind) const { return formula && formula->kind == kind; }
};

/// Where the bracket that opens at `at` closes; npos where it does not.
std::size_t closing(std::string_view text, std::size_t at) {
  const char open = text[at], close = open == '(' ? ')' : open == '[' ? ']' : '}';
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// End of the piece that begins at `at`: the next space, outside of brackets if `whole_brackets`.
std::size_t end_of_piece(std::string_view text, std::size_t at, bool whole_brackets) {
  for (; at < text.size() && text[at] != ' ' && text[at] != '\n'; ++at) {
    const bool opens = text[at] == '(' || text[at] == '[' || text[at] == '{';
    if (!whole_brackets || !opens) continue;
    const std::size_t close = closing(text, at);
    if (close == std::string_view::npos) return std::string_view::npos;
    at = close;
  }
  return at;
}

std::string_view punctuation_after(std::string_view piece) {
  std::size_t end = piece.size();
  while (end > 0 && std::string_view(",.;:?!").find(piece[end - 1]) != std::string_view::npos)
    --end;
  return piece.substr(end);
}

Piece read_piece(std::string_view text, std::size_t begin, std::size_t end) {
  Piece piece;
  const std::string_view whole = text.substr(begin, end - begin);
  piece.after = punctuation_after(whole);
  piece.text = whole.substr(0, whole.size() - piece.after.size());
  piece.formula = inline_formula(piece.text);
  return piece;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t spaces = at;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
    const std::size_t begin = at;
    Piece piece;
    const std::size_t far = end_of_piece(text, begin, true);
    if (far != std::string_view::npos) piece = read_piece(text, begin, far);
    if (!piece.formula) piece = read_piece(text, begin, end_of_piece(text, begin, false));
    quoted = quoted || piece.text.find("“") != std::string_view::npos;
    if (quoted) piece.formula.reset();
    quoted = quoted && piece.text.find("”") == std::string_view::npos;
    piece.spaces = text.substr(spaces, begin - spaces);
    at = begin + piece.text.size() + piece.after.size();
    pieces.push_back(std::move(piece));
  }
  // A text that was cut, not a list that goes on.
  if (!pieces.empty() && pieces.back().text.ends_with("…")) pieces.back().formula.reset();
  return pieces;
}

bool is_bracketed(std::string_view text) { return text.starts_with('(') && text.ends_with(')'); }

/// Groups of pieces that are formulas.
class Grouper {
 public:
  Grouper(const std::vector<Piece>& pieces, Reading reading) : pieces_(pieces), reading_(reading) {}

  /// One past the last piece of the formula that begins at i; i where none does.
  std::size_t end_of_formula(std::size_t i) const {
    std::size_t end = i;
    if (!begins(i)) return i;
    end = term_end(i);
    while (end < pieces_.size() && pieces_[end - 1].after.empty()) {
      if (pieces_[end].is(Kind::sign) && end + 1 < pieces_.size() && pieces_[end].after.empty()) {
        const std::size_t next = operand_end(end + 1);
        if (next == end + 1) break;
        end = next;
      } else if (begins(end)) {
        end = term_end(end);
      } else {
        break;
      }
    }
    return end;
  }

 private:
  bool symbols_only() const { return reading_ == Reading::symbol; }

  bool is_term(std::size_t i) const {
    if (i >= pieces_.size() || !pieces_[i].formula) return false;
    const Piece& piece = pieces_[i];
    switch (piece.formula->kind) {
      case Kind::formula:
        return true;
      case Kind::small_letter:
        return symbols_only() || !(is_bracketed(piece.text) || follows_number(i));
      case Kind::capital:
        return symbols_only() || joined(i);
      case Kind::article:
      case Kind::function:
        return symbols_only();
      default:
        return false;
    }
  }

  /// "3 s": a unit.
  bool follows_number(std::size_t i) const {
    return i > 0 && pieces_[i - 1].is(Kind::number) && pieces_[i - 1].after.empty();
  }

  /// Beside a sign that says that a capital is a quantity.
  bool joined(std::size_t i) const {
    const auto sign = [&](std::size_t at) {
      return at < pieces_.size() && pieces_[at].is(Kind::sign) && pieces_[at].text != "·" &&
             pieces_[at].text != "/";
    };
    const bool argument = i > 0 && pieces_[i - 1].after.empty() && pieces_[i - 1].formula &&
                          pieces_[i - 1].formula->tex.find("\\operatorname") == 0;
    return argument || (pieces_[i].after.empty() && sign(i + 1)) ||
           (i > 0 && sign(i - 1) && pieces_[i - 1].after.empty());
  }

  bool begins(std::size_t i) const {
    if (is_term(i)) return true;
    if (i >= pieces_.size() || !pieces_[i].after.empty()) return false;
    if (pieces_[i].is(Kind::function)) return term_end(i) > i;
    return symbols_only() && pieces_[i].is(Kind::number) && begins(i + 1);
  }

  std::size_t term_end(std::size_t i) const {
    if (is_term(i)) return i + 1;
    std::size_t next = i + 1;
    while (next < pieces_.size() && pieces_[next].is(Kind::function) && pieces_[next].after.empty())
      ++next;
    return is_term(next) ? next + 1 : i;
  }

  /// After a sign: a term, or a number where prose would not have it.
  std::size_t operand_end(std::size_t i) const {
    if (pieces_[i - 1].text == "·" && !symbols_only()) return i;  // it parts the items of a list
    if (begins(i)) return std::max(term_end(i), i);
    const bool number = pieces_[i].is(Kind::number);
    return number && (symbols_only() || pieces_[i].text.starts_with('(')) ? i + 1 : i;
  }

  const std::vector<Piece>& pieces_;
  Reading reading_;
};

Node words_node(std::string text, bool bold) {
  Node node{.kind = Node::Kind::symbol};
  node.text = std::move(text);
  node.bold = bold;
  node.letters = Node::Letters::words;
  return node;
}

class RowBuilder {
 public:
  explicit RowBuilder(bool bold) : bold_(bold) {}

  void add_words(std::string_view text) { words_.append(text); }

  /// The words where the formula cannot be parsed.
  void add_formula(const std::string& tex, std::string_view otherwise) {
    try {
      Node formula = parse_equation(tex);
      finish_words();
      row_.children.push_back(std::move(formula));
    } catch (const UsageError&) {
      add_words(otherwise);
    }
  }

  Node finish() {
    finish_words();
    return std::move(row_);
  }

 private:
  void finish_words() {
    if (!words_.empty()) row_.children.push_back(words_node(std::exchange(words_, {}), bold_));
  }

  bool bold_;
  std::string words_{};
  Node row_{};
};

/// Brackets at the ends of the pieces [i, end) that belong to the words around them.
struct Loose {
  bool open{}, close{};
};
Loose loose_brackets(const std::vector<Piece>& pieces, std::size_t i, std::size_t end) {
  long balance = 0;
  for (std::size_t at = i; at < end; ++at) {
    balance += std::count(pieces[at].text.begin(), pieces[at].text.end(), '(');
    balance -= std::count(pieces[at].text.begin(), pieces[at].text.end(), ')');
  }
  return {balance > 0 && pieces[i].text.starts_with('('),
          balance < 0 && pieces[end - 1].text.ends_with(')')};
}

void add_formula(RowBuilder& row, const std::vector<Piece>& pieces, std::size_t i,
                 std::size_t end) {
  const Loose loose = loose_brackets(pieces, i, end);
  std::string tex, plain;
  for (std::size_t at = i; at < end; ++at) {
    if (at > i) plain.append(pieces[at].spaces);
    plain.append(pieces[at].text);
    tex += pieces[at].formula->tex + " ";
  }
  tex.pop_back();
  if (loose.open) {
    row.add_words("(");
    tex.erase(0, 1);
    plain.erase(0, 1);
  }
  if (loose.close) {
    tex.pop_back();
    plain.pop_back();
  }
  row.add_formula(tex, plain);
  if (loose.close) row.add_words(")");
}

}  // namespace

EquationNode read_text(std::string_view text, Reading reading, bool bold) {
  RowBuilder row(bold);
  if (reading == Reading::words) {
    row.add_words(text);
    return row.finish();
  }
  const std::vector<Piece> pieces = pieces_of(text);
  const Grouper groups(pieces, reading);
  for (std::size_t i = 0; i < pieces.size();) {
    row.add_words(pieces[i].spaces);
    const std::size_t end = groups.end_of_formula(i);
    if (end > i) {
      add_formula(row, pieces, i, end);
      row.add_words(pieces[end - 1].after);
      i = end;
    } else {
      row.add_words(pieces[i].text);
      row.add_words(pieces[i].after);
      ++i;
    }
  }
  return row.finish();
}

bool has_symbols(std::string_view text, Reading reading) {
  if (reading == Reading::words) return false;
  const std::vector<Piece> pieces = pieces_of(text);
  const Grouper groups(pieces, reading);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (groups.end_of_formula(i) > i) return true;
  return false;
}

}  // namespace orrery::figure
