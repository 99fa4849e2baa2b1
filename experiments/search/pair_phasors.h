#pragma once

#include <complex>
#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// By how much each pair of channels turned in each row, as unit complex numbers pooled over heads.
struct PairPhasors {
  Matrix<std::complex<double>> turns{};  ///< [pairs, rows]; 0 where the pair is zero in all heads
  Matrix<double> weights{};              ///< [pairs, rows]: |x|² of the pair, relative to the mean
  double amplitude{1.0};                 ///< a: the common stretch of the pairs
  bool others_stretched{};               ///< channels that have no pair are multiplied by a as well
  double roundoff{0};                    ///< unit roundoff of the tensor
  double misfit{0};  ///< mean square of what turns and a leave unexplained, in units of rounding²
};

/// Takes the tensor for turned pairs of `structure`, whose frequencies do not matter here: solves
/// y = a e^{iφ} x for an angle of each pair and row and one a of all. Channels outside of the pairs
/// must stay as they are. A wrong pairing shows in the misfit: lengths of its pairs are not kept.
PairPhasors pair_phasors(const WrittenRope& structure, const RotationSample& sample);

/// A frequency found in the data, in rad per position, counter-clockwise.
struct FrequencyEstimate {
  double theta{};
  double error{};   ///< standard error
  double period{};  ///< theta is known up to multiples of it: 2π over the smallest gap of positions
};

/// The slope of each pair's angle over position, by phase differences over growing distances, each
/// of which is unwrapped by the one before. Common offsets of positions do not matter, and rows
/// that do not follow the first ones end the growth. Rounding leaves small turns undone, which no
/// number of rows averages away: errors are at least 0.3 roundoffs of angle. Empty when all
/// positions are equal.
std::vector<FrequencyEstimate> estimate_frequencies(const PairPhasors& phasors,
                                                    const std::vector<Position>& positions);

/// The same with positions of several axes, each pair along its own: axes_of(rope, axes). Pairs
/// along an axis that stands still have an infinite error.
std::vector<FrequencyEstimate> estimate_frequencies(const PairPhasors& phasors,
                                                    const AxisPositions& positions,
                                                    const std::vector<std::size_t>& axes);

}  // namespace orrery
