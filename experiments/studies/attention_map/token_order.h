#pragma once

#include <string>
#include <vector>

#include "experiments/setup/token_inputs.h"

namespace orrery {

/// order, swap_first, swap_second: the tokens in another order than their text has.
std::vector<ParamSpec> order_params();

/// Which token stands at each place, by its number in the text.
std::vector<Index> token_order(const ParamSet& params, Index tokens);

/// Whether the tokens stand in another order than their text has.
bool is_reordered(const ParamSet& params);

/// The tokens in that order, each with its contents and its label, at the positions of the places
/// where they stand now.
template <class T>
TokenInputs<T> reordered(TokenInputs<T> tokens, const std::vector<Index>& order);

/// What becomes of each token's output when the tokens are put into the order of the parameters:
/// the largest change of a number, and the check that there is none where nothing tells positions
/// apart.
/// @param output  of the tokens in that order, as `result` has it
template <class T>
void add_order_findings(const std::string& encoding, const ParamSet& params,
                        const TokenInputs<T>& in_text_order, const Array& output, Result& result);

}  // namespace orrery
