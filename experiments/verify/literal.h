#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/types.h"

namespace orrery::literal {

// Attention as the papers print it, in loops and with sums in long double: slow, plain, and sharing
// nothing with the core but the matrix type. Positions are in literal_positions.h, and what each
// paper makes of them in literal_scores.h.

using Rows = Matrix<double>;
using Real = long double;

/// A b, entry by entry.
Rows product(const Rows& a, const Rows& b);
/// q_m·k_n/scale for every pair.
Rows scores(const Rows& q, const Rows& k, double scale);
/// score(i, j) for every pair.
Rows pairs(Index queries, Index keys, const std::function<Real(Index, Index)>& score);
/// Σ_c a_ic b_jc.
Real dot(const Rows& a, Index i, const Rows& b, Index j);
/// The columns of head h, of `width` each.
Rows head_columns(const Rows& w, Index h, Index width);

/// Whether query i sees key j.
using Visible = std::function<bool(Index, Index)>;
inline bool everything(Index, Index) { return true; }

/// Eq. (2): row by row exp(logit)/Σ exp(logit) over the visible keys; a row that sees none is 0.
Rows softmax(const Rows& logits, const Visible& visible = everything);

/// Eq. (17)–(19): what the numerator and the denominator sum over n, and what follows from them.
struct KernelAttention {
  Rows weights;       ///< above/Σ below
  Rows output;        ///< weights times v
  Rows numerators;    ///< [N_q, 1]: Σ_n above
  Rows denominators;  ///< [N_q, 1]: Σ_n below + epsilon
};
KernelAttention kernel_attention(const Rows& above, const Rows& below, const Rows& v,
                                 const Visible& visible = everything, double epsilon = 0);

/// elu(x) + 1 and max(x, 0) of every entry.
Rows elu_plus_one(const Rows& x);
Rows relu(const Rows& x);
/// FAVOR+: M^(−1/2) exp(w_r·x' − |x'|²/2), x' = x/d^(1/4). w [M, d].
Rows favor(const Rows& x, const Rows& w);
/// Each row less its mean and over its deviation, √(variance + 1e-5).
Rows layer_norm(const Rows& rows, const Rows& gain, const Rows& bias, Real epsilon = 1e-5L);

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

// The named terms of the logits, as the cited papers define them, pair by pair.

/// Queries, keys and values of one head, and their positions.
struct Head {
  Rows q, k, v;
  Positions m, n;

  Position r(Index i, Index j) const {
    return m[static_cast<std::size_t>(i)] - n[static_cast<std::size_t>(j)];
  }
};

struct Term {
  std::string name;
  Rows logits;
};
using Terms = std::vector<Term>;

Rows sum_of(const Terms& terms);

/// Eq. (6): x, p [N, d_model] of queries and of keys, and the head's projections.
Terms four_terms(const Rows& x_m, const Rows& p_m, const Rows& x_n, const Rows& p_n,
                 const Rows& W_q, const Rows& W_k);

/// Shaw et al. 2018 (3), (4): a^K, a^V of clip(n − m, −left, right), key minus query, tables [left
/// + right + 1, d] from −left on, or from right on; with q·a alone, or Huang et al.'s q·a + k·a.
struct ShawShape {
  Position left{}, right{};
  bool from_right{false};
  bool of_keys{false};

  Index row_of(Position ahead) const;
};
Terms shaw(const Head& head, const Rows& keys, const ShawShape& shape);
Rows shaw_output(const Head& head, const Rows& weights, const Rows& values, const ShawShape& shape);
/// The paper's: left = right = clip.
inline ShawShape clipped(Position clip) { return {clip, clip}; }

/// Dai et al. 2019 §3.3, with r_D = W_kR R_D. u, v [1, d], W_kR [d_model, d] of this head.
Terms transformer_xl(const Head& head, const Rows& u, const Rows& v, const Rows& W_kR, double base);

/// Yang et al. 2019 §2.5: (q_m + s)·g_0/√d where query and key are of one segment, g_1 elsewhere. s
/// [1, d], g [2, d] of this head.
using Ids = std::vector<std::int32_t>;
Term segment(const Head& head, const Rows& s, const Rows& g, const Ids& queries, const Ids& keys);

/// Raffel et al. 2020 §2.1. bias [buckets, 1] of this head.
struct T5Shape {
  Index buckets{32};
  Position max_distance{128};
  bool bidirectional{true};
};
Terms t5(const Head& head, const Rows& bias, const T5Shape& shape);

/// Ke et al. 2021 (8), (10): p [N, d_model] of each query and key; projections and bias of this
/// head.
struct TupeWeights {
  Rows U_q, U_k;  ///< [d_model, d]
  Rows b_q, b_k;  ///< [1, d], added to what U_q and U_k give
  Rows bias;      ///< [32 or 33, 1], or empty

  /// The numbers of [CLS] at position 0 where it is untied; its row wins over its column.
  struct Cls {
    bool untied{false};
    Real theta_1{}, theta_2{};            ///< in place of the position term: its row, its column
    Index row_bucket{}, column_bucket{};  ///< of the bias; −1 for none
  };
};
/// (a_i U_q + b_q)·(b_j U_k + b_k)/√(2d).
Real tupe_correlation(const TupeWeights& w, const Rows& a, Index i, const Rows& b, Index j);
Terms tupe(const Head& head, const Rows& p_m, const Rows& p_n, const TupeWeights& w,
           const TupeWeights::Cls& cls);

/// He et al. 2021 (4). K_r, Q_r [2k, d] of this head; row(r) is δ.
struct DebertaTables {
  enum class Form { paper, code };  ///< position_to_content reads δ(n, m), or δ(m, n)
  Rows K_r, Q_r;
  std::function<Index(Position)> row;
};
Terms deberta(const Head& head, const DebertaTables& tables, DebertaTables::Form form,
              bool c2p = true, bool p2c = true);

/// Press et al. 2022 §3.
Terms alibi(const Head& head, double slope, bool causal);

}  // namespace orrery::literal
