#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace orrery {

/// Which keys each query may see, [N_q, N_k]. The default lets every query see every key.
class Mask {
 public:
  Mask() = default;
  /// allowed(i, j) non-zero where query i sees key j.
  explicit Mask(Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> allowed)
      : allowed_(std::move(allowed)), everything_(false) {}

  /// Keys at or behind the query: n ≤ m. By position, so offsets and cached keys are right.
  static Mask causal(PositionsIn m, PositionsIn n);
  /// Keys nearer than `width` on either side: |m − n| < width. Throws UsageError for width < 1.
  static Mask sliding_window(PositionsIn m, PositionsIn n, Position width);
  /// Keys that are not padding: one flag a key, for every query.
  static Mask padding(Index queries, const std::vector<bool>& key_is_real);

  bool allows(Index query, Index key) const { return everything_ || allowed_(query, key); }
  bool allows_everything() const { return everything_; }
  /// Throws UsageError when a mask of another shape meets a score matrix of this one.
  void check_shape(Index queries, Index keys) const;

  /// What both allow. Throws UsageError when the shapes differ.
  friend Mask operator&(const Mask& a, const Mask& b);

 private:
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> allowed_;
  bool everything_{true};
};

}  // namespace orrery
