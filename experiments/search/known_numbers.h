#pragma once

#include <vector>

namespace orrery {

/// Bases, factors and lengths of released models: what a fitted number is taken for when it is as
/// near as its error.
const std::vector<double>& known_bases();
const std::vector<double>& known_factors();
const std::vector<double>& known_lengths();

/// Whether the number is in the list, to 1e-9.
bool is_known(const std::vector<double>& list, double value);

/// The nearest number with so many significant decimal digits. The value is positive.
double rounded_to_digits(double value, int digits);

}  // namespace orrery
