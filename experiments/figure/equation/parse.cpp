#include "experiments/figure/equation/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/figure/utf8.h"

namespace orrery {
namespace {

using Node = EquationNode;
using Kind = Node::Kind;
using Class = Node::Class;

constexpr int kDeepest = 64;

struct Command {
  std::string_view name;
  std::string_view text;
  Class role;
};

// clang-format off
constexpr std::array kCommands{
    Command{"alpha", "α", Class::ordinary}, Command{"beta", "β", Class::ordinary},
    Command{"gamma", "γ", Class::ordinary}, Command{"delta", "δ", Class::ordinary},
    Command{"epsilon", "ε", Class::ordinary}, Command{"zeta", "ζ", Class::ordinary},
    Command{"eta", "η", Class::ordinary}, Command{"theta", "θ", Class::ordinary},
    Command{"iota", "ι", Class::ordinary}, Command{"kappa", "κ", Class::ordinary},
    Command{"lambda", "λ", Class::ordinary}, Command{"mu", "μ", Class::ordinary},
    Command{"nu", "ν", Class::ordinary}, Command{"xi", "ξ", Class::ordinary},
    Command{"pi", "π", Class::ordinary}, Command{"rho", "ρ", Class::ordinary},
    Command{"sigma", "σ", Class::ordinary}, Command{"tau", "τ", Class::ordinary},
    Command{"phi", "ϕ", Class::ordinary}, Command{"varphi", "φ", Class::ordinary},
    Command{"chi", "χ", Class::ordinary}, Command{"psi", "ψ", Class::ordinary},
    Command{"omega", "ω", Class::ordinary}, Command{"Gamma", "Γ", Class::ordinary},
    Command{"Delta", "Δ", Class::ordinary}, Command{"Theta", "Θ", Class::ordinary},
    Command{"Lambda", "Λ", Class::ordinary}, Command{"Pi", "Π", Class::ordinary},
    Command{"Sigma", "Σ", Class::ordinary}, Command{"Phi", "Φ", Class::ordinary},
    Command{"Psi", "Ψ", Class::ordinary}, Command{"Omega", "Ω", Class::ordinary},
    Command{"infty", "∞", Class::ordinary}, Command{"partial", "∂", Class::ordinary},
    Command{"ell", "ℓ", Class::ordinary}, Command{"ldots", "…", Class::ordinary},
    Command{"cdots", "⋯", Class::ordinary}, Command{"vdots", "⋮", Class::ordinary},
    Command{"ddots", "⋱", Class::ordinary}, Command{"prime", "′", Class::ordinary},
    Command{"intercal", "⊺", Class::ordinary}, Command{"top", "⊤", Class::ordinary},
    Command{"times", "×", Class::operation}, Command{"cdot", "·", Class::operation},
    Command{"pm", "±", Class::operation}, Command{"circ", "∘", Class::operation},
    Command{"oplus", "⊕", Class::operation}, Command{"otimes", "⊗", Class::operation},
    Command{"odot", "⊙", Class::operation}, Command{"leq", "≤", Class::relation},
    Command{"le", "≤", Class::relation}, Command{"geq", "≥", Class::relation},
    Command{"ge", "≥", Class::relation}, Command{"neq", "≠", Class::relation},
    Command{"approx", "≈", Class::relation}, Command{"equiv", "≡", Class::relation},
    Command{"propto", "∝", Class::relation}, Command{"sim", "∼", Class::relation},
    Command{"in", "∈", Class::relation}, Command{"to", "→", Class::relation},
    Command{"ll", "≪", Class::relation}, Command{"gg", "≫", Class::relation},
    Command{"sum", "∑", Class::large}, Command{"prod", "∏", Class::large},
    Command{"int", "∫", Class::large},
    Command{"max", "max", Class::large}, Command{"min", "min", Class::large},
    Command{"lim", "lim", Class::large},
    Command{"cos", "cos", Class::function}, Command{"sin", "sin", Class::function},
    Command{"exp", "exp", Class::function}, Command{"log", "log", Class::function},
    Command{"ln", "ln", Class::function}, Command{"Re", "Re", Class::function},
    Command{"Im", "Im", Class::function}, Command{"sgn", "sgn", Class::function},
    Command{"langle", "⟨", Class::opening}, Command{"rangle", "⟩", Class::closing},
    Command{"lfloor", "⌊", Class::opening}, Command{"rfloor", "⌋", Class::closing},
    Command{"lVert", "‖", Class::opening}, Command{"rVert", "‖", Class::closing},
    Command{"lvert", "|", Class::opening}, Command{"rvert", "|", Class::closing},
    Command{"{", "{", Class::opening}, Command{"}", "}", Class::closing},
    Command{"|", "‖", Class::ordinary}, Command{"%", "%", Class::ordinary},
    Command{"_", "_", Class::ordinary}};
// clang-format on

/// The commands that take arguments, for the nearest name.
constexpr std::array kBuilders{"frac", "sqrt",  "mathrm", "mathbf", "text", "bar",
                               "hat",  "tilde", "left",   "begin",  "quad", "operatorname"};

struct Environment {
  std::string_view name;
  std::string_view open, close;
};
constexpr std::array kEnvironments{Environment{"matrix", "", ""}, Environment{"pmatrix", "(", ")"},
                                   Environment{"bmatrix", "[", "]"},
                                   Environment{"vmatrix", "|", "|"}, Environment{"cases", "{", ""}};

Node symbol(std::string_view text, Class role = Class::ordinary) {
  Node node{.kind = Kind::symbol, .role = role};
  node.text = text;
  return node;
}

Node parent(Kind kind, std::vector<Node> children) {
  Node node{.kind = kind};
  node.children = std::move(children);
  return node;
}

Class class_of(std::string_view character) {
  constexpr std::array operations{"+", "-", "−", "*", "/", "·", "×"};
  constexpr std::array relations{"=", "<", ">", "≤", "≥", "≠", "≈", "→", ":"};
  const auto among = [&](const auto& list) {
    return std::find(list.begin(), list.end(), character) != list.end();
  };
  if (character == "/") return Class::ordinary;
  if (among(operations)) return Class::operation;
  if (among(relations)) return Class::relation;
  if (character == "(" || character == "[" || character == "⟨") return Class::opening;
  if (character == ")" || character == "]" || character == "⟩") return Class::closing;
  if (character == "," || character == ";") return Class::punctuation;
  return Class::ordinary;
}

class Parser {
 public:
  explicit Parser(std::string_view tex) : tex_(tex) {}

