#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "experiments/identify/rotation_sample.h"
#include "experiments/identify/written_rope.h"

namespace orrery {

/// By how much each pair of channels turned in each row, as unit complex numbers pooled over heads.
struct PairPhasors {
  Matrix<std::complex<double>> turns{};  ///< [pairs, rows]; 0 where the pair is zero in all heads
  Matrix<double> weights{};              ///< [pairs, rows]: |x|² of the pair, relative to the mean
  double amplitude{1.0};                 ///< a: the common stretch of the pairs
  bool others_stretched{};               ///< channels that have no pair are multiplied by a as well
  double roundoff{0};                    ///< unit roundoff of the tensor
  double unit{1};                        ///< what 1 of the positions is worth
  double misfit{0};  ///< mean square of what turns and a leave unexplained, in units of rounding²
};

/// Takes the tensor for turned pairs of `structure`, whose frequencies do not matter here: solves
/// y = a e^{iφ} x for an angle of each pair and row and one a of all. Channels outside of the pairs
/// must stay as they are. A wrong pairing shows in the misfit: lengths of its pairs are not kept.
PairPhasors pair_phasors(const WrittenRope& structure, const RotationSample& sample);

/// Of so many steps, the first at which Σ Re(hands) is largest, each hand turned by its own factor
/// from one step to the next.
Index best_step(std::vector<std::complex<double>> hands,
                const std::vector<std::complex<double>>& factors, Index steps);

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

/// What a row misses of the angle that it turned by: what the tensor rounds, and what fp32 leaves of
/// angles. [rad]
double noise_of(const PairPhasors& phasors, double turned);

/// The same in roundings of the tensor; one of a tensor of fp64, whose angles may be as fine.
double noise_of_angle(const PairPhasors& phasors, double angle);

/// The frequency at which rows have turned from position 0, of those that the estimate leaves open:
/// rows are further away from 0 than from each other. Turning as most pairs do.
FrequencyEstimate frequency_from_zero(const PairPhasors& phasors, Index t,
                                      const AxisPositions& positions, Index axis,
                                      FrequencyEstimate estimate, bool clockwise);

/// Whether most pairs that turn by more than their error turn clockwise.
bool turn_clockwise(const std::vector<FrequencyEstimate>& estimates);

/// Mean square of what a rope's frequencies differ from estimates, in standard errors, none beyond
/// `most`: a few wrong pairs must not hide a rope.
double misfit_of(const WrittenRope& rope, const std::vector<FrequencyEstimate>& estimates,
                 double most);

/// A way of pairing channels, with the turns of its pairs.
struct StructureFit {
  WrittenRope rope{};  ///< pairing, slice and order; its frequencies mean nothing
  PairPhasors phasors{};
};

/// The ways of pairing channels that keep lengths in the sample, the best first: both pairings, the
/// usual slices at either end of the head, y in the same order or in that of the other pairing.
/// Never empty.
std::vector<StructureFit> likely_structures(const RotationSample& sample, std::size_t most = 8);

/// Sections of M-RoPE in proportion to those of released models, in both designs, as ropes that are
/// `rope` otherwise. For positions of three axes.
std::vector<WrittenRope> with_usual_sections(const WrittenRope& rope);

/// Slices at either end of the head outside of which the sample's channels stay as they are or are
/// multiplied by one number, the narrowest first; the whole head is the last.
std::vector<WrittenRope> possible_slices(const RotationSample& sample);

/// Ropes of released models, and the usual bases with each pairing and each wiring, for tensors too
/// short to estimate anything from. With several axes also their usual sections.
std::vector<WrittenRope> released_ropes(Index d_head, std::size_t axes);

/// Ropes of one base that the fastest pairs follow at these positions, as precisely as these are far
/// from 0; for one axis.
std::vector<WrittenRope> ropes_in_series(const StructureFit& structure,
                                         const AxisPositions& positions);

/// Every kind of scaling with known factors and lengths, none among them.
std::vector<RopeScaling> known_scalings();

/// Ropes with the channels of `structure` whose frequencies come near the estimates, best first, at
/// most `most`: a base fitted to the slope of ln theta, with each scaling of known factors and
/// lengths; denominators other than r; p-RoPE; exponents without their sign. The base is looked for
/// in the fast pairs, which scalings leave alone, the factor in the slow ones; `bases` are tried too.
std::vector<WrittenRope> fit_families(const WrittenRope& structure,
                                      const std::vector<FrequencyEstimate>& estimates,
                                      std::size_t most, const std::vector<double>& bases = {});

}  // namespace orrery
