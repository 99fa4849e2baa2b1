#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/params.h"
#include "experiments/model/result.h"

namespace orrery {

/// The frequency that each pair turns with; a pair that is muted has none, channels that do not
/// turn have 0.
using Pairs = std::vector<std::optional<double>>;

/// The turning pairs of an encoding; empty where it has none.
std::optional<Pairs> pairs_of(const Encoding& encoding, Index d);

/// The distance at which each pair's cosine is 0 first: from there on it adds nothing that is
/// certain.
MapLine quarter_turn(const Pairs& pairs);

/// Pair t as a hand that has turned by rθ_t, the slowest the longest.
Figure orbits_figure(const ParamSet& params, const Pairs& pairs);

/// The pairs head to tail: the real part of their sum is the score.
Figure chain_figure(const ParamSet& params, const Pairs& pairs);

/// Wavelength 2π/θ_t of each pair, as wavelength_table has it.
std::vector<double> wavelengths_of(const Pairs& pairs);

}  // namespace orrery
