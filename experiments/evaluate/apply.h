#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/evaluate/attend.h"

namespace orrery::evaluate {

/// One encoding applied to vectors or positions.
struct ApplyInputs {
  std::optional<Tensor> x{};  ///< [N, d], [heads, N, d] or [batch, heads, N, d]
  TensorMap tables{};
  std::vector<std::int64_t> positions{};  ///< of the rows of x; of queries and keys for an index
};

/// Encoded vectors of the shape of x, with the names of its dimensions.
std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values);

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

}  // namespace orrery::evaluate
