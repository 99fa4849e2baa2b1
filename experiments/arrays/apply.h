#pragma once

#include <memory>
#include <vector>

#include "experiments/arrays/encoded_array.h"

namespace orrery::arrays {

/// encoding, dim, heads, side, defect, precision, seed, and all encodings' own.
std::vector<ParamSpec> apply_params();

/// x with the encoding applied at its positions, in the same shape: x + p for an encoding that adds
/// to the input, the rotated q (side=queries) or k (side=keys) for one that transforms them. Throws
/// UsageError for an encoding that does neither, and DataError for shapes that do not fit.
std::shared_ptr<const Array> apply_encoding(const ParamSet& params, const ApplyInputs& inputs);

/// The constants of an encoding, as tables: the frequencies θ_t, wavelengths and inv_freq of rope
/// and sinusoidal, the slopes of alibi, and the matrix of rows that shaw, t5, tupe and deberta look
/// up for queries and keys at the positions. Throws UsageError for an encoding that has none of
/// these.
Table encoding_table(const ParamSet& params, const ApplyInputs& inputs);

}  // namespace orrery::arrays
