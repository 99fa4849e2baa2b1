#include "core/encodings/rope_frequencies.h"

#include <algorithm>

#include "core/encodings/axis_layout.h"
#include "core/encodings/rope_scaling.h"

namespace orrery {
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
