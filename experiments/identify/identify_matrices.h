#pragma once

#include <string>

#include "experiments/identify/identify_tensors.h"
#include "experiments/identify/tensor_report.h"

namespace orrery {

/// What a bias is made of that is added to logits, [N_q, N_k], [H, N_q, N_k] or [B, H, N_q, N_k]:
/// the mask, whether it depends on m − n alone, and ALiBi, T5, KERPLE, Sandwich or none of them.
/// options.positions are those of the queries; without them keys are at 0 to N_k − 1 and queries
/// are the last of these. Throws DataError for other shapes, UsageError for positions of another
/// number.
TensorReport identify_bias_matrix(const std::string& name, const Tensor& bias,
                                  const IdentifyOptions& options);

/// Which rope turned q and k, both as they were before, [N, d], [H, N, d] or [B, H, N, d], so that
/// their logits are these, [N_q, N_k], [H, N_q, N_k] or [B, H, N_q, N_k]. k may have fewer heads,
/// each for as many heads of q. Positions as of identify_bias_matrix. Throws DataError for shapes
/// that do not belong together.
TensorReport identify_logits_matrix(const std::string& name, const Tensor& q, const Tensor& k,
                                    const Tensor& logits, const IdentifyOptions& options);

}  // namespace orrery
