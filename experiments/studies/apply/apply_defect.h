#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/encodings/settings.h"
#include "experiments/model/inputs.h"
#include "experiments/setup/common_params.h"

namespace orrery {

/// Encoded vectors of the shape of x, with the names of its dimensions.
std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values);

/// "defect" of `apply`, none unless it is given: a known mistake of RoPE.
ParamSpec applied_defect_param();

/// Whether a defect is asked for.
bool has_defect(const ParamSet& params);

/// x turned by encoding=rope or axis_rope as a program with the defect turns it, in fp64. Where a
/// rule begins at a row, as the defects of caches do, the first half of the rows is the prompt.
/// Throws UsageError where the defect cannot be made in the rope, and beside a precision other
/// than exact: products are not rounded here.
/// @param x   [N, d], [heads, N, d] or [batch, heads, N, d]
/// @param at  the positions of its rows
std::shared_ptr<const Array> apply_defective_rope(const EncodingSettings& settings, const Tensor& x,
                                                  const Positions& at);

}  // namespace orrery
