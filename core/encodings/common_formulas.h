#pragma once

#include <vector>

#include "core/encodings/settings.h"
#include "core/formula.h"

namespace orrery {

// Formulas that several encodings share, and the meanings of their symbols.

inline constexpr Formula frequency_formula{R"(\theta_t = \mathrm{base}^{-2t/d})", "sec. 3.3"};

/// The logit of two tokens whose contents have position vectors added to them.
inline constexpr Formula four_terms_formula{
    R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n + \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n + \mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n + \mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n)",
    "eq. (6)"};

inline std::vector<TermSymbol> four_term_symbols() {
  return {
      {"content", R"(\mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n)"},
      {"content_to_position", R"(\mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n)"},
      {"position_to_content", R"(\mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n)"},
      {"position_to_position", R"(\mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n)"}};
}

inline constexpr SymbolMeaning frequency_meaning{
    "θ_t", "frequency of a pair of channels, in rad per token"};
inline constexpr SymbolMeaning query_vector_meaning{"p_m", "position vector at $m$"};
inline constexpr SymbolMeaning key_vector_meaning{"p_n", "position vector at $n$"};

}  // namespace orrery
