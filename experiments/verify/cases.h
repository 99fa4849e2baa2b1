#pragma once

#include <string>
#include <vector>

#include "core/attention/multi_head.h"
#include "core/random.h"
#include "experiments/verify/ledger.h"

namespace orrery {

inline constexpr double paper_base = 10000.0;
inline constexpr Position far_shift = Position{1} << 40;

template <class T>
Rows wide(const Matrix<T>& narrow) {
  return narrow.template cast<double>();
}

/// Normals of deviation 1/√columns, in T: what a projection or a table holds.
template <class T>
Matrix<T> weights(Random& random, Index rows, Index columns) {
  return normal_matrix<T>(random, rows, columns, 1 / std::sqrt(static_cast<double>(rows)));
}

/// Contents of one head before its projections, the same tokens as queries and keys.
template <class T>
struct TokenCase {
  Index d{};
  Positions at;  ///< distinct, in no order, up to 1000
  Matrix<T> x;   ///< [N, d]
  Projections<T> w;
};

/// Queries, keys and values of a layer of two heads, and a stream for the encoding's tables. There
/// are fewer queries than keys, and distances of either sign, 0, and up to 1000.
template <class T>
struct LayerCase {
  static constexpr int heads = 2;
  Index d{};
  Random random;
  LayerInputs<T> in;

  Index d_model() const { return 2 * d; }
  double bound() const { return rounding_bound<T>(roundings_of(d_model())); }
  literal::Head head(int h) const {
    const auto at = static_cast<std::size_t>(h);
    return {wide(in.q[at]), wide(in.k[at]), wide(in.v[at]), in.m, in.n};
  }
  AttentionOutput<T> attend(const Encoding& encoding, int h, Position shift = 0,
                            const Scoring& scoring = {}) const;
};

/// d = 8, 64 and 128, `draws` of each. In fewer channels a product can cancel to nearly nothing,
/// and no bound relative to it would hold.
template <class T>
std::vector<TokenCase<T>> token_cases(const VerifyOptions& options);
/// d = 2, the plane of (13).
template <class T>
std::vector<TokenCase<T>> plane_cases(const VerifyOptions& options);
/// d = 8, 16 and 32, `draws` of each.
template <class T>
std::vector<LayerCase<T>> layer_cases(const VerifyOptions& options);

/// "d = 8 … 128, N = 7 … 24, 4 draws".
std::string over_tokens(const VerifyOptions& options);
std::string over_layers(const VerifyOptions& options);

/// Says of a relative encoding that its logits at positions shifted by 1000 and by 2^40 are the
/// literal ones of the positions as they were.
template <class T>
void relative_claim(Ledger<T>& ledger, const std::string& name, const std::string& label,
                    const LayerCase<T>& c, const Encoding& encoding, int h,
                    const literal::Terms& terms, double bound);

// One function per topic; each appends its claims.
void attention_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void head_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void rope_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void rope_variant_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void rope_scaling_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void relative_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void bias_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void printed_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void linear_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void sink_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void format_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void decay_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void registered_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void misprints(const VerifyOptions& options, std::vector<Claim>& claims);

}  // namespace orrery
