#include "experiments/identify/written_bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "core/encodings/frequencies.h"

namespace orrery {
namespace {

double alibi_distance(const WrittenBias& bias, Position m, Position n) {
  const Position r = m - n;
  switch (bias.form) {
    case AlibiForm::symmetric:
      return static_cast<double>(std::abs(r) + bias.offset);
    case AlibiForm::causal:
      return static_cast<double>(r + bias.offset);
    case AlibiForm::key:
      return static_cast<double>(-std::max<Position>(n - bias.padding, 0) + bias.offset);
  }
  return 0;
}

std::vector<double> powers(std::size_t heads, double exponent, double first) {
  std::vector<double> slopes;
  for (std::size_t h = 0; h < heads; ++h)
    slopes.push_back(
        std::exp2(-exponent * (static_cast<double>(h) + first) / static_cast<double>(heads)));
  return slopes;
}

/// Without factors. Exponents other than 8 are MPT's alibi_bias_max.
std::vector<NamedSlopes> formulas(std::size_t heads) {
  std::vector<NamedSlopes> all;
  const bool is_power = std::has_single_bit(heads);
  for (const double exponent : {8.0, 16.0, 4.0, 10.0, 12.0, 32.0}) {
    const std::string words =
        is_power ? fmt::format("2^(−{}(h+1)/H)", exponent)
                 : fmt::format("2^(−{}(h+1)/c), then every other one of 2c heads", exponent);
    all.push_back({.slopes = alibi_slopes(static_cast<int>(heads), exponent),
                   .words = words,
                   .bias_max = exponent,
                   .cost = exponent == 8 ? 0.0 : 0.5});
  }
  if (!is_power)
    all.push_back({.slopes = powers(heads, 8, 1),
                   .words = "2^(−8(h+1)/H), H no power of two",
                   .defect = "The rule for a number of heads that is no power of two is missing.",
                   .cost = 1.0});
  all.push_back({.slopes = powers(heads, 8, 0),
                 .words = "2^(−8h/H)",
                 .defect = "Heads are counted from 0: the first slope is 1.",
                 .cost = 1.0});
  return all;
}

NamedSlopes multiplied(NamedSlopes named, double factor) {
  for (double& slope : named.slopes) slope *= factor;
  return named;
}

/// With each factor that programs have, and reversed.
std::vector<NamedSlopes> with_factors(const std::vector<NamedSlopes>& plain) {
  std::vector<NamedSlopes> all;
  for (const NamedSlopes& named : plain) {
    all.push_back(named);
    all.push_back(multiplied(named, -1));
    all.back().words += ", reversed in sign";
    all.back().defect = "The sign is reversed: keys gain with their distance.";
    all.back().bias_max = 0;
    all.back().cost += 1.0;
    for (const double d : {32.0, 64.0, 80.0, 96.0, 128.0, 256.0}) {
      all.push_back(multiplied(named, 1 / std::sqrt(d)));
      all.back().words += fmt::format(", divided by √{}", d);
      all.back().over_root = true;
      all.back().cost += 0.6;
    }
    all.push_back(multiplied(named, std::numbers::log2e));
    all.back().words += ", times log₂e";
    all.back().bias_max = 0;
    all.back().cost += 0.6;
  }
  return all;
}

bool are_near(const std::vector<double>& fitted, const std::vector<double>& slopes,
              double tolerance) {
  for (std::size_t h = 0; h < fitted.size(); ++h)
    if (!(std::abs(fitted[h] - slopes[h]) <= tolerance * std::abs(slopes[h]))) return false;
  return true;
}

NamedSlopes as_fitted(const std::vector<double>& fitted) {
  NamedSlopes named{.slopes = fitted, .cost = 1.5};
  const double power = fitted.size() == 1 ? std::log2(std::abs(fitted[0])) : 0.5;
  if (std::abs(power - std::round(power)) < 1e-6) {
    named.slopes = {std::copysign(std::exp2(std::round(power)), fitted[0])};
    named.words = fmt::format("{}2^({:.0f}), of one head", fitted[0] < 0 ? "−" : "", power);
    named.defect = fitted[0] < 0 ? "The sign is reversed: keys gain with their distance." : "";
    named.cost = 0.2;
    return named;
  }
  std::vector<std::string> numbers;
  for (std::size_t h = 0; h < fitted.size() && h < 8; ++h)
    numbers.push_back(fmt::format("{:.5g}", fitted[h]));
  named.words =
      fmt::format("fitted: {}{}", fmt::join(numbers, ", "), fitted.size() > 8 ? ", …" : "");
  return named;
}

}  // namespace

double sinusoid_product(Position r, Index channels, double base) {
  double sum = 0;
  for (Index t = 0; t < channels / 2; ++t) {
    const double exponent = -2.0 * static_cast<double>(t) / static_cast<double>(channels);
    sum += rotation_at(r, std::pow(base, exponent)).cos;
  }
  return sum;
}

Index table_row(const WrittenBias& bias, Position m, Position n) {
  const Position r = m - n;
  if (bias.family == BiasFamily::t5) return t5_bucket(bias.swapped ? -r : r, bias.buckets);
  return static_cast<Index>(std::clamp<Position>(r, -bias.clip, bias.clip) + bias.clip);
}

double bias_at(const WrittenBias& bias, Index head, Position m, Position n) {
  const auto h = static_cast<std::size_t>(head);
  const auto distance = static_cast<double>(std::abs(m - n));
  switch (bias.family) {
    case BiasFamily::none:
      return 0;
    case BiasFamily::constant:
      return bias.size[h];
    case BiasFamily::alibi:
      return -bias.size[h] * alibi_distance(bias, m, n);
    case BiasFamily::kerple_log:
      return -bias.size[h] * std::log1p(bias.shape[h] * distance);
    case BiasFamily::kerple_power:
      return -bias.size[h] * std::pow(distance, bias.shape[h]);
    case BiasFamily::sandwich: {
      const Index pairs = bias.channels / 2;
      const double less = bias.centred ? static_cast<double>(pairs) : 0.0;
      return bias.size[h] * (sinusoid_product(m - n, bias.channels, bias.base) - less);
    }
    case BiasFamily::t5:
    case BiasFamily::table:
      return bias.table(table_row(bias, m, n), head);
  }
  return 0;
}

std::vector<NamedSlopes> named_slopes(const std::vector<double>& fitted, Precision format) {
  const double tolerance = 2 * unit_roundoff(format) + 1e-6;
  std::vector<NamedSlopes> found;
  if (fitted.size() > 1)
    for (const NamedSlopes& named : with_factors(formulas(fitted.size()))) {
      if (!are_near(fitted, named.slopes, tolerance)) continue;
      found.push_back(named);
      NamedSlopes rounded = named;
      for (double& slope : rounded.slopes) slope = round_to(format, slope);
      if (rounded.slopes == named.slopes) continue;
      rounded.cost += 0.1;
      found.push_back(std::move(rounded));
    }
  found.push_back(as_fitted(fitted));
  return found;
}

}  // namespace orrery
