#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/data/tensor_map.h"
#include "experiments/experiment.h"

namespace orrery {

/// The shape, as `describe` lists it, of a table that is a projection: with weights=torch_linear it
/// is stored transposed.
inline constexpr const char* projection_shape = "[d_model, heads·d_head]";

/// Arrays by name, as a .npz or .safetensors file holds them.
using NamedTensors = TensorMap;

/// What attention is computed from: q, k and v, or contents x, which W_q, W_k, W_v of `tables`
/// project (without them q = k = v = x). B batch entries share positions, tables and masks, unless
/// the mask has a batch axis of its own.
struct AttendInputs {
  std::optional<Tensor> q{};     ///< [N_q, d], [H, N_q, d] or [B, H, N_q, d]
  std::optional<Tensor> k{};     ///< [N_k, d], [H_kv, N_k, d] or [B, H_kv, N_k, d], H_kv divides H
  std::optional<Tensor> v{};     ///< as k, with d_v channels; k when absent
  std::optional<Tensor> x{};     ///< [N, d_model] or [B, N, d_model]
  std::optional<Tensor> mask{};  ///< [N_q, N_k], [H, N_q, N_k] or [B, H, N_q, N_k], or 1 for B, H
  std::optional<Tensor> padding{};   ///< [N_k] or [B, N_k], 1 for a token and 0 for padding
  std::optional<Tensor> segments{};  ///< [N_k] or [B, N_k], ids; queries are the last N_q of them
  NamedTensors tables{};  ///< of the encoding, by the names that `describe` lists; and projections
  std::optional<std::vector<std::int64_t>> query_positions{};
  std::optional<std::vector<std::int64_t>> key_positions{};
};

struct AttendResult {
  /// logits, weights, output, term_NAME …; of linear attention output, numerators and normalizers
  /// (see LinearOutput), and weights where they are asked for; with W_o also layer_output.
  std::vector<std::shared_ptr<const Array>> arrays{};
  std::size_t fully_masked_rows{};  ///< queries that see no key: zero weights
  std::size_t nan_rows{};           ///< queries with NaN weights, see AttentionOutput
  std::size_t zero_normalizers{};
  std::string mask_kind{};           ///< how the mask was read; empty without one
  std::vector<std::string> notes{};  ///< how inputs were read, one sentence each
};

/// encoding, kernel, scale, mask, causal, window, weights, heads, head, first_position, precision,
/// seed, and all encodings' own.
std::vector<ParamSpec> attend_params();

/// The tables that the encoding of the parameters reads.
std::vector<std::string> encoding_table_names(const ParamSet& params);

/// The tables that attend reads beside the encoding's: W_q, W_k, W_v [d_model, heads·d] of contents
/// x with their biases b_q, b_k, b_v [heads·d]; W_o [heads·d_v, d_model] and b_o of the output,
/// each W transposed with weights=torch_linear; and linear.projection [M, d] of FAVOR+.
std::vector<std::string> attention_table_names(const ParamSet& params, bool contents);

/// Softmax or linear attention of one head or of all heads of a layer. Arrays of one head are [N_q,
/// N_k] and [N_q, d_v]; of several [H, …]; of batch entries [B, …]. W_k and W_v may be of fewer
/// heads than W_q. Linear attention takes an encoding that turns q and k or adds to x, none that
/// adds to scores; of the rounded stages it has those of the encoding and qk, and of the masks
/// causal and padding. Without positions the keys stand at first_position, first_position + 1, …;
/// queries stand at the last N_q of the keys' positions, as in decoding with cached keys, whichever
/// of the two lists is given. Throws UsageError and DataError for what does not fit, and for a
/// table that nothing reads.
AttendResult attend(const ParamSet& params, const AttendInputs& inputs);

}  // namespace orrery
