#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Numbers as people read them. core/params.h has number_text, which loses no digit.

/// "⁻⁶", as 10⁻⁶ needs it.
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

/// A value to about four significant digits, for readouts.
std::string short_label(double value);

/// A value to six significant digits, for tables; "NaN", "∞" or "−∞" when it is not finite.
std::string short_number(double value);

/// "4096", "500 000" with thin spaces, "1.3×10¹¹": a value to six significant digits, or whole, for
/// sentences and labels.
std::string grouped_number(double value);

/// "63", "2.0k", "12M": a positive value in four characters.
std::string compact_number(double value);

/// "999 B", "1.5 KiB", "23 MiB".
std::string bytes_text(std::uintmax_t bytes);

/// "under 1 ms", "340 ms", "3.4 s", "75 s", "12 min", "1 h 05 min".
std::string duration_text(double seconds);

/// The finite number that a text is, and nothing beside it.
std::optional<double> number_in(std::string_view text);

}  // namespace orrery
