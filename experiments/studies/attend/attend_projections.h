#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/attend/attend_layer.h"

namespace orrery {

// Which keys the queries of attend see: causal, window, a mask of one's own, and padding.

/// mask, mask_kind and padding.
std::vector<ParamSpec> mask_params();

/// The masks of every batch entry. It refers to the inputs, which outlive it.
class UserMask {
 public:
  /// Throws UsageError for a mask whose kind does not follow from its values, and DataError for
  /// values that its kind does not have and for shapes that do not fit.
  UserMask(const ParamSet& params, const AttendInputs& in, const AttendLayer& layout);

  MaskSpec of_batch(std::size_t batch) const;
  /// How mask and padding were read, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Mask mask_of(std::size_t batch, std::size_t head) const;
  void read_mask(const ParamSet& params);
  void read_padding();

  const AttendInputs& in_;
  const AttendLayer& layout_;
  MaskSpec common_;
  std::string kind_{};
  std::vector<std::size_t> mask_shape_{};  ///< [batch, head, query, key], each 1 or all
  std::vector<std::string> notes_{};
};

// W_q, W_k, W_v, W_o and b_q, b_k, b_v, b_o of attend, and how these and the projections that an
// encoding has of its own are stored.

/// weights: how the matrices are stored.
ParamSpec weights_param();

/// A file for each of these eight: those of q, k and v are read beside contents x.
std::vector<ParamSpec> projection_params();

/// The tables with W_q, W_k, W_v, W_o and the encoding's projections of positions as they are
/// applied from the right, x·W: with weights=torch_linear they are transposed. Throws UsageError
/// where one is given without saying how it is stored, and the other way round, and for a b_o
/// without W_o.
Tables applied_from_the_right(const ParamSet& params, Tables tables);

/// The projections of contents x: W_q, W_k, W_v, the identity where one is not given, with their
/// biases. Nothing when q, k and v are given. Throws UsageError for shapes that do not fit, and
/// says so when the other way of storing would fit.
template <class T>
std::optional<LayerProjections<T>> projections_of(const ParamSet& params, const AttendInputs& in,
                                                  const Tables& tables, const AttendLayer& layout);

/// Channels of W_o, which takes `width` of the heads' outputs side by side. Throws UsageError for a
/// W_o or b_o that does not fit.
template <class T>
Index output_channels(const ParamSet& params, const Tables& tables, Index width);
/// b_o, [1, channels], or empty.
template <class T>
Matrix<T> output_bias(const Tables& tables, Index channels);

}  // namespace orrery
