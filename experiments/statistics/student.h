#pragma once

namespace orrery {

/// P(|T| ≥ |t|) for Student's t with ν degrees of freedom, I_{ν/(ν+t²)}(ν/2, 1/2), by Boost.Math.
/// Relative error below 1e-10 for ν in [1, 1e6].
double student_two_sided(double t, double degrees);

/// The t that |T| exceeds with probability p, 0 < p < 1: the inverse of student_two_sided.
double student_quantile(double p, double degrees);

}  // namespace orrery
