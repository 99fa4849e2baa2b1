#pragma once

#include <string>

#include "experiments/identify/identify_options.h"
#include "experiments/identify/tensor_report.h"
#include "experiments/model/inputs.h"

namespace orrery {

/// Which rope turned q or k, [N, d], [H, N, d] or [B, H, N, d], into another tensor of that shape.
/// Throws DataError: shapes that differ, or positions for another N; UsageError: an expected head
/// of another size.
TensorReport identify_tensors(const std::string& name, const Tensor& before, const Tensor& after,
                              const IdentifyOptions& options);

/// Which base and scaling give these frequencies, rad per token, [d/2]. Positions do not matter.
TensorReport identify_frequencies(const std::string& name, const Tensor& inv_freq,
                                  const IdentifyOptions& options);

/// Which rope these tables belong to, [N, d/2], or [N, d] with each angle twice: in both halves or
/// in neighbouring channels, which the notes say.
TensorReport identify_tables(const std::string& name, const Tensor& cos, const Tensor& sin,
                             const IdentifyOptions& options);

}  // namespace orrery
