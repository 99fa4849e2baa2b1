#pragma once

#include <memory>
#include <vector>

#include "core/types.h"

namespace orrery {

/// Rotations of pairs of channels by m·theta_t at any position m, a few operations per pair: m =
/// 1024 a + 32 b + c, and e^{imθ} is the product of e^{i 1024 a θ}, e^{i 32 b θ} and e^{icθ}. The
/// last two come from tables of 32 rows each, the first is evaluated where a changes. Each is
/// rotation_at's to 4·2^-53, and so cos and sin are off by at most 20·2^-53 at every position to
/// ±2^53; they depend on the position alone, not on the rows beside it.
class RotationTable {
 public:
  /// theta in rad per token; rotated pairs are multiplied by `amplitude` too. The tables are
  /// computed when first needed, once for all copies: 64 sincos per frequency.
  explicit RotationTable(const std::vector<double>& theta, double amplitude = 1.0);

  double amplitude() const { return amplitude_; }

  /// Pairs (2t, 2t + 1) of row i of x turn by m_i·theta_t: y_a = x_a cos − x_b sin, y_b = x_a sin +
  /// x_b cos. One position per row, none beyond ±2^53; x at least 2·theta.size() wide.
  template <class T>
  void rotate_interleaved(PositionsIn m, MatrixOut<T> x) const;
  /// The same of pairs (t, t + theta.size()).
  template <class T>
  void rotate_half_split(PositionsIn m, MatrixOut<T> x) const;

 private:
  struct Rows {
    Matrix<double> cos;
    Matrix<double> sin;  ///< both [rows, pairs]
  };
  struct Tables;
  class Anchor;

  Rows rows(Position first, Position spacing, Index count) const;
  const Tables& tables() const;
  template <class T, class Kernel>
  void rotate(const Kernel& kernel, PositionsIn m, MatrixOut<T> x) const;

  std::vector<double> theta_;
  double amplitude_;
  std::shared_ptr<Tables> tables_;
};

}  // namespace orrery
