#pragma once

#include <string_view>

namespace orrery {

/// One formula of an encoding or an experiment, written once: figures set it as mathematics,
/// descriptions print it as plain text.
struct Formula {
  enum class Shown { everywhere, in_descriptions };

  std::string_view tex{};     ///< in the part of TeX that experiments/figure/equation/parse.h reads
  std::string_view source{};  ///< "eq. (37)"; empty for a definition of ours
  Shown shown{Shown::everywhere};  ///< in_descriptions: figures leave it out
};

inline constexpr auto in_descriptions = Formula::Shown::in_descriptions;

/// The meaning of a symbol in formulas.
struct SymbolMeaning {
  std::string_view symbol{};  ///< "θ_t", as equation_name calls it
  std::string_view words{};   ///< "frequency of a pair of channels, in rad per token"
};

}  // namespace orrery