  Node whole() {
    Node row = read_row("");
    if (at_ < tex_.size()) refuse(std::string(peek()), "closes nothing", "take it away");
    return row;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& rule,
                           const std::string& remedy) const {
    throw UsageError(fmt::format("formula, character {}: {}", at_ + 1, what), rule, remedy);
  }

  bool done() const { return at_ >= tex_.size(); }
  std::string_view peek() const { return tex_.substr(at_, character_length(tex_, at_)); }
  std::string_view take() {
    const std::string_view character = peek();
    at_ += character.size();
    return character;
  }
  void skip_spaces() {
    while (!done() && std::isspace(static_cast<unsigned char>(tex_[at_])) != 0) ++at_;
  }
  bool starts_with(std::string_view what) const { return tex_.substr(at_).starts_with(what); }
  bool accept(std::string_view what) {
    if (!starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  /// The name after a backslash, which must be there.
  std::string take_name() {
    ++at_;
    if (done()) refuse("\\", "names no command", "write a name after it, as in \\theta");
    std::size_t end = at_;
    while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end])) != 0) ++end;
    if (end == at_) return std::string(take());
    const std::string name(tex_.substr(at_, end - at_));
    at_ = end;
    return name;
  }
  std::string peek_name() {
    const std::size_t before = at_;
    std::string name = tex_[at_] == '\\' ? take_name() : std::string();
    at_ = before;
    return name;
  }

