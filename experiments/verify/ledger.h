#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/softmax_attention.h"
#include "core/precision.h"
#include "experiments/verify/claims.h"
#include "experiments/verify/literal_scores.h"

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

template <class T>
std::string precision_name() {
  return sizeof(T) == 8 ? "fp64" : "fp32";
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
template <class T>
class Ledger {
 public:
  Ledger(std::string over, std::vector<Claim>& claims) : over_(std::move(over)), claims_(claims) {}

  /// measured ≤ bound.
  void see(const Paper& paper, const std::string& name, const std::string& statement,
           double measured, double bound);
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
  /// measured = expected within the tolerance; said once.
  void equals(const Paper& paper, const std::string& name, const std::string& statement,
              double measured, double expected, double tolerance = 0);

 private:
  Claim& claim_named(const Paper& paper, const std::string& name, const std::string& statement);

  std::string over_;
  std::vector<Claim>& claims_;
};

/// The same for whole numbers and other facts that have no precision of their own.
using Facts = Ledger<void>;

template <>
class Ledger<void> {
 public:
  Ledger(std::string over, std::vector<Claim>& claims) : over_(std::move(over)), claims_(claims) {}

  void at_most(const Paper& paper, const std::string& name, const std::string& statement,
               double measured, double bound);
  void equals(const Paper& paper, const std::string& name, const std::string& statement,
              double measured, double expected, double tolerance = 0);
  /// A misprint or difference; `paper.source` is the edition or copy that has it.
  void note(const Paper& paper, const std::string& name, const std::string& statement,
            double measured);

 private:
  std::string over_;
  std::vector<Claim>& claims_;
};

}  // namespace orrery
