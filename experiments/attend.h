#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/data/tensor_map.h"
#include "experiments/experiment.h"

namespace orrery {

/// Arrays by name, as a .npz or .safetensors file holds them.
using NamedTensors = TensorMap;

/// What attention is computed from: q, k and v, or contents x, which W_q, W_k, W_v of `tables`
/// project (without them q = k = v = x).
struct AttendInputs {
  std::optional<Tensor> q{};  ///< [N_q, d] or [H, N_q, d]
  std::optional<Tensor> k{};  ///< [N_k, d] or [H_kv, N_k, d], H a multiple of H_kv
  std::optional<Tensor> v{};  ///< [N_k, d_v] or [H_kv, N_k, d_v]; k when absent
  std::optional<Tensor> x{};  ///< [N, d_model]
  NamedTensors tables{};      ///< of the encoding, by the names that `describe` lists
  std::optional<std::vector<std::int64_t>> query_positions{};
  std::optional<std::vector<std::int64_t>> key_positions{};
};

struct AttendResult {
  std::vector<std::shared_ptr<const Array>> arrays{};  ///< logits, weights, output, term_NAME …
  std::size_t fully_masked_rows{};
  std::size_t nan_rows{};
};

/// encoding, causal, window, heads, head, first_position, precision, seed, and all encodings' own.
std::vector<ParamSpec> attend_params();

/// Softmax attention of one head or of all heads of a layer. Arrays of one head are [N_q, N_k] and
/// [N_q, d_v]; of several [H, …]. Keys stand at first_position, first_position + 1, …; queries are
/// the last N_q of them, as in decoding with cached keys; unless positions are given. Throws
/// UsageError and DataError for what does not fit, and for a table that nothing reads.
AttendResult attend(const ParamSet& params, const AttendInputs& inputs);

}  // namespace orrery
