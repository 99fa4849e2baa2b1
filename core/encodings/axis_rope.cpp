#include "core/encodings/axis_rope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "core/encodings/rotation.h"
#include "core/errors.h"

namespace orrery {
namespace {

using Axes = std::vector<std::size_t>;

Axes one_after_another(const std::vector<Index>& sections) {
  Axes axes;
  for (std::size_t a = 0; a < sections.size(); ++a)
    axes.insert(axes.end(), static_cast<std::size_t>(sections[a]), a);
  return axes;
}

Axes interleaved(const std::vector<Index>& sections) {
  const std::size_t count = sections.size();
  Axes axes(static_cast<std::size_t>(std::accumulate(sections.begin(), sections.end(), Index{0})));
  for (std::size_t a = 1; a < count; ++a)
    for (Index i = 0; i < sections[a]; ++i) {
      const std::size_t pair = a + static_cast<std::size_t>(i) * count;
      if (pair >= axes.size())
        throw UsageError(fmt::format("section {} of axis {}", sections[a], a),
                         fmt::format("interleaves beyond the {} pairs", axes.size()),
                         "give the first axis the largest section");
      axes[pair] = a;
    }
  return axes;
}

/// Axes 1, 2, … in turn as long as they have pairs left, then axis 0.
Axes time_last(std::vector<Index> sections) {
  Axes axes;
  bool any = true;
  while (any) {
    any = false;
    for (std::size_t a = 1; a < sections.size(); ++a) {
      if (sections[a]-- <= 0) continue;
      axes.push_back(a);
      any = true;
    }
  }
  if (!sections.empty()) axes.insert(axes.end(), static_cast<std::size_t>(sections[0]), 0);
  return axes;
}

std::vector<double> frequencies_of(const AxisRopeConfig& config, const Axes& axes) {
  const Precision format = config.rounding.format(Stage::inv_freq);
  std::vector<double> theta = inverse_frequencies(config.d_head, config.base, format);
  if (config.design == AxisDesign::axial) {
    theta.clear();
    for (const Index section : config.sections)
      if (section > 0)
        for (const double own : inverse_frequencies(2 * section, config.base, format))
          theta.push_back(own);
  }
  for (std::size_t t = 0; t < theta.size(); ++t)
    if (config.design == AxisDesign::time_still && axes[t] == 0) theta[t] = 0;
  return theta;
}

void check_sections(const AxisRopeConfig& config) {
  Index pairs = 0;
  for (const Index section : config.sections) {
    if (section < 0)
      throw UsageError(fmt::format("a section of {} pairs", section), "must not be negative",
                       "give an axis without pairs 0");
    pairs += section;
  }
  if (config.d_head > 0 && config.d_head % 2 == 0 && 2 * pairs == config.d_head) return;
  throw UsageError(
      fmt::format("sections {} of d_head={}", fmt::join(config.sections, "+"), config.d_head),
      "must sum to its pairs, half of its channels", "Qwen2-VL has 16+24+24 of 128");
}

}  // namespace

std::vector<std::size_t> axes_of_pairs(AxisDesign design, const std::vector<Index>& sections) {
  switch (design) {
    case AxisDesign::interleaved:
      return interleaved(sections);
    case AxisDesign::time_last:
    case AxisDesign::time_still:
      return time_last(sections);
    case AxisDesign::chunked:
    case AxisDesign::axial:
      break;
  }
  return one_after_another(sections);
}

template <class T>
AxisRope<T>::AxisRope(const AxisRopeConfig& config) : config_(config) {
  check_sections(config_);
  axes_ = axes_of_pairs(config_.design, config_.sections);
  theta_ = frequencies_of(config_, axes_);
}

template <class T>
void AxisRope<T>::rotate(const AxisPositions& positions, MatrixOut<T> x) const {
  const auto axes = static_cast<Index>(config_.sections.size());
  if (positions.rows() != x.rows() || positions.cols() != axes || x.cols() != config_.d_head)
    throw UsageError(fmt::format("positions [{}, {}] for rows [{}, {}]", positions.rows(),
                                 positions.cols(), x.rows(), x.cols()),
                     fmt::format("must be [N, {}] for rows [N, {}]", axes, config_.d_head),
                     "give each row a position on every axis");
  check_positions(PositionsIn(positions.data(), static_cast<std::size_t>(positions.size())));
  const auto pairs = static_cast<Index>(theta_.size());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index t = 0; t < pairs; ++t) {
      const bool adjacent = config_.pairing == RopePairing::interleaved;
      const Index a = adjacent ? 2 * t : t, b = adjacent ? 2 * t + 1 : t + pairs;
      const auto pair = static_cast<std::size_t>(t);
      const auto [c, s] = rounded_rotation(positions(i, static_cast<Index>(axes_[pair])),
                                           theta_[pair], config_.rounding);
      const double left = static_cast<double>(x(i, a)), right = static_cast<double>(x(i, b));
      x(i, a) = static_cast<T>(left * c - right * s);
      x(i, b) = static_cast<T>(left * s + right * c);
    }
  config_.rounding.template apply<T>(Stage::rotated_qk, x);
}

template class AxisRope<float>;
template class AxisRope<double>;

}  // namespace orrery
