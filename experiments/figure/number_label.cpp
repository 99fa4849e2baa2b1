#include "experiments/figure/number_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace orrery {
namespace {

constexpr double largest_plain = 1e6;    ///< from here on in powers of ten
constexpr double smallest_plain = 1e-3;  ///< and below here
constexpr double slack = 1e-9;           ///< a step of 0.1 is not exactly 10⁻¹

int magnitude(double value) {
  return static_cast<int>(std::floor(std::log10(std::abs(value)) + slack));
}

std::string with_true_minus(std::string text) {
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (text.empty() || text.front() != '-') return text;
  return zero ? text.substr(1) : "−" + text.substr(1);
}

/// "NaN", "∞" or "−∞".
std::string label_of_no_number(double value) {
  return std::isnan(value) ? "NaN" : (value > 0 ? "∞" : "−∞");
}

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
  if (!std::isfinite(value)) return label_of_no_number(value);
  return with_true_minus(fmt::format("{:.{}f}", value, decimals));
}

std::string scientific_label(double value, int mantissa_decimals) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return label_of_no_number(value);
  const std::string text = fmt::format("{:.{}e}", value, mantissa_decimals);
  const std::size_t e = text.find('e');
  return with_true_minus(text.substr(0, e)) + "×10" + superscript(std::stol(text.substr(e + 1)));
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
  if (!std::isfinite(value)) return label_of_no_number(value);
  const double size = std::abs(value);
  if (value != 0.0 && (size >= largest_plain || size < smallest_plain)) {
    return scientific_label(value, 2);
  }
  return with_true_minus(fmt::format("{:.4g}", value));
}

}  // namespace orrery
