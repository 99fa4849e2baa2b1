#pragma once

#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// theta of `pairs` pairs, 2·pairs = r, after scaling, rad per token. fp64 is the formula; in
/// another format each step is rounded to fp32 in the order of Transformers
/// (modeling_rope_utils.py), and the result to the format. Throws UsageError: s < 1 or a length, a
/// factor or a number of rotations that is not positive and finite, beta_fast ≤ beta_slow,
/// high_freq_factor ≤ low_freq_factor, or as many factors as there are pairs not given.
std::vector<double> scaled_frequencies(Index pairs, double base, const RopeScaling& scaling,
                                       Precision format);

/// a, by which implementations multiply cos and sin, and so q and k; logits gain a². With
/// g(s, m) = 0.1 m ln s + 1 it is g(s, 1) for yarn, or g(s, mscale)/g(s, mscale_all_dim) where
/// neither is 0; √(1 + ln s / ln L0) for longrope; 1 for the others.
double attention_factor(const RopeScaling& scaling);

/// theta of each pair after scaling, rad per token of its axis; those of p-RoPE's last pairs and of
/// time_still's axis 0 are 0. [pairs_of] The format is that of scaled_frequencies, whose errors it
/// throws.
std::vector<double> frequencies_of(const RopeConvention& convention, Precision format);
/// The same, negative where the rope turns clockwise: angles per token.
std::vector<double> turning_of(const RopeConvention& convention, Precision format);

}  // namespace orrery
