#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/setup/token_inputs.h"

namespace orrery {

/// Whose content a term takes part in; found by taking contents out, not by its name.
enum class TermPart { content_content, content_position, position_content, position_position };
inline constexpr std::size_t term_parts = 4;

std::string_view words_of(TermPart part);  ///< "content–position"

template <class T>
struct DecomposedTerm {
  std::string name{};   ///< in files
  std::string words{};  ///< in titles
  TermPart part{};
  Matrix<T> logits{};
  std::string symbol{};  ///< as TeX, where it is not that of the encoding's named term
};

template <class T>
struct Decomposition {
  std::vector<DecomposedTerm<T>> terms{};
  Matrix<T> logits{};
  bool relative{};  ///< claimed: without content, a function of m − n alone
  double add_up_error{};
  double ablation_error{};
  double rounding{};  ///< what it may do to one map

  std::vector<Matrix<T>> maps() const {
    std::vector<Matrix<T>> all;
    for (const DecomposedTerm<T>& term : terms) all.push_back(term.logits);
    return all;
  }
};

/// Throws UsageError where positions would become infinite: such terms do not add up.
void check_formats(const ParamSet& params, Position last);

/// The logits of an encoding over the tokens, split into its own named terms, or for RoPE into
/// bands of frequencies. Throws UsageError as token_encoding does.
template <class T>
Decomposition<T> decompose(const std::string& name, const ParamSet& params,
                           const TokenInputs<T>& tokens);

}  // namespace orrery
