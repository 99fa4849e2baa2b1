#pragma once

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

}  // namespace orrery
