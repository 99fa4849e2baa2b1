#pragma once

#include "core/encoding.h"

namespace orrery {

/// a bᵀ. [rows of a, rows of b]. Throws as scaled_product does.
template <class T>
Matrix<T> unscaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// a bᵀ/√(terms·d), d the channels of both: the product behind every term, with the scale 1/√(2d)
/// or 1/√(3d) of papers that add two or three of them. [rows of a, rows of b]. Throws UsageError
/// when a and b have different numbers of channels, or none.
template <class T>
Matrix<T> scaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b, int terms);

/// The content term q_m·k_n/√d of eq. (2). [N_q, N_k].
/// Throws UsageError when q and k have different numbers of channels, or none.
template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in);

}  // namespace orrery
