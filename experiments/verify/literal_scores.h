#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/verify/literal_positions.h"

namespace orrery::literal {

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
};
/// The numbers of [CLS] at position 0 where it is untied; its row wins over its column.
struct TupeCls {
  bool untied{false};
  Real theta_1{}, theta_2{};            ///< in place of the position term: its row, its column
  Index row_bucket{}, column_bucket{};  ///< of the bias; −1 for none
};
/// (a_i U_q + b_q)·(b_j U_k + b_k)/√(2d).
Real tupe_correlation(const TupeWeights& w, const Rows& a, Index i, const Rows& b, Index j);
Terms tupe(const Head& head, const Rows& p_m, const Rows& p_n, const TupeWeights& w,
           const TupeCls& cls);

/// He et al. 2021 (4). K_r, Q_r [2k, d] of this head; row(r) is δ.
struct DebertaTables {
  Rows K_r, Q_r;
  std::function<Index(Position)> row;
};
enum class DebertaForm { paper, code };  ///< position_to_content reads δ(n, m), or δ(m, n)
Terms deberta(const Head& head, const DebertaTables& tables, DebertaForm form, bool c2p = true,
              bool p2c = true);

/// Press et al. 2022 §3.
Terms alibi(const Head& head, double slope, bool causal);

}  // namespace orrery::literal
