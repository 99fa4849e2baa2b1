#pragma once

#include <span>
#include <string>
#include <vector>

namespace orrery {

/// 10⁻⁶ needs "⁻⁶".
std::string superscript(long exponent);

/// Fixed-point text in any locale, with a true minus sign and no sign on zero.
std::string decimal_label(double value, int decimals);

/// "2.5×10⁻⁶".
std::string scientific_label(double value, int mantissa_decimals);

/// "10⁻⁶", "2⁷".
std::string power_label(int base, long exponent);

/// Labels of evenly stepped values, all with as many decimals as the step needs; in powers of ten
/// when they are very large or very small.
std::vector<std::string> stepped_labels(std::span<const double> values, double step);

/// One value to about four significant digits, for readouts.
std::string short_label(double value);

}  // namespace orrery
