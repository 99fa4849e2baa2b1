#pragma once

#include "core/encoding.h"

namespace orrery {

/// The content term q_m·k_n/√d of eq. (2). [N_q, N_k].
/// Throws UsageError when q and k have different numbers of channels, or none.
template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in);

}  // namespace orrery
