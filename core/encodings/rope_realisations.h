#pragma once

#include "core/encodings/rope.h"

namespace orrery {

// RoPE written the two other ways the paper writes it. Rope itself rotates pair by pair, eq. (34),
// which is what a program uses; these are for reading, checking and teaching, and equal it to
// rounding. Both follow rope.convention(): pairing, partial rotation, and the roundings of position,
// inv_freq, angle and cos_sin (products and rotated vectors are not rounded), and muted bands,
// whose pairs become 0.

/// Eq. (15): R_m [d_head, d_head], block diagonal with the 2×2 rotations of eq. (13) by the angles
/// m·theta_t when pairs are interleaved; for half-split pairs the same with rows and columns
/// permuted. Channels that are not rotated have 1 on the diagonal. Unless bands are muted R_m is
/// orthogonal, R_mᵀ = R_{−m}, and R_m R_n = R_{m+n}; an attention factor a multiplies the blocks.
/// Accuracy: entries to 4·2^-53. Throws UsageError for |m| > 2^53.
template <class T>
Matrix<T> rope_matrix(const Rope<T>& rope, Position m);

/// Eq. (14): row i becomes R_{m_i} x_i, by a full matrix product. x [N, d_head] → [N, d_head].
/// Throws UsageError: one position a row, and as many channels as the rope has. Cost: 2 N d_head².
template <class T>
Matrix<T> rope_by_matrix(const Rope<T>& rope, PositionsIn m, const MatrixIn<T>& x);

/// Eq. (12): pair t of row i, read as the complex number z_t = x_a + i x_b, becomes
/// z_t·e^{i m_i theta_t}. x [N, d_head] → [N, d_head]. Throws as rope_by_matrix does. Cost: 6 N
/// d_head/2 flops and as many sincos as pairs.
template <class T>
Matrix<T> rope_by_complex(const Rope<T>& rope, PositionsIn m, const MatrixIn<T>& x);

/// Eq. (12), (35): g(q, k, m − n) = Re Σ_t q_t k_t* e^{i(m−n) theta_t}, and the plain products of
/// the channels that are not rotated: q_mᵀk_n without rotating either. q, k [d_head] as rows of
/// one. Throws UsageError for other shapes.
template <class T>
T rope_complex_score(const Rope<T>& rope, const MatrixIn<T>& q, const MatrixIn<T>& k, Position m,
                     Position n);

}  // namespace orrery
