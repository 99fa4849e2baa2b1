#include "experiments/figure/equation/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/params.h"
#include "core/unknown_name.h"
#include "experiments/figure/equation/tex_reader.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

using Node = EquationNode;
using Kind = Node::Kind;
using Class = Node::Class;

constexpr int max_depth = 64;

/// Commands that take arguments, for the nearest name.
constexpr std::array commands_with_arguments{"frac", "sqrt",  "mathrm", "mathbf",
                                             "text", "bar",   "hat",    "tilde",
                                             "left", "begin", "quad",   "operatorname"};

struct Environment {
  std::string_view name;
  std::string_view open, close;
};
constexpr std::array environments{Environment{"matrix", "", ""}, Environment{"pmatrix", "(", ")"},
                                  Environment{"bmatrix", "[", "]"},
                                  Environment{"vmatrix", "|", "|"}, Environment{"cases", "{", ""}};

Node symbol(std::string_view text, Class role = Class::ordinary) {
  Node node{.kind = Kind::symbol, .role = role};
  node.text = text;
  return node;
}

Node upright(std::string_view text) {
  Node node = symbol(text);
  node.letters = Node::Letters::upright;
  return node;
}

Node parent(Kind kind, std::vector<Node> children) {
  Node node{.kind = kind};
  node.children = std::move(children);
  return node;
}

/// Width of a space command in em; 0 for other commands.
double space_width(const std::string& name) {
  if (name == ",") return 3.0 / 18;
  if (name == ":") return 4.0 / 18;
  if (name == ";" || name == " ") return 5.0 / 18;
  if (name == "quad") return 1.0;
  return 0.0;
}

/// A recursive-descent parser: one function per construct.
class Parser {
 public:
  explicit Parser(std::string_view tex) : in_(tex) {}

  Node parse() {
    Node row = read_row("");
    if (!in_.done()) in_.refuse(std::string(in_.peek()), "is out of place", "remove it");
    return row;
  }

 private:
  bool is_at_end_of_cell() const {
    return in_.peek() == "}" || in_.peek() == "&" || in_.is_at("\\\\");
  }

  /// Nodes side by side until the command `end`, a closing brace, or the end of a matrix's cell or
  /// row; none of these is taken.
  Node read_row(std::string_view end) {
    if (++depth_ > max_depth)
      in_.refuse("{", fmt::format("is nested deeper than {}", max_depth),
                 "make the formula simpler");
    Node row;
    for (in_.skip_spaces(); !in_.done() && !is_at_end_of_cell(); in_.skip_spaces()) {
      if (!end.empty() && in_.peek_command() == end) break;
      row.children.push_back(read_scripted());
    }
    --depth_;
    return row;
  }

  Node read_scripted() {
    const bool bare = in_.is_at("^") || in_.is_at("_") || script_letter(in_.peek());
    Node base = bare ? Node{} : read_atom();
    Node above, below;
    for (;;) {
      in_.skip_spaces();
      if (in_.accept("^"))
        add_script(above, "^");
      else if (in_.accept("_"))
        add_script(below, "_");
      else if (in_.accept("'"))
        above.children.push_back(symbol("′"));
      else if (const auto letter = script_letter(in_.peek()))
        add_letters(letter->where == Script::above ? above : below, letter->where);
      else
        break;
    }
    if (above.children.empty() && below.children.empty()) return base;
    return parent(Kind::scripts, {std::move(base), std::move(above), std::move(below)});
  }

  void add_script(Node& script, const char* mark) {
    refuse_second(script, mark);
    script.children.push_back(read_argument(mark));
  }
  void refuse_second(const Node& script, std::string_view mark) const {
    if (!script.children.empty() && script.children.back().text != "′")
      in_.refuse(std::string(mark), "appears twice", "group the scripts with { }");
  }
  /// Unicode's own scripts: "⁻⁶".
  void add_letters(Node& script, Script where) {
    refuse_second(script, in_.peek());
    while (!in_.done()) {
      const auto letter = script_letter(in_.peek());
      if (!letter || letter->where != where) break;
      in_.take();
      script.children.push_back(symbol(letter->plain, class_of_character(letter->plain)));
    }
  }

  /// One group in braces, or one character or command: the argument of `command`.
  Node read_argument(std::string_view command) {
    in_.skip_spaces();
    if (in_.done() || in_.is_at("}") || in_.is_at("&"))
      in_.refuse(std::string(command), "needs an argument", "write it in { } after it");
    return read_atom();
  }

  Node read_atom() {
    if (in_.is_at("{")) return read_group();
    if (in_.is_at("\\")) return read_command();
    if (in_.is_at_digit()) return symbol(in_.take_number());
    const std::string_view character = in_.take();
    if (character == "-") return symbol("−", Class::operation);
    if (character == "Σ") return symbol("∑", Class::large);
    return symbol(character, class_of_character(character));
  }

  Node read_group() {
    const std::size_t start = in_.position();
    in_.take();
    Node row = read_row("");
    if (!in_.accept("}"))
      in_.refuse_at(start, "{", "is never closed", "add } where the group ends");
    return row;
  }

  Node read_command() {
    const std::size_t start = in_.position();
    const std::string name = in_.take_command();
    if (name == "frac") {
      Node above = read_argument("\\frac");
      Node below = read_argument("\\frac");
      return parent(Kind::fraction, {std::move(above), std::move(below)});
    }
    if (name == "sqrt") return parent(Kind::root, {read_argument("\\sqrt")});
    if (name == "bar" || name == "hat" || name == "tilde") {
      Node accent = parent(Kind::accent, {read_argument("\\" + name)});
      accent.text = name;
      return accent;
    }
    if (name == "left") return read_fence(start);
    if (name == "begin") return read_environment(start);
    return read_symbol(start, name);
  }

