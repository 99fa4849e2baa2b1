#pragma once

#include <cstddef>
#include <span>

#include "experiments/model/layers.h"

namespace orrery::reports {

/// Statistics of a sample of n numbers.
struct SampleMoments {
  std::size_t n{};
  double mean{};            ///< NaN when n is 0
  double deviation{};       ///< sd = √(Σ (x − mean)² / (n − 1)); NaN below two numbers
  double standard_error{};  ///< sd / √n
};

SampleMoments sample_moments(std::span<const double> values);

/// Welch's t-test of two samples with unequal variances (B. L. Welch, Biometrika 34, 1947):
/// t = (mean_b − mean_a) / √(se_a² + se_b²), with
/// ν = (se_a² + se_b²)² / (se_a⁴/(n_a − 1) + se_b⁴/(n_b − 1)) degrees of freedom.
struct Welch {
  double difference{};  ///< mean_b − mean_a
  double t{};
  double degrees{};
  double p{};    ///< probability of |t| or more if the means are equal (two-sided)
  double low{};  ///< ends of the 95% interval of the difference
  double high{};
};

/// All fields but the difference are NaN when a sample has fewer than two numbers, when neither
/// sample has any spread, or when a spread exceeds the range of a double.
Welch welch_test(const SampleMoments& a, const SampleMoments& b);

/// P(|T| ≥ |t|) for Student's t with ν degrees of freedom, I_{ν/(ν+t²)}(ν/2, 1/2), by Boost.Math.
/// Relative error below 1e-10 for ν in [1, 1e6].
double student_two_sided(double t, double degrees);

}  // namespace orrery::reports
