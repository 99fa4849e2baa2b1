#pragma once

#include <functional>

#include "core/types.h"

namespace orrery {

/// What a forward pass computes, by name.
enum class Quantity {
  hidden,   ///< the residual stream [N, d_model]: behind the embedding (layer 0) and each layer
  queries,  ///< q [N, d_head] of a head, after norm and position
  keys,     ///< k [N, d_head] of a kv head, after norm and position
  values,   ///< v [N, d_value] of a kv head
  logits,   ///< [N, N] of a head, final but for the mask
  weights,  ///< [N, N] of a head
  moved_logits,  ///< of keys whose contents PassOptions::moved_keys has moved, behind `weights`
  head_output,   ///< Σ_n a_mn v_n [N, d_value] of a head: what W_o reads
  attention,     ///< what attention adds to the residual stream [N, d_model]
  memory,        ///< what attention to an encoder's output adds to it [N, d_model]
  feed_forward,  ///< what feed-forward adds to it [N, d_model]
};

/// Where a number was computed.
struct Site {
  Quantity quantity{};
  int layer{};       ///< counted from 0; of `hidden`, how many layers are behind it
  int head{};        ///< 0 where heads share the quantity
  bool of_memory{};  ///< whether it belongs to a decoder's attention to its encoder
};

/// Looks at a forward pass. What no reader wants is neither kept nor, where it can be avoided,
/// computed: maps of attention above all.
template <class T>
struct Probe {
  /// Whether `see` is called there; asked once per site and pass.
  std::function<bool(const Site&)> wants{};
  /// Gets the rows from `first` on; one call after the other, in the order of the pass.
  std::function<void(const Site&, Index first, const MatrixIn<T>& rows)> see{};
  /// Takes maps of different heads of a layer at the same time, each head's from one thread and in
  /// order.
  bool heads_at_once{false};
  /// Takes rows of maps without the keys behind the last that one of their queries sees.
  bool in_sight{false};

  bool wanted(const Site& site) const { return wants && wants(site); }
};

}  // namespace orrery