  /// A command that stands for a word, a space or one symbol.
  Node read_symbol(std::size_t start, const std::string& name) {
    if (name == "mathrm" || name == "text") return upright(in_.take_words(name));
    if (name == "operatorname") return symbol(in_.take_words(name), Class::function);
    if (name == "mathbf") {
      Node bold = upright(in_.take_words(name));
      bold.bold = true;
      return bold;
    }
    if (const double width = space_width(name); width > 0) {
      Node space{.kind = Kind::space};
      space.width = width;
      return space;
    }
    const NamedSymbol& found = named_symbol(start, name);
    return symbol(found.text, found.role);
  }

  const NamedSymbol& named_symbol(std::size_t start, const std::string& name) const {
    const NamedSymbol* found = find_named_symbol(name);
    if (!found) refuse_command(start, name);
    return *found;
  }

  [[noreturn]] void refuse_command(std::size_t start, const std::string& name) const {
    if (name == "right")
      in_.refuse_at(start, "\\right", "has no \\left", "remove it or add \\left( before it");
    if (name == "end") in_.refuse_at(start, "\\end", "has no \\begin", "remove it");
    std::vector<std::string> names(commands_with_arguments.begin(), commands_with_arguments.end());
    for (const NamedSymbol& known : named_symbols()) names.emplace_back(known.name);
    const std::string near = nearest_name(name, names);
    in_.refuse_at(
        start, "\\" + name, "is not a known command",
        near.empty() ? "type the character itself" : fmt::format("did you mean \\{}?", near));
  }

  /// The bracket after \left or \right; empty for ".".
  std::string take_delimiter(const char* command) {
    in_.skip_spaces();
    if (in_.done()) in_.refuse(command, "needs a bracket", fmt::format("write {}(", command));
    if (in_.accept(".")) return {};
    if (!in_.is_at("\\")) return std::string(in_.take());
    const std::size_t start = in_.position();
    const std::string name = in_.take_command();
    return std::string(named_symbol(start, name).text);
  }

  Node read_fence(std::size_t start) {
    Node fence{.kind = Kind::fence};
    fence.open = take_delimiter("\\left");
    fence.children.push_back(read_row("right"));
    if (in_.peek_command() != "right")
      in_.refuse_at(start, "\\left", "has no \\right", "add \\right) where the bracket closes");
    in_.take_command();
    fence.close = take_delimiter("\\right");
    return fence;
  }

  Node read_environment(std::size_t start) {
    const std::string name = in_.take_words("begin");
    const auto* known = std::ranges::find(environments, name, &Environment::name);
    if (known == environments.end())
      in_.refuse_at(start, "\\begin{" + name + "}", "is not a known environment",
                    "choose matrix, pmatrix, bmatrix, vmatrix or cases");
    std::vector<std::vector<Node>> rows = read_cells(start, name);
    Node matrix{.kind = Kind::matrix};
    matrix.left_aligned = name == "cases";
    for (const auto& row : rows) matrix.columns = std::max(matrix.columns, row.size());
    for (auto& row : rows) {
      row.resize(matrix.columns);
      std::move(row.begin(), row.end(), std::back_inserter(matrix.children));
    }
    if (known->open.empty() && known->close.empty()) return matrix;
    Node fence = parent(Kind::fence, {std::move(matrix)});
    fence.open = known->open;
    fence.close = known->close;
    return fence;
  }

  std::vector<std::vector<Node>> read_cells(std::size_t start, const std::string& name) {
    std::vector<std::vector<Node>> rows(1);
    for (;;) {
      rows.back().push_back(read_row("end"));
      if (in_.accept("&")) continue;
      if (in_.accept("\\\\")) {
        rows.emplace_back();
        continue;
      }
      if (in_.peek_command() == "end") break;
      in_.refuse_at(start, "\\begin{" + name + "}", "is never closed", "add \\end{" + name + "}");
    }
    in_.take_command();
    const std::string ended = in_.take_words("end");
    if (ended != name)
      in_.refuse("\\end{" + ended + "}", "does not match \\begin{" + name + "}",
                 "write \\end{" + name + "}");
    // A final \\ does not start another row.
    if (rows.size() > 1 && rows.back().size() == 1 && rows.back()[0].children.empty())
      rows.pop_back();
    return rows;
  }

  TexReader in_;
  int depth_{0};
};

}  // namespace

std::string equation_name(const EquationNode& node) {
  if (node.kind == EquationNode::Kind::symbol) return node.text;
  if (node.kind == EquationNode::Kind::row) {
    std::string name;
    for (const EquationNode& child : node.children) name += equation_name(child);
    return name;
  }
  if (node.kind != EquationNode::Kind::scripts) return {};
  const std::string below = equation_name(node.children[2]);
  const std::string base = equation_name(node.children[0]);
  return below.empty() ? base : base + "_" + below;
}

bool has_part(const EquationNode& node, const std::function<bool(const std::string&)>& is_it) {
  if (is_it(equation_name(node))) return true;
  const bool has_index =
      node.kind == EquationNode::Kind::scripts && !node.children[2].children.empty();
  const auto has_it = [&](const EquationNode& child) { return has_part(child, is_it); };
  if (has_index) return has_it(node.children[1]);
  return std::ranges::any_of(node.children, has_it);
}

EquationNode parse_equation(std::string_view tex) {
  const std::string clean = drawable_utf8(tex);
  return Parser(clean).parse();
}

}  // namespace orrery
