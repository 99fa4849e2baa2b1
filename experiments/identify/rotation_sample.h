#pragma once

#include <optional>
#include <vector>

#include "core/precision.h"
#include "experiments/identify/written_rope.h"

namespace orrery {

/// A tensor before and after a rotation, [heads·rows, d] each, head by head.
struct RotatedTensor {
  Index heads{1};
  MatrixIn<double> before;
  MatrixIn<double> after;
  AxisPositions positions;  ///< [rows, axes]
  Precision format{Precision::fp32};
  Index sequences{1};  ///< of a batch, heads/sequences heads each
  double unit{1};      ///< what 1 of the positions is worth

  Index rows() const { return before.rows() / heads; }
  Index channels() const { return before.cols(); }
};

/// The narrowest format whose numbers all these are: bf16, fp16, fp32 or fp64. Zeros and short
/// integers are numbers of all formats, so that a tensor of ones is bf16.
Precision narrowest_format(const MatrixIn<double>& values);

/// Whether all numbers are finite, in vectors; Eigen's allFinite looks at one number after another.
bool all_finite(const MatrixIn<double>& values);

/// Rows and heads of a tensor that every hypothesis meets.
inline constexpr Index sampled_rows = 96, sampled_heads = 4;

/// Rows of some heads, copied: few enough to try hypotheses on.
struct RotationSample {
  RowPlaces places{};
  Matrix<double> before{};  ///< [H·N, d]
  Matrix<double> after{};
  Matrix<double> unit{};   ///< [H·N, d]: the unit of the residual of each number of `after`
  Matrix<double> slack{};  ///< [H·N, d]: half a unit in the last place, which is no residual
  Precision format{Precision::fp32};

  Index rows() const { return static_cast<Index>(places.rows.size()); }
  Index heads() const { return static_cast<Index>(places.heads.size()); }
};

/// Rows from the beginning, then ever fewer, and the last ones; heads spread over all.
RotationSample sample_of(const RotatedTensor& tensor, Index most_rows, Index most_heads);

/// How far a hypothesis is from a tensor, in units of rounding: u·√((y² + x̄²)/2) for a number y of
/// a row whose mean square is x̄², u the unit roundoff of its format. What rounding to the nearest
/// number of the format explains, half a unit in the last place, counts as 0: otherwise a slow pair
/// that rounding has left unturned would speak for a rope that does not turn it.
struct Residual {
  double sum_of_squares{0};
  double capped_sum{
      0};  ///< of squares, beyond 100 by order of magnitude: rows of another rule weigh little
  double count{0};
  double largest{0};
  double largest_relative{0};  ///< |y − ŷ| over the root mean square of its row

  double rms() const;
  Residual& operator+=(const Residual& other);
};

Residual residual_of(const WrittenRope& rope, const RotationSample& sample);

/// The same beyond what fp32 leaves of angles, and of cosines and sines that tensors finer than fp32
/// show: a frequency and an angle are off by half a unit in the last place each, and libraries
/// differ by a unit or two: a pair misses p·θ_t by up to 5e-7 of it.
Residual residual_beyond_angles(const WrittenRope& rope, const RotationSample& sample);

/// Σ of squares of the residual of each row, over heads and channels.
std::vector<double> row_misfits(const WrittenRope& rope, const RotationSample& sample);

/// Which heads, rows and channels of a sample a rope explains, each counted in the sample.
struct Agreement {
  std::vector<Index> heads{}, rows{}, channels{};
};

/// Rows whose residual is below a rounding; channels and heads over these rows, or over all where
/// there are none. least: the root mean square residual that agrees.
Agreement agreement_of(const WrittenRope& rope, const RotationSample& sample, double least);

/// The same of several over the whole tensor, block by block: each is copied and measured once for
/// all of them. Any number of threads gives the same numbers.
std::vector<Residual> residuals_of(const std::vector<WrittenRope>& ropes,
                                   const RotatedTensor& tensor, int threads);

/// The rows from `first` to before `last` of at most that many heads.
RotationSample rows_between(const RotatedTensor& tensor, Index first, Index last, Index most_heads);

/// Root mean square of the residual by channel and row, over heads. [d, rows]
Matrix<double> residual_map(const WrittenRope& rope, const RotationSample& sample);

}  // namespace orrery
