#include "core/encodings/rope_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "core/encodings/axis_layout.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"

namespace orrery {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

void check_positive(std::string_view name, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw UsageError(fmt::format("{}={}", name, value), "must be positive and finite",
                   fmt::format("give {} a number above 0", name));
}

void check_order(std::string_view low_name, double low, std::string_view high_name, double high) {
  check_positive(low_name, low);
  check_positive(high_name, high);
  if (low < high) return;
  throw UsageError(fmt::format("{}={} with {}={}", high_name, high, low_name, low),
                   fmt::format("{} must be greater than {}", high_name, low_name),
                   fmt::format("try {}={}", high_name, 2 * low));
}

void check_list(std::string_view name, const std::vector<double>& factors, Index pairs) {
  if (!factors.empty() && factors.size() != static_cast<std::size_t>(pairs))
    throw UsageError(fmt::format("{} with {} numbers", name, factors.size()),
                     fmt::format("needs one for each of {} pairs", pairs),
                     fmt::format("give {} numbers", pairs));
  for (const double factor : factors) check_positive(name, factor);
}

bool reads_factor(RopeScalingKind kind) {
  return kind != RopeScalingKind::none && kind != RopeScalingKind::factors;
}

void check(const RopeScaling& scaling, Index pairs) {
  const RopeScalingKind kind = scaling.kind;
  if (reads_factor(kind) && !(std::isfinite(scaling.factor) && scaling.factor >= 1))
    throw UsageError(fmt::format("rope.factor={}", scaling.factor),
                     "must be finite and at least 1, because it stretches the context",
                     "try rope.factor=4");
  check_positive("rope.original_length", scaling.original_length);
  check_positive("rope.length", scaling.length);
  if (kind == RopeScalingKind::yarn || kind == RopeScalingKind::ntk_by_parts)
    check_order("rope.beta_slow", scaling.beta_slow, "rope.beta_fast", scaling.beta_fast);
  if (kind == RopeScalingKind::llama3)
    check_order("rope.low_freq_factor", scaling.low_freq_factor, "rope.high_freq_factor",
                scaling.high_freq_factor);
  check_list(kind == RopeScalingKind::longrope ? "rope.short_factor" : "rope.factors",
             scaling.factors, pairs);
  check_list("rope.long_factor", scaling.long_factors, pairs);
  if (scaling.attention_factor) check_positive("rope.attention_factor", *scaling.attention_factor);
}

/// Rounds each step as a program in fp32 does, or none.
class Steps {
 public:
  explicit Steps(Precision format) : exact_(format == Precision::fp64) {}
  double operator()(double value) const {
    return exact_ ? value : round_to(Precision::fp32, value);
  }

 private:
  bool exact_;
};

/// base·stretch^(r/(r−2)). A lone pair is the fastest, which stays.
double ntk_base(double base, double stretch, Index pairs, const Steps& step) {
  if (pairs < 2) return base;
  const auto r = static_cast<double>(2 * pairs);
  return step(base * step(std::pow(stretch, r / (r - 2))));
}

double dynamic_stretch(const RopeScaling& s, const Steps& step) {
  const double length = std::max<double>(s.length, s.original_length);
  return step(step(step(s.factor * length) / s.original_length) - (s.factor - 1));
}

/// theta at 1, theta/s at 0, and between them by weight.
double blended(double theta, double divided, double weight_of_theta, const Steps& step) {
  return step(step(divided * step(1 - weight_of_theta)) + step(theta * weight_of_theta));
}

struct Ramp {
  double low, high;  ///< in pairs
};

/// Where a pair completes so many rotations within L0, on the axis of t.
Ramp yarn_ramp(const RopeScaling& s, double base, Index pairs) {
  const auto r = static_cast<double>(2 * pairs);
  const auto pair_with = [&](double rotations) {
    return r * std::log(s.original_length / (rotations * two_pi)) / (2 * std::log(base));
  };
  double low = pair_with(s.beta_fast), high = pair_with(s.beta_slow);
  if (s.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max<double>(low, 0);
  high = std::min<double>(high, r - 1);  // r − 1, not r/2 − 1, in every implementation
  if (low == high) high += 0.001;        // as there: no division by 0
  return {low, high};
}

void scale_by_yarn(std::vector<double>& theta, const RopeScaling& s, double base,
                   const Steps& step) {
  const auto pairs = static_cast<Index>(theta.size());
  const Ramp ramp = yarn_ramp(s, base, pairs);
  const double width = step(ramp.high - ramp.low);
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const double exponent = step(2.0 * static_cast<double>(t) / static_cast<double>(2 * pairs));
    const double inverse = step(std::pow(step(base), exponent));
    const double along = step(step(static_cast<double>(t) - step(ramp.low)) / width);
    const double kept = step(1 - std::clamp(along, 0.0, 1.0));
    theta[t] = blended(theta[t], step(1 / step(s.factor * inverse)), kept, step);
  }
}

void scale_by_parts(std::vector<double>& theta, const RopeScaling& s, const Steps& step) {
  for (double& frequency : theta) {
    const double rotations = step(s.original_length * frequency / two_pi);
    const double along = step((rotations - s.beta_slow) / (s.beta_fast - s.beta_slow));
    frequency = blended(frequency, step(frequency / s.factor), std::clamp(along, 0.0, 1.0), step);
  }
}

void scale_by_llama3(std::vector<double>& theta, const RopeScaling& s, const Steps& step) {
  for (double& frequency : theta) {
    // PyTorch divides numbers by tensors as products with the reciprocal.
    const double wavelength = step(step(1 / frequency) * step(two_pi));
    if (wavelength < s.original_length / s.high_freq_factor) continue;
    if (wavelength > s.original_length / s.low_freq_factor) {
      frequency = step(frequency / s.factor);
      continue;
    }
    const double smooth =
        step(step(step(step(1 / wavelength) * s.original_length) - s.low_freq_factor) /
             (s.high_freq_factor - s.low_freq_factor));
    const double divided = step(step(step(1 - smooth) * frequency) / s.factor);
    frequency = step(divided + step(smooth * frequency));
  }
}

/// 1/(f_t base^(2t/r)).
void divide_by_list(std::vector<double>& theta, const std::vector<double>& factors, double base,
                    const Steps& step) {
  for (std::size_t t = 0; t < factors.size(); ++t) {
    const double exponent =
        step(2.0 * static_cast<double>(t) / static_cast<double>(2 * theta.size()));
    const double inverse = step(std::pow(step(base), exponent));
    theta[t] = step(1 / step(step(factors[t]) * inverse));
  }
}

double yarn_attention_factor(const RopeScaling& s) {
  const auto g = [&](double m) { return 0.1 * m * std::log(s.factor) + 1; };
  return s.mscale != 0 && s.mscale_all_dim != 0 ? g(s.mscale) / g(s.mscale_all_dim) : g(1);
}

}  // namespace

