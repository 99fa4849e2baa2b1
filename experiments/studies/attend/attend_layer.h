#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/multi_head.h"
#include "core/encodings/settings.h"
#include "experiments/model/inputs.h"

namespace orrery {

// How attend reads its arrays, for either kernel.

/// The inputs of attention: q, k and v, or contents x, which W_q, W_k, W_v of the tables project
/// (without them q = k = v = x). B batch entries share positions, tables and masks, unless the mask
/// has a batch axis of its own. It points into the Inputs, which outlive it.
struct AttendInputs {
  Matrices q{};              ///< [N_q, d], [H, N_q, d] or [B, H, N_q, d]
  Matrices k{};              ///< the same with N_k and H_kv, which divides H
  Matrices v{};              ///< as k, with d_v channels; k when absent
  const Tensor* x{};         ///< [N, d_model] or [B, N, d_model]
  const Tensor* mask{};      ///< [N_q, N_k], [H, N_q, N_k] or [B, H, N_q, N_k], or 1 for B, H
  const Tensor* padding{};   ///< [N_k] or [B, N_k], 1 for a token and 0 for padding
  const Tensor* segments{};  ///< [N_k] or [B, N_k], ids; queries are the last N_q of them
  std::optional<Positions> query_positions{}, key_positions{};
};

/// Those that are given; without any, q, k and v of `tokens` and `dim` are drawn by the seed.
AttendInputs attend_inputs(const ParamSet& params, const Inputs& inputs);

/// Where heads, widths and positions come from, whichever way the inputs were given.
struct AttendLayer {
  int heads{1};
  int kv_heads{1};     ///< of q, k and v
  int first_head{0};   ///< > 0 when one head of a layer was given alone
  int layer_heads{1};  ///< what the encoding is made for
  std::size_t batches{1};
  bool has_batch_axis{false};  ///< the inputs had one, and so have the outputs
  bool has_head_axis{false};   ///< even of one head: q, k and v had both axes
  Index d_model{};
  Index d_head{};
  Positions m, n;
  std::vector<std::vector<std::int32_t>> segments{};  ///< [N_k] of each batch entry, or of all
};

/// Throws UsageError and DataError for arrays that are no layer.
AttendLayer attend_layer(const ParamSet& params, const AttendInputs& in, const Tables& tables);

/// The segments of one batch entry's keys, and of its queries, which are the last of them; empty
/// where none are given. It points into the layout.
SegmentsIn segments_of(const AttendLayer& layout, std::size_t batch);

/// q, k and v of one batch entry without projections, read head by head; k stands in for an absent v.
/// `in` and `layout` must outlive the source.
template <class T>
LayerSource<T> source_of_qkv(const AttendInputs& in, const AttendLayer& layout, std::size_t batch);
/// The same with all heads in memory.
template <class T>
LayerInputs<T> layer_of_qkv(const AttendInputs& in, const AttendLayer& layout, std::size_t batch);

/// @param d_head  channels that it acts on
template <class T>
std::unique_ptr<Encoding> encoding_of(const ParamSet& params, const AttendLayer& layout,
                                      Index d_head, const Tables& tables);

}  // namespace orrery
