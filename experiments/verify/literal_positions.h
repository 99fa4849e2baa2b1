#pragma once

#include "experiments/verify/literal.h"

namespace orrery::literal {

// Sinusoids, rotations, buckets and slopes, from the papers' formulas alone.

/// The channels that RoPE rotates: pair t < turning/2 by the angle m·base^(−2t/denominator).
struct Rotary {
  Index turning{};      ///< channels that are rotated
  Index denominator{};  ///< of the frequencies' exponent
  Index offset{0};      ///< pair t is (t, t + offset), or (2t, 2t + 1) when the offset is 0
  double base{10000.0};
  std::vector<Real> scaled{};  ///< frequencies in place of base^(−2t/denominator), or none
  Real factor{1};              ///< by which rotated channels are multiplied
};
/// The frequency of pair t.
Real frequency(const Rotary& rotary, Index t);
/// All d channels, in neighbouring pairs: the paper's.
inline Rotary whole(Index d, double base = 10000.0) { return {d, d, 0, base}; }

/// Eq. (15), zero-based: base^(−2t/d).
Real theta(Index t, Index d, double base);
/// Eq. (34): x ⊗ cos + (−x_2, x_1, −x_4, x_3, …) ⊗ sin, row i at position at_i.
Rows turned(const Rows& x, const Positions& at, const Rotary& rotary);
/// Eq. (15): the block-diagonal R_m as a dense matrix.
Rows rotation(Index d, double base, Position m);
/// Eq. (12): pair t as the complex number z_t times e^{i m θ_t}.
Rows turned_as_complex(const Rows& x, const Positions& at, double base);
/// Eq. (12), (35): Σ_t Re[q_t k_t* e^{i r θ_t}].
Rows relative_scores(const Rows& q, const Rows& k, const Positions& m, const Positions& n,
                     const Rotary& rotary);

/// Eq. (35): h_t = q_[2t:2t+1] k*_[2t:2t+1] of one row each, and S_1 … S_{d/2}.
std::vector<std::complex<Real>> pair_products(const Rows& q, const Rows& k);
std::vector<std::complex<Real>> phasor_sums(Index d, double base, Position r);

/// Eq. (4): p_{i,2t} = sin(i/base^{2t/d}), p_{i,2t+1} = cos(…).
Rows sinusoids(const Positions& positions, Index d, double base);
/// All sines, then all cosines, of frequencies base^(−2t/d): Transformer-XL's order.
Rows concatenated_sinusoids(const Positions& positions, Index d, double base);
/// All sines, then all cosines, of frequencies base^(−t/(d/2 − 1)); an odd d ends in 0.
Rows tensor2tensor_sinusoids(const Positions& positions, Index d, double base);

/// The vectors of these positions, of a table that has position 0 in row `first`.
Rows rows_at(const Rows& table, const Positions& positions, Index first = 0);

/// T5's bucket for key − query.
Index t5_bucket(Position key_minus_query, Index buckets, Position max_distance, bool bidirectional);
/// DeBERTa's δ for query − key, and version 2's bucket of it, which may first be clamped to
/// ±(max_distance − 1).
Index deberta_delta(Position query_minus_key, Position k);
Position deberta_bucket(Position query_minus_key, Position buckets, Position max_distance,
                        bool clamped);
/// The slopes of ALiBi's heads, as its authors' get_slopes makes them.
std::vector<double> alibi_slopes(int heads);

}  // namespace orrery::literal
