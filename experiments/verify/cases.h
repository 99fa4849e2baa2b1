#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/head.h"
#include "core/precision.h"
#include "core/random.h"
#include "experiments/verify/claims.h"

namespace orrery::verify {

inline constexpr double paper_base = 10000.0;
inline constexpr Index widest_head = 128;

/// Random contents and projections of one head, drawn in fp64 and rounded to T.
template <class T>
struct Case {
  Index d{};
  Positions at;  ///< distinct, in no order, up to 1000
  Matrix<T> x;
  Projections<T> w;

  Matrix<double> wide(const Matrix<T>& narrow) const { return narrow.template cast<double>(); }
};

/// Small, odd and ordinary sizes, `draws` of each.
template <class T>
std::vector<Case<T>> cases_of(const VerifyOptions& options) {
  constexpr std::pair<Index, Index> sizes[] = {{2, 3}, {8, 7}, {64, 16}, {widest_head, 24}};
  std::vector<Case<T>> cases;
  for (const auto& [d, n] : sizes) {
    for (int draw = 0; draw < options.draws; ++draw) {
      Random random(options.seed,
                    "verify d=" + std::to_string(d) + " draw " + std::to_string(draw));
      Case<T> c{d, {}, normal_matrix<T>(random, n, d), {}};
      for (Index i = 0; i < n; ++i) c.at.push_back(i * 40 + random.integer(40));
      const double deviation = 1 / std::sqrt(static_cast<double>(d));
      c.w = {normal_matrix<T>(random, d, d, deviation), normal_matrix<T>(random, d, d, deviation),
             normal_matrix<T>(random, d, d, deviation)};
      cases.push_back(std::move(c));
    }
  }
  return cases;
}

/// The largest |a − b|, in units of the largest |b| or 1, whichever is more. NaN if one is.
double disagreement(const Matrix<double>& a, const Matrix<double>& b);

/// Keeps the worst of what it is shown; a NaN is the worst of all.
class Worst {
 public:
  void see(double error) {
    if (std::isnan(error) || error > worst_) worst_ = std::isnan(worst_) ? worst_ : error;
  }
  double value() const { return worst_; }

 private:
  double worst_{0};
};

/// Two ways to sum the d products of a score, each of factors that are themselves sums of d
/// products: at most (2d + 16) roundings a way, relative to terms that are at most 8 times their
/// sum here.
template <class T>
double rounding_bound() {
  const double u = unit_roundoff(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
  return 8 * (2 * static_cast<double>(widest_head) + 16) * u;
}

template <class T>
std::string precision_name() {
  return sizeof(T) == 8 ? "fp64" : "fp32";
}

/// A claim that the core's evaluation of an equation agrees with the literal one.
template <class T>
Claim equation(std::string name, std::string statement, std::string formula, double measured,
               const VerifyOptions& options) {
  return {"Equations",
          {.name = name + "_" + precision_name<T>(),
           .statement = std::move(statement),
           .equation = std::move(formula),
           .measured = measured,
           .bound = rounding_bound<T>()},
          "d = 2 … 128, N = 3 … 24, " + std::to_string(options.draws) + " draws, " +
              precision_name<T>()};
}

// One function a topic; each appends its claims.
void attention_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void rope_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void relative_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void linear_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void property_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void decay_claims(const VerifyOptions& options, std::vector<Claim>& claims);
void erratum_claims(const VerifyOptions& options, std::vector<Claim>& claims);

/// Eq. (14), (15), (34): how far `rope`, made for d and the paper's base, is from R_m x. A
/// parameter, so that a test can show a wrong one caught.
double rotation_error(const QkTransform<double>& rope, Index d, std::int64_t seed);

/// Eq. (10): how far an encoding's logits are from DeBERTa's with this table, span k and W =
/// identity.
double deberta_error(const Encoding& encoding, const Matrix<double>& table, Position k,
                     std::int64_t seed);

}  // namespace orrery::verify
