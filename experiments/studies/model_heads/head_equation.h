#pragma once

#include <optional>

#include "core/attention/mask.h"
#include "experiments/studies/model_heads/figures.h"

namespace orrery {

/// The logits of the chosen head as the sum of its pairs of RoPE, or of the terms of its encoding, in
/// maps; none where WhatIf::terms is empty.
///
/// @param mask  of the head's layer, under the edits
std::optional<Figure> equation_figure(const HeadsFound& found, const Mask& mask);

/// Whether they are that sum, under the softcap where there is one.
Check equation_check(const HeadTerms& terms, const Mask& mask);

}  // namespace orrery
