#pragma once

#include <optional>
#include <vector>

#include "experiments/identify/rotation_sample.h"

namespace orrery {

/// xPos: pair t of the row at m is multiplied by ζ_t^((m − c)/B), ζ_t = (2t/r + γ)/(1 + γ), of keys
/// by its inverse.
struct MeasuredDecay {
  WrittenRope slice{};  ///< pairing and channels; its frequencies mean nothing
  double gamma{0.4};
  double scale_base{512};  ///< B, tokens; negative of keys
  double centre{};         ///< c
};

/// The decay that lengths of pairs show, where they are not kept and all rows follow one. Along one
/// axis.
std::optional<MeasuredDecay> measured_decay(const RotationSample& sample);

/// The factors of a row at m, [r/2].
std::vector<double> factors_of(const MeasuredDecay& decay, Position m);

/// Channels in pairs that keep their length in every row and head, [r/2], the fastest first where
/// rows follow each other; they need not lie as any program has them. Empty where some channel that
/// moves has no partner.
std::vector<ChannelPair> measured_pairs(const RotationSample& sample);

}  // namespace orrery
