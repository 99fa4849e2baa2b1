#pragma once

#include "experiments/studies/linear_attention/variants.h"

namespace orrery {

// How large the effects are that linear attention's checks claim to be there, each computed by its
// formula and not by the attention that is checked. Where rounding may be as large, there is
// nothing to claim. Of some queries, spread evenly over the sequence.

/// max |1 − Σ_n A_mn| of eq. (19): Σ_n Σ_t Re h_t e^{i(m−n)θ_t} over Σ_n φ(q_m)·φ(k_n).
double expected_sum_error(const LinearInputs& in, const FeatureMap<double>& features);

/// The largest change of a weight when all positions move by `shift` and φ follows the rotation.
double expected_shift_change(const LinearInputs& in, const FeatureMap<double>& features,
                             Position shift);

/// The number of features at which FAVOR+ knows half of the kernel's values e^{q·k/√d} to within
/// themselves: the median of e^{‖q + k‖²/√d} − 1, the variance of one feature over the square of
/// its mean (Choromanski et al. 2021, Lemma 2), q and k rotated.
double features_to_resolve(const LinearInputs& in);

}  // namespace orrery
