#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/data/sliced_tensor.h"
#include "experiments/data/tensor_map.h"
#include "experiments/model/result.h"

namespace orrery {

/// The shape, as `describe` lists it, of a table that is a projection: with weights=torch_linear it
/// is stored transposed.
inline constexpr const char* projection_shape = "[d_model, heads·d_head]";

/// The inputs of attention: q, k and v, or contents x, which W_q, W_k, W_v of `tables`
/// project (without them q = k = v = x). B batch entries share positions, tables and masks, unless
/// the mask has a batch axis of its own.
struct AttendInputs {
  std::optional<SlicedTensor> q{};  ///< [N_q, d], [H, N_q, d] or [B, H, N_q, d]
  std::optional<SlicedTensor>
      k{};  ///< [N_k, d], [H_kv, N_k, d] or [B, H_kv, N_k, d], H_kv divides H
  std::optional<SlicedTensor> v{};  ///< as k, with d_v channels; k when absent
  std::optional<Tensor> x{};        ///< [N, d_model] or [B, N, d_model]
  std::optional<Tensor> mask{};  ///< [N_q, N_k], [H, N_q, N_k] or [B, H, N_q, N_k], or 1 for B, H
  std::optional<Tensor> padding{};   ///< [N_k] or [B, N_k], 1 for a token and 0 for padding
  std::optional<Tensor> segments{};  ///< [N_k] or [B, N_k], ids; queries are the last N_q of them
  TensorMap tables{};  ///< of the encoding, by the names that `describe` lists; and projections
  std::optional<std::vector<std::int64_t>> query_positions{};
  std::optional<std::vector<std::int64_t>> key_positions{};
};

struct AttendResult {
  /// What went to the sink, without values: logits, weights, output, term_NAME …; of linear
  /// attention output, numerators and normalizers (see LinearOutput), and weights where they are
  /// asked for; with W_o also layer_output.
  std::vector<Array> arrays{};
  std::size_t fully_masked_rows{};     ///< queries that see no key: zero weights
  std::size_t nan_rows{};              ///< queries with NaN weights, see AttentionOutput
  std::size_t zero_normalizers{};      ///< queries of linear attention with output 0
  std::size_t infinite_normalizers{};  ///< as they are written, in fp64 or fp32
  std::size_t nan_normalizers{};
  /// Queries with NaN or an infinity in their output: of softmax attention those whose weights are
  /// finite, of linear attention all, and those with such numerators or weights.
  std::size_t overflowed_rows{};
  /// Positions with NaN or an infinity in layer_output, although the outputs of all heads are
  /// finite.
  std::size_t overflowed_layer_rows{};
  std::string mask_kind{};           ///< how the mask was read; empty without one
  std::vector<std::string> notes{};  ///< how inputs were read, one sentence each
};

}  // namespace orrery
