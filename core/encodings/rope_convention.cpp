#include "core/encodings/rope_convention.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/encodings/axis_design.h"
#include "core/encodings/rope_scaling.h"
#include "core/errors.h"

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

std::string_view name(RopePairing pairing) {
  return pairing == RopePairing::half_split ? "half_split" : "interleaved";
}

void check_head_of_pairs(Index d_head) {
  if (d_head > 0 && d_head % 2 == 0) return;
  throw UsageError(fmt::format("d_head={}", d_head),
                   "must be even and positive, because RoPE turns pairs of channels",
                   fmt::format("use d_head={}", std::max<Index>(2, d_head + 1)));
}

RopeConvention completed(RopeConvention convention) {
  Index& r = convention.rotary_dims;
  if (r == 0) r = convention.d_head;
  if (r == convention.d_head || convention.partial == RopePartial::proportional)
    check_head_of_pairs(convention.d_head);
  const Index begin = first_channel(convention);
  if (r >= 2 && r % 2 == 0 && begin >= 0 && begin + r <= convention.d_head) return convention;
  throw UsageError(begin == 0 ? fmt::format("rotary_dims={} of d_head={}", r, convention.d_head)
                              : fmt::format("rotary_dims={} from channel {} of d_head={}", r, begin,
                                            convention.d_head),
                   "must be even, at least 2 and at most d_head",
                   "choose a fraction of d_head that gives an even number");
}

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
