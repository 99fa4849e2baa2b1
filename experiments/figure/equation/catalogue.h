#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// One formula of an experiment, for parse_equation.
struct SetEquation {
  std::string_view tex{};
  std::string_view source{};  ///< "eq. (37)"; empty for a definition of ours
};

/// The formulas that an experiment is about, the one that says most first; empty where there is
/// nothing to set. Those of a choice other than the default stand under "NAME/CHOICE": of a
/// measure, of an encoding, of a kind of figure.
const std::vector<SetEquation>& equations_of(std::string_view experiment);

/// The formulas that one figure of a result is about. Its id may name the choice
/// ("term_rope_content" is of RoPE); otherwise the parameters do, which are those of a Provenance:
/// the measure, or the encodings, several of which bring the formulas of each.
std::vector<SetEquation> equations_of(
    std::string_view experiment, const std::vector<std::pair<std::string, std::string>>& params,
    std::string_view figure);

/// What a symbol of those formulas means, in a few words; empty for a symbol that explains itself.
std::string_view symbol_meaning(std::string_view name);

}  // namespace orrery
