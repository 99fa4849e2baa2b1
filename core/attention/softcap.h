#pragma once

#include "core/types.h"

namespace orrery {

/// l ← c tanh(l/c) for every logit; c = 0 leaves them as they are.
/// Source: Gemma 2 (2024) §2.
template <class T>
void cap_logits(double c, Matrix<T>& logits);

/// d ← d (1 − (l/c)²): ∂loss by logits before cap_logits, from that by those behind it.
///
/// @param capped  l, as cap_logits left them [as d]; not read for c = 0
template <class T>
void pull_cap_back(double c, const Matrix<T>& capped, Matrix<T>& d);

}  // namespace orrery