std::vector<double> scaled_frequencies(Index pairs, double base, const RopeScaling& scaling,
                                       Precision format) {
  check(scaling, pairs);
  const Steps step(format);
  const bool exact = format == Precision::fp64;
  const Precision arithmetic = exact ? Precision::fp64 : Precision::fp32;
  const auto unscaled = [&](double b) { return inverse_frequencies(2 * pairs, b, arithmetic); };
  std::vector<double> theta = unscaled(base);
  switch (scaling.kind) {
    case RopeScalingKind::none:
      break;
    case RopeScalingKind::linear:
      for (double& frequency : theta) frequency = step(frequency / step(scaling.factor));
      break;
    case RopeScalingKind::ntk:
      theta = unscaled(ntk_base(base, scaling.factor, pairs, step));
      break;
    case RopeScalingKind::dynamic_ntk:
      theta = unscaled(ntk_base(base, dynamic_stretch(scaling, step), pairs, step));
      break;
    case RopeScalingKind::ntk_by_parts:
      scale_by_parts(theta, scaling, step);
      break;
    case RopeScalingKind::yarn:
      scale_by_yarn(theta, scaling, base, step);
      break;
    case RopeScalingKind::llama3:
      scale_by_llama3(theta, scaling, step);
      break;
    case RopeScalingKind::longrope:
      divide_by_list(
          theta, scaling.length > scaling.original_length ? scaling.long_factors : scaling.factors,
          base, step);
      break;
    case RopeScalingKind::factors:
      divide_by_list(theta, scaling.factors, base, step);
      break;
  }
  if (!exact)
    for (double& frequency : theta) frequency = round_to(format, frequency);
  return theta;
}

double attention_factor(const RopeScaling& scaling) {
  if (scaling.kind == RopeScalingKind::none) return 1.0;
  if (scaling.attention_factor) return *scaling.attention_factor;
  if (scaling.kind == RopeScalingKind::yarn) return yarn_attention_factor(scaling);
  if (scaling.kind == RopeScalingKind::longrope && scaling.factor > 1)
    return std::sqrt(1 + std::log(scaling.factor) / std::log(scaling.original_length));
  return 1.0;
}

namespace {

/// base^(-2t/(2s)) of each section of s pairs.
std::vector<double> axial_frequencies(const RopeConvention& c, Precision format) {
  std::vector<double> theta;
  for (const Index section : c.sections) {
    if (section == 0) continue;
    const std::vector<double> own = scaled_frequencies(section, c.base, c.scaling, format);
    theta.insert(theta.end(), own.begin(), own.end());
  }
  return theta;
}

}  // namespace

std::vector<double> frequencies_of(const RopeConvention& c, Precision format) {
  if (c.design == AxisDesign::axial && !c.sections.empty()) return axial_frequencies(c, format);
  std::vector<double> theta = scaled_frequencies(pairs_of(c), c.base, c.scaling, format);
  if (c.partial == RopePartial::proportional)
    std::fill(theta.begin() + c.rotary_dims / 2, theta.end(), 0.0);
  if (c.design != AxisDesign::time_still || c.sections.empty()) return theta;
  const std::vector<std::size_t> axes = axes_of_pairs(c.design, c.sections);
  for (std::size_t t = 0; t < std::min<std::size_t>(theta.size(), axes.size()); ++t)
    if (axes[t] == 0) theta[t] = 0;
  return theta;
}

std::vector<double> turning_of(const RopeConvention& convention, Precision format) {
  std::vector<double> theta = frequencies_of(convention, format);
  if (convention.clockwise)
    for (double& frequency : theta) frequency = -frequency;
  return theta;
}

}  // namespace orrery
