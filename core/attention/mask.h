#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace orrery {

/// Which keys each query may see, [N_q, N_k], and what is added to the logits of those that it
/// sees. The default lets every query see every key and adds nothing.
class Mask {
 public:
  Mask() = default;
  /// allowed(i, j) non-zero where query i sees key j.
  explicit Mask(Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> allowed)
      : allowed_(std::move(allowed)), everything_(false) {}

  /// Keys at or behind the query: n ≤ m. By position, so offsets and cached keys are right. Throws
  /// UsageError for a position beyond ±2^53.
  static Mask causal(PositionsIn m, PositionsIn n);
  /// Keys nearer than `width` on either side: |m − n| < width. Throws UsageError for width < 1
  /// and for a position beyond ±2^53.
  static Mask sliding_window(PositionsIn m, PositionsIn n, Position width);
  /// Keys that are not padding: one flag per key, for every query.
  static Mask padding(Index queries, const std::vector<bool>& key_is_real);

  /// A mask as PyTorch and Transformers add it to the logits: values [N_q, N_k] that hide(), and
  /// others, 0 among them, that are added. Where it hides it adds nothing.
  static Mask additive(Matrix<double> values);
  /// Whether a value of an additive mask hides its key: −inf, the lowest number of fp16 (−65504),
  /// and the lowest of bf16 (−3.39e38) and whatever lies below it, such as the lowest of fp32 and
  /// of fp64. Weights are then exactly 0, also in a row without any key to see, where a softmax
  /// over such sums would weigh all keys alike.
  static bool hides(double value);

  bool allows(Index query, Index key) const { return everything_ || allowed_(query, key); }
  /// Whether it is as if there were no mask: everything is seen and nothing added.
  bool allows_everything() const { return everything_; }
  /// The values added to the logits, [N_q, N_k], 0 where a key is hidden; null for none.
  const Matrix<double>* added() const { return added_.size() > 0 ? &added_ : nullptr; }
  /// Throws UsageError when a mask of another shape meets a score matrix of this one.
  void check_shape(Index queries, Index keys) const;

  /// Allows what both masks allow, and adds the sum of what both add. Throws UsageError when the
  /// shapes differ.
  friend Mask operator&(const Mask& a, const Mask& b);

 private:
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> allowed_;
  Matrix<double> added_{};
  bool everything_{true};
};

}  // namespace orrery
