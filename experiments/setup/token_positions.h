#pragma once

#include "core/params.h"
#include "core/position.h"
#include "experiments/model/experiment.h"

namespace orrery::setup {

/// "positions": a file with the position of each token, in place of first_position.
ParamSpec token_positions_param();

/// Of that many tokens: the first of the file's, or consecutive ones from first_position. Throws
/// DataError for a file of another shape than [N], for fewer numbers than tokens, and for numbers
/// that are not whole or lie beyond ±2^53.
Positions token_positions(const ParamSet& params, const Inputs& inputs, std::ptrdiff_t tokens);

/// The largest of at least one.
Position last_position_of(PositionsIn positions);

}  // namespace orrery::setup
