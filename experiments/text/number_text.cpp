#include "experiments/text/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

constexpr double largest_plain = 1e6;    ///< labels from here on are powers of ten
constexpr double smallest_plain = 1e-3;  ///< and so are labels below this
constexpr double slack = 1e-9;           ///< a step of 0.1 is not exactly 10⁻¹

int magnitude(double value) {
  return static_cast<int>(std::floor(std::log10(std::abs(value)) + slack));
}

std::string with_true_minus(std::string text) {
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (text.empty() || text.front() != '-') return text;
  return zero ? text.substr(1) : "−" + text.substr(1);
}

/// "1.3×10¹¹" for "1.3e+11".
std::string with_power_of_ten(const std::string& text) {
  const std::size_t e = text.find('e');
  return with_true_minus(text.substr(0, e)) + "×10" + superscript(std::stol(text.substr(e + 1)));
}

/// "NaN", "∞" or "−∞".
std::string non_finite_label(double value) {
  return std::isnan(value) ? "NaN" : (value > 0 ? "∞" : "−∞");
}

struct Scaled {
  double amount{};
  std::size_t unit{};  ///< how often the value was divided
};

/// The value divided by `step` until it has at most three digits before the decimal point.
Scaled in_units(double value, double step, std::size_t units) {
  constexpr double four_digits = 999.5;
  Scaled scaled{value, 0};
  for (; scaled.amount >= four_digits && scaled.unit + 1 < units; ++scaled.unit)
    scaled.amount /= step;
  return scaled;
}

/// One decimal for a divided value below ten, so that two digits are left.
int decimals_of(double amount, std::size_t unit) { return unit > 0 && amount < 9.95 ? 1 : 0; }

}  // namespace

std::string superscript(long exponent) {
  static constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴",
                                                           "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::format("{}", exponent)) {
    text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

std::string decimal_label(double value, int decimals) {
  if (!std::isfinite(value)) return non_finite_label(value);
  return with_true_minus(fmt::format("{:.{}f}", value, decimals));
}

std::string scientific_label(double value, int mantissa_decimals) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return non_finite_label(value);
  const std::string text = fmt::format("{:.{}e}", value, mantissa_decimals);
  return with_power_of_ten(text);
}

std::string power_label(int base, long exponent) {
  return fmt::format("{}{}", base, superscript(exponent));
}

std::vector<std::string> stepped_labels(std::span<const double> values, double step) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const int step_magnitude = step > 0.0 ? magnitude(step) : 0;
  const bool plain = largest == 0.0 || (largest < largest_plain && largest >= smallest_plain);
  std::vector<std::string> labels;
  for (const double value : values) {
    labels.push_back(
        plain ? decimal_label(value, std::max(0, -step_magnitude))
              : scientific_label(
                    value, value == 0.0 ? 0 : std::max(0, magnitude(value) - step_magnitude)));
  }
  return labels;
}

std::string short_label(double value) {
  if (!std::isfinite(value)) return non_finite_label(value);
  const double size = std::abs(value);
  if (value != 0.0 && (size >= largest_plain || size < smallest_plain)) {
    return scientific_label(value, 2);
  }
  return with_true_minus(fmt::format("{:.4g}", value));
}

std::string short_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : non_finite_label(value);
}

std::string grouped_number(double value) {
  constexpr double five_digits = 1e4, largest_grouped = 1e9;
  constexpr std::size_t group = 3;
  const double size = std::abs(value);
  if (size >= five_digits && size < largest_grouped && value == std::trunc(value)) {
    std::string digits = fmt::format("{:.0f}", size);
    for (std::size_t at = digits.size(); at > group;) digits.insert(at -= group, "\u2009");
    return value < 0 ? "−" + digits : digits;
  }
  const std::string text = short_number(value);
  return text.find('e') == std::string::npos ? with_true_minus(text) : with_power_of_ten(text);
}

std::string compact_number(double value) {
  constexpr std::array<const char*, 5> units{"", "k", "M", "G", "T"};
  const auto [amount, unit] = in_units(value, 1000, units.size());
  std::string digits = fmt::format("{:.{}f}", amount, decimals_of(amount, unit));
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits + units[unit];
}

std::string bytes_text(std::uintmax_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  const auto [amount, unit] = in_units(static_cast<double>(bytes), 1024, units.size());
  return fmt::format("{:.{}f} {}", amount, decimals_of(amount, unit), units[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace orrery
