#pragma once

#include <vector>

#include "experiments/search/pair_phasors.h"

namespace orrery {

/// A way of pairing channels, with the turns of its pairs.
struct StructureFit {
  WrittenRope rope{};  ///< pairing, slice and order; its frequencies mean nothing
  PairPhasors phasors{};
};

/// The ways of pairing channels that keep lengths in the sample, the best first: both pairings, the
/// usual slices at either end of the head, y in the same order or in that of the other pairing.
/// Never empty.
std::vector<StructureFit> likely_structures(const RotationSample& sample);

/// Sections of M-RoPE in proportion to those of released models, in both designs, as ropes that are
/// `rope` otherwise. For positions of three axes.
std::vector<WrittenRope> with_usual_sections(const WrittenRope& rope);

/// Slices at either end of the head outside of which the sample's channels stay as they are or are
/// multiplied by one number, the narrowest first; the whole head is the last.
std::vector<WrittenRope> possible_slices(const RotationSample& sample);

/// The structures with which all known ropes are tried if none can be estimated: the two likeliest
/// pairings, p-RoPE on each pairing, and the wirings that do not keep lengths. Their frequencies
/// mean nothing.
std::vector<WrittenRope> ways_to_turn(const RotationSample& sample);

/// Ropes of released models, and the usual bases with each pairing and each wiring, for tensors too
/// short to estimate anything from. With several axes also their usual sections.
std::vector<WrittenRope> released_ropes(Index d_head, std::size_t axes);

}  // namespace orrery
