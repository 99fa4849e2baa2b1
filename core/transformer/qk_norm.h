#pragma once

#include "core/transformer/design.h"

namespace orrery {

/// Queries or keys of all heads, normalised over the channels of each head or of all together, as
/// the design says. [N, heads·d_head]
///
/// Throws UsageError as normalised does.
template <class T>
Matrix<T> normed_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                       const Matrix<T>& all);

/// d ← ∂loss by `all`, from that by normed_heads(design, w, d_head, all). [as all]
///
/// @param d_w  gains what pull_back_norm says of it
template <class T>
void pull_back_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                     const Matrix<T>& all, Matrix<T>& d, NormWeights<T>& d_w);

}  // namespace orrery
