#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/multi_head.h"
#include "core/attention/softmax_attention.h"
#include "core/precision.h"
#include "core/random.h"
#include "experiments/verify/claims.h"
#include "experiments/verify/literal.h"

namespace orrery {

using literal::Rows;

/// max |library − literal| in units of max |literal|. NaN when an entry is NaN, and when the shapes
/// differ. T is float or double.
template <class T>
double relative_error(const Matrix<T>& library, const Rows& literal);

/// 3 √n u, with u the unit roundoff of T: a bound of the relative error after n independent roundings
/// of mean zero, exceeded at most once in a thousand times. Source: Higham and Mary 2019, theorem
/// 2.4 with λ = 3; sums of products here stay far below it, because their partial sums do not
/// reach their last size at once.
template <class T>
double rounding_bound(Index roundings) {
  const double u = unit_roundoff(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
  return 3 * std::sqrt(static_cast<double>(roundings)) * u;
}

/// The roundings behind an entry that is a product of d channels of factors that are themselves
/// sums of d products, rotated, scaled and added to others.
constexpr Index roundings_of(Index d) { return 2 * d + 16; }

/// The error of an angle m θ because θ is held as a double: |m| 2^-53.
inline double angle_bound(Position farthest) { return static_cast<double>(farthest) * 0x1p-53; }

/// The same in a product of d channels, whose losses are independent of each other.
inline double averaged_angle_bound(Position farthest, Index d) {
  return 2 * angle_bound(farthest) / std::sqrt(static_cast<double>(d));
}

/// The bound of logits carried over to weights and outputs: exp makes an absolute error of a logit
/// a relative one of its weight.
double softmax_bound(const Rows& logits, double bound);

/// The subject of a claim.
struct Paper {
  ClaimKind kind{};
  std::string equation{};
  std::string source{};
  std::string differs{};
};

/// Collects claims. A claim that is measured in several cases keeps the one nearest to failing; a
/// NaN fails at once and for good.
class Facts {
 public:
  /// @param precision  the arithmetic that is measured; empty for whole numbers and other facts
  Facts(std::string over, std::vector<Claim>& claims, std::string precision = {})
      : over_(std::move(over)), precision_(std::move(precision)), claims_(claims) {}

  /// measured ≤ bound; of a note (`paper.source` is the edition or copy that has it) the number alone.
  void see(const Paper& paper, const std::string& name, const std::string& statement,
           double measured, double bound = 0);
  /// measured = expected within the tolerance; said once.
  void equals(const Paper& paper, const std::string& name, const std::string& statement,
              double measured, double expected, double tolerance = 0);

 private:
  Claim& claim_named(const Paper& paper, const std::string& name, const std::string& statement);

  std::string over_, precision_;
  std::vector<Claim>& claims_;
};

/// Claims about numbers of type T.
template <class T>
class Ledger : public Facts {
 public:
  Ledger(std::string over, std::vector<Claim>& claims)
      : Facts(std::move(over), claims, sizeof(T) == 8 ? "fp64" : "fp32") {}

  /// The library agrees with the literal evaluation, to the relative error `bound`.
  void compare(const Paper& paper, const std::string& name, const std::string& statement,
               const Matrix<T>& library, const Rows& literal, double bound) {
    see(paper, name, statement, relative_error<T>(library, literal), bound);
  }
  /// Every term by its name, a statement each in the order of `literal`, and the logits as their
  /// sum; terms that are not in `literal` fail the logits. Terms of a position and the logits may
  /// be off by `angle` more.
  void compare_terms(const Paper& paper, const std::string& name,
                     const std::vector<std::string>& statements, const AttentionOutput<T>& library,
                     const literal::Terms& literal, double bound, double angle = 0);
};

inline constexpr double paper_base = 10000.0;
inline constexpr Position far_shift = Position{1} << 40;

template <class T>
Rows wide(const Matrix<T>& narrow) {
  return narrow.template cast<double>();
}

Positions moved(Positions positions, Position shift);

/// Of every encoding that is relative.
inline const Paper relative_paper{ClaimKind::property, "(11)", "Relative encodings"};

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

  double bound() const { return rounding_bound<T>(roundings_of(d)); }
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
