#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace orrery {

/// P(|T| ≥ |t|) for Student's t with ν degrees of freedom, I_{ν/(ν+t²)}(ν/2, 1/2), by Boost.Math.
/// Relative error below 1e-10 for ν in [1, 1e6].
double student_two_sided(double t, double degrees);

/// The t that |T| exceeds with probability p, 0 < p < 1: the inverse of student_two_sided.
double student_quantile(double p, double degrees);

/// Statistics of a sample of n numbers.
struct SampleMoments {
  std::size_t n{};
  double mean{};            ///< NaN when n is 0
  double deviation{};       ///< sd = √(Σ (x − mean)² / (n − 1)); NaN below two numbers
  double standard_error{};  ///< sd / √n
};

SampleMoments sample_moments(std::span<const double> values);
/// Its mean alone.
double sample_mean(std::span<const double> values);

/// The interval that covers the mean with 95 %, mean ± t · sd / √n with the 97.5 % quantile t of
/// Student's distribution with n − 1 degrees of freedom; NaN below two numbers.
struct MeanInterval {
  double low{};
  double high{};
};
MeanInterval mean_interval(const SampleMoments& sample);

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

/// Student's t-test of differences b − a between pairs that share everything else, such as a seed:
/// what they share does not add to the spread. t = mean / (sd / √n), ν = n − 1. The fields are
/// those of welch_test, and NaN in the same cases.
Welch paired_test(std::span<const double> a, std::span<const double> b);

/// Holm's correction for several tests (S. Holm, Scand. J. Statist. 6, 1979): the sorted p_(i)
/// become the running maximum of (m − i) p_(i), i from 0, at most 1. With p below α after it, the
/// probability of any false finding among the m is at most α. NaN stays NaN and counts for nothing.
std::vector<double> holm_corrected(std::span<const double> p);

}  // namespace orrery
