#pragma once

#include <cstddef>
#include <span>

namespace orrery {

/// Of a sample of n numbers.
struct SampleMoments {
  std::size_t n{};
  double mean{};            ///< NaN when n is 0
  double deviation{};       ///< sd = √(Σ (x − mean)² / (n − 1)); NaN below two numbers
  double standard_error{};  ///< sd / √n
};

SampleMoments sample_moments(std::span<const double> values);

/// Welch's test of two samples with variances of their own (B. L. Welch, Biometrika 34, 1947):
/// t = (mean_b − mean_a) / √(se_a² + se_b²), with
/// ν = (se_a² + se_b²)² / (se_a⁴/(n_a − 1) + se_b⁴/(n_b − 1)) degrees of freedom.
struct Welch {
  double difference{};  ///< mean_b − mean_a
  double t{};
  double degrees{};
  double p{};    ///< of |t| or more when the means are equal (two-sided)
  double low{};  ///< of the 95% interval of the difference
  double high{};
};

/// All but the difference are NaN when a sample has fewer than two numbers, or neither has spread.
Welch welch_test(const SampleMoments& a, const SampleMoments& b);

/// P(|T| ≥ |t|) of Student's t: I_{ν/(ν+t²)}(ν/2, 1/2). Relative error below 1e-10 for ν in
/// [1, 1e6].
double student_two_sided(double t, double degrees);

}  // namespace orrery
