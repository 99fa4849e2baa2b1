#pragma once

namespace orrery {

/// ln σ(x), without overflow.
double log_sigmoid(double x);
/// σ(x) = 1/(1 + e^−x).
double sigmoid(double x);
/// ln(1 + e^x), without overflow.
double softplus(double x);

}  // namespace orrery
