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
  std::optional<Tensor> q{};     ///< [N_q, d] or [H, N_q, d]
  std::optional<Tensor> k{};     ///< [N_k, d] or [H_kv, N_k, d], H a multiple of H_kv
  std::optional<Tensor> v{};     ///< [N_k, d_v] or [H_kv, N_k, d_v]; k when absent
  std::optional<Tensor> x{};     ///< [N, d_model]
  std::optional<Tensor> mask{};  ///< [N_q, N_k], 0 where a query does not see a key
  NamedTensors tables{};  ///< of the encoding, by the names that `describe` lists; and projections
  std::optional<std::vector<std::int64_t>> query_positions{};
  std::optional<std::vector<std::int64_t>> key_positions{};
};

struct AttendResult {
  /// logits, weights, output, term_NAME …; of linear attention output, numerators and normalizers
  /// (see LinearOutput), and weights where they are asked for; with W_o also layer_output.
  std::vector<std::shared_ptr<const Array>> arrays{};
  std::size_t fully_masked_rows{};
  std::size_t nan_rows{};
  std::size_t zero_normalizers{};
};

/// encoding, kernel, causal, window, heads, head, first_position, precision, seed, and all
/// encodings' own.
std::vector<ParamSpec> attend_params();

/// The tables that the encoding of the parameters reads.
std::vector<std::string> encoding_table_names(const ParamSet& params);

/// The tables that attend reads beside the encoding's: W_q, W_k, W_v [d_model, heads·d] of contents
/// x, and W_o [heads·d_v, d_model] of the output.
std::vector<std::string> projection_names(bool contents);

/// Softmax or linear attention of one head or of all heads of a layer. Arrays of one head are [N_q,
/// N_k] and [N_q, d_v]; of several [H, …]. W_k and W_v may be of fewer heads than W_q. Linear
/// attention takes an encoding that turns q and k or adds to x, none that adds to scores; of the
/// rounded stages it has those of the encoding and qk. Keys stand at first_position, first_position
/// + 1, …; queries are the last N_q of them, as in decoding with cached keys; unless positions are
/// given. Throws UsageError and DataError for what does not fit, and for a table that nothing
/// reads.
AttendResult attend(const ParamSet& params, const AttendInputs& inputs);

}  // namespace orrery
