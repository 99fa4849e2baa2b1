#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/multi_head.h"
#include "core/encodings/settings.h"
#include "experiments/arrays/attend_inputs.h"

namespace orrery {

// How attend reads its arrays, for either kernel.

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

/// Contents x of one batch entry, as they are. With the last one the values of x are freed.
template <class T>
Matrix<T> contents_of(AttendInputs& in, const AttendLayer& layout, std::size_t batch);

/// q, k and v of one batch entry without projections, read head by head; k stands in for an absent v.
/// Reading the last entry frees their values. `in` must outlive the source.
template <class T>
LayerSource<T> source_of_qkv(AttendInputs& in, const AttendLayer& layout, std::size_t batch);
/// The same with all heads in memory.
template <class T>
LayerInputs<T> layer_of_qkv(AttendInputs& in, const AttendLayer& layout, std::size_t batch);

/// @param d_head  channels that it acts on
template <class T>
std::unique_ptr<Encoding> encoding_of(const ParamSet& params, const AttendLayer& layout,
                                      Index d_head, const Tables& tables);

}  // namespace orrery