  /// Side by side until `end` (not taken), a closing brace, a cell's or a row's end.
  Node read_row(std::string_view end) {
    if (++depth_ > kDeepest)
      refuse("{", fmt::format("is nested deeper than {}", kDeepest), "make the formula simpler");
    Node row;
    for (skip_spaces(); !done(); skip_spaces()) {
      if (peek() == "}" || peek() == "&" || starts_with("\\\\")) break;
      if (!end.empty() && peek_name() == end) break;
      row.children.push_back(read_scripted());
    }
    --depth_;
    return row;
  }

  Node read_scripted() {
    Node base = peek() == "^" || peek() == "_" ? Node{} : read_atom();
    Node above, below;
    for (;;) {
      skip_spaces();
      if (accept("^"))
        add_script(above, "^");
      else if (accept("_"))
        add_script(below, "_");
      else if (accept("'"))
        above.children.push_back(symbol("′"));
      else
        break;
    }
    if (above.children.empty() && below.children.empty()) return base;
    return parent(Kind::scripts, {std::move(base), std::move(above), std::move(below)});
  }

  void add_script(Node& script, const char* mark) {
    if (!script.children.empty() && script.children.back().text != "′")
      refuse(mark, "comes twice", "group the scripts with { }");
    script.children.push_back(read_argument(mark));
  }

  /// One group in braces, or one character or command.
  Node read_argument(std::string_view of) {
    skip_spaces();
    if (done() || peek() == "}" || peek() == "&")
      refuse(std::string(of), "needs what it belongs to", "write it in { } after it");
    return read_atom();
  }

  Node read_atom() {
    if (peek() == "{") return read_group();
    if (peek() == "\\") return read_command();
    if (std::isdigit(static_cast<unsigned char>(tex_[at_])) != 0) return read_number();
    const std::string_view character = take();
    if (character == "-") return symbol("−", Class::operation);
    return symbol(character, class_of(character));
  }

  Node read_number() {
    const std::size_t start = at_;
    while (!done() && (std::isdigit(static_cast<unsigned char>(tex_[at_])) != 0 ||
                       (tex_[at_] == '.' && at_ + 1 < tex_.size() &&
                        std::isdigit(static_cast<unsigned char>(tex_[at_ + 1])) != 0)))
      ++at_;
    return symbol(tex_.substr(start, at_ - start), Class::ordinary);
  }

  Node read_group() {
    const std::size_t opened = at_;
    take();
    Node row = read_row("");
    if (!accept("}")) {
      at_ = opened;
      refuse("{", "is never closed", "add } where the group ends");
    }
    return row;
  }

