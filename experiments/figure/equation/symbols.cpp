#include "experiments/figure/equation/symbols.h"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

using Class = EquationNode::Class;

// clang-format off
constexpr std::array symbol_table{
    NamedSymbol{"alpha", "α", Class::ordinary}, NamedSymbol{"beta", "β", Class::ordinary},
    NamedSymbol{"gamma", "γ", Class::ordinary}, NamedSymbol{"delta", "δ", Class::ordinary},
    NamedSymbol{"epsilon", "ε", Class::ordinary}, NamedSymbol{"zeta", "ζ", Class::ordinary},
    NamedSymbol{"eta", "η", Class::ordinary}, NamedSymbol{"theta", "θ", Class::ordinary},
    NamedSymbol{"iota", "ι", Class::ordinary}, NamedSymbol{"kappa", "κ", Class::ordinary},
    NamedSymbol{"lambda", "λ", Class::ordinary}, NamedSymbol{"mu", "μ", Class::ordinary},
    NamedSymbol{"nu", "ν", Class::ordinary}, NamedSymbol{"xi", "ξ", Class::ordinary},
    NamedSymbol{"pi", "π", Class::ordinary}, NamedSymbol{"rho", "ρ", Class::ordinary},
    NamedSymbol{"sigma", "σ", Class::ordinary}, NamedSymbol{"tau", "τ", Class::ordinary},
    NamedSymbol{"phi", "ϕ", Class::ordinary}, NamedSymbol{"varphi", "φ", Class::ordinary},
    NamedSymbol{"chi", "χ", Class::ordinary}, NamedSymbol{"psi", "ψ", Class::ordinary},
    NamedSymbol{"omega", "ω", Class::ordinary}, NamedSymbol{"Gamma", "Γ", Class::ordinary},
    NamedSymbol{"Delta", "Δ", Class::ordinary}, NamedSymbol{"Theta", "Θ", Class::ordinary},
    NamedSymbol{"Lambda", "Λ", Class::ordinary}, NamedSymbol{"Pi", "Π", Class::ordinary},
    NamedSymbol{"Sigma", "Σ", Class::ordinary}, NamedSymbol{"Phi", "Φ", Class::ordinary},
    NamedSymbol{"Psi", "Ψ", Class::ordinary}, NamedSymbol{"Omega", "Ω", Class::ordinary},
    NamedSymbol{"infty", "∞", Class::ordinary}, NamedSymbol{"partial", "∂", Class::ordinary},
    NamedSymbol{"ell", "ℓ", Class::ordinary}, NamedSymbol{"ldots", "…", Class::ordinary},
    NamedSymbol{"cdots", "⋯", Class::ordinary}, NamedSymbol{"vdots", "⋮", Class::ordinary},
    NamedSymbol{"ddots", "⋱", Class::ordinary}, NamedSymbol{"prime", "′", Class::ordinary},
    NamedSymbol{"intercal", "⊺", Class::ordinary}, NamedSymbol{"top", "⊤", Class::ordinary},
    NamedSymbol{"times", "×", Class::operation}, NamedSymbol{"cdot", "·", Class::operation},
    NamedSymbol{"pm", "±", Class::operation}, NamedSymbol{"circ", "∘", Class::operation},
    NamedSymbol{"oplus", "⊕", Class::operation}, NamedSymbol{"otimes", "⊗", Class::operation},
    NamedSymbol{"odot", "⊙", Class::operation}, NamedSymbol{"leq", "≤", Class::relation},
    NamedSymbol{"le", "≤", Class::relation}, NamedSymbol{"geq", "≥", Class::relation},
    NamedSymbol{"ge", "≥", Class::relation}, NamedSymbol{"neq", "≠", Class::relation},
    NamedSymbol{"approx", "≈", Class::relation}, NamedSymbol{"equiv", "≡", Class::relation},
    NamedSymbol{"propto", "∝", Class::relation}, NamedSymbol{"sim", "∼", Class::relation},
    NamedSymbol{"in", "∈", Class::relation}, NamedSymbol{"to", "→", Class::relation},
    NamedSymbol{"ll", "≪", Class::relation}, NamedSymbol{"gg", "≫", Class::relation},
    NamedSymbol{"sum", "∑", Class::large}, NamedSymbol{"prod", "∏", Class::large},
    NamedSymbol{"int", "∫", Class::large},
    NamedSymbol{"max", "max", Class::large}, NamedSymbol{"min", "min", Class::large},
    NamedSymbol{"lim", "lim", Class::large},
    NamedSymbol{"cos", "cos", Class::function}, NamedSymbol{"sin", "sin", Class::function},
    NamedSymbol{"exp", "exp", Class::function}, NamedSymbol{"log", "log", Class::function},
    NamedSymbol{"ln", "ln", Class::function}, NamedSymbol{"Re", "Re", Class::function},
    NamedSymbol{"Im", "Im", Class::function}, NamedSymbol{"sgn", "sgn", Class::function},
    NamedSymbol{"langle", "⟨", Class::opening}, NamedSymbol{"rangle", "⟩", Class::closing},
    NamedSymbol{"lfloor", "⌊", Class::opening}, NamedSymbol{"rfloor", "⌋", Class::closing},
    NamedSymbol{"lVert", "‖", Class::opening}, NamedSymbol{"rVert", "‖", Class::closing},
    NamedSymbol{"lvert", "|", Class::opening}, NamedSymbol{"rvert", "|", Class::closing},
    NamedSymbol{"{", "{", Class::opening}, NamedSymbol{"}", "}", Class::closing},
    NamedSymbol{"|", "‖", Class::ordinary}, NamedSymbol{"%", "%", Class::ordinary},
    NamedSymbol{"_", "_", Class::ordinary}};
// clang-format on

}  // namespace

std::span<const NamedSymbol> named_symbols() { return symbol_table; }

const NamedSymbol* find_named_symbol(std::string_view name) {
  const auto* found = std::find_if(symbol_table.begin(), symbol_table.end(),
                                   [&](const NamedSymbol& symbol) { return symbol.name == name; });
  return found == symbol_table.end() ? nullptr : found;
}

Class class_of_character(std::string_view character) {
  constexpr std::array operations{"+", "-", "−", "*"};
  constexpr std::array relations{"=", "<", ">", ":"};
  const auto among = [&](const auto& list) {
    return std::find(list.begin(), list.end(), character) != list.end();
  };
  if (among(operations)) return Class::operation;
  if (among(relations)) return Class::relation;
  if (character == "(" || character == "[") return Class::opening;
  if (character == ")" || character == "]") return Class::closing;
  if (character == "," || character == ";") return Class::punctuation;
  if (character == "|" || character == "‖") return Class::ordinary;  // opens or closes
  const auto* known =
      std::find_if(symbol_table.begin(), symbol_table.end(),
                   [&](const NamedSymbol& symbol) { return symbol.text == character; });
  return known == symbol_table.end() ? Class::ordinary : known->role;
}

}  // namespace orrery