  /// The words in braces, spaces and all.
  std::string read_words(const std::string& of) {
    skip_spaces();
    const std::size_t end = tex_.find('}', at_);
    if (done() || peek() != "{" || end == std::string_view::npos)
      refuse("\\" + of, "needs words in braces", fmt::format("write \\{}{{words}}", of));
    std::string words(tex_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return words;
  }

  Node read_command() {
    const std::size_t start = at_;
    const std::string name = take_name();
    if (name == "frac") {
      Node above = read_argument("\\frac");
      Node below = read_argument("\\frac");
      return parent(Kind::fraction, {std::move(above), std::move(below)});
    }
    if (name == "sqrt") return parent(Kind::root, {read_argument("\\sqrt")});
    if (name == "mathrm" || name == "text") return symbol(read_words(name), Class::ordinary);
    if (name == "operatorname") return symbol(read_words(name), Class::function);
    if (name == "mathbf") {
      Node bold = symbol(read_words(name), Class::ordinary);
      bold.bold = true;
      return bold;
    }
    if (name == "bar" || name == "hat" || name == "tilde") {
      Node accent = parent(Kind::accent, {read_argument("\\" + name)});
      accent.text = name;
      return accent;
    }
    if (name == "left") return read_fence(start);
    if (name == "begin") return read_environment(start);
    if (const double width = space_width(name); width > 0) {
      Node space{.kind = Kind::space};
      space.width = width;
      return space;
    }
    for (const Command& command : kCommands)
      if (command.name == name) return symbol(command.text, command.role);
    at_ = start;
    refuse_command(name);
  }

  static double space_width(const std::string& name) {
    if (name == ",") return 3.0 / 18;
    if (name == ":") return 4.0 / 18;
    if (name == ";" || name == " ") return 5.0 / 18;
    if (name == "quad") return 1.0;
    return 0.0;
  }

  [[noreturn]] void refuse_command(const std::string& name) const {
    if (name == "right") refuse("\\right", "has no \\left", "take it away or add \\left( before");
    if (name == "end") refuse("\\end", "has no \\begin", "take it away");
    std::vector<std::string> names(kBuilders.begin(), kBuilders.end());
    for (const Command& command : kCommands) names.emplace_back(command.name);
    const std::string near = nearest_name(name, names);
    refuse("\\" + name, "is not known",
           near.empty() ? "write the sign itself" : fmt::format("did you mean \\{}?", near));
  }

  std::string take_delimiter(const char* of) {
    skip_spaces();
    if (done()) refuse(of, "needs a bracket", fmt::format("write {}(", of));
    if (peek() == ".") return take(), std::string();
    if (peek() != "\\") return std::string(take());
    const std::size_t start = at_;
    const std::string name = take_name();
    for (const Command& command : kCommands)
      if (command.name == name) return std::string(command.text);
    at_ = start;
    refuse_command(name);
  }

  Node read_fence(std::size_t start) {
    Node fence{.kind = Kind::fence};
    fence.open = take_delimiter("\\left");
    fence.children.push_back(read_row("right"));
    if (done() || peek_name() != "right") {
      at_ = start;
      refuse("\\left", "has no \\right", "add \\right) where the bracket closes");
    }
    take_name();
    fence.close = take_delimiter("\\right");
    return fence;
  }

  Node read_environment(std::size_t start) {
    const std::string name = read_words("begin");
    const auto* known = std::find_if(kEnvironments.begin(), kEnvironments.end(),
                                     [&](const Environment& e) { return e.name == name; });
    if (known == kEnvironments.end()) {
      at_ = start;
      refuse("\\begin{" + name + "}", "is not known",
             "choose matrix, pmatrix, bmatrix, vmatrix or cases");
    }
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
      if (accept("&")) continue;
      if (accept("\\\\")) {
        rows.emplace_back();
        continue;
      }
      if (!done() && peek_name() == "end") break;
      at_ = start;
      refuse("\\begin{" + name + "}", "is never ended", "add \\end{" + name + "}");
    }
    take_name();
    const std::string ended = read_words("end");
    if (ended != name)
      refuse("\\end{" + ended + "}", "ends what did not begin", "write \\end{" + name + "}");
    // A last \\ begins no row.
    if (rows.size() > 1 && rows.back().size() == 1 && rows.back()[0].children.empty())
      rows.pop_back();
    return rows;
  }

  std::string_view tex_;
  std::size_t at_{0};
  int depth_{0};
};

}  // namespace

EquationNode parse_equation(std::string_view tex) {
  const std::string clean = valid_utf8(tex);
  return Parser(clean).whole();
}

std::string equation_name(const EquationNode& node) {
  if (node.kind == Kind::symbol) return node.text;
  if (node.kind == Kind::row) {
    std::string name;
    for (const Node& child : node.children) name += equation_name(child);
    return name;
  }
  if (node.kind != Kind::scripts) return {};
  const std::string below = equation_name(node.children[2]);
  const std::string base = equation_name(node.children[0]);
  return below.empty() ? base : base + "_" + below;
}

}  // namespace orrery
