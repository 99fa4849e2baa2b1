#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "core/encodings/axis_layout.h"
#include "core/errors.h"
#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/weighted_line.h"

namespace orrery {
namespace {

using Complex = std::complex<double>;
using PairEstimates = std::vector<FrequencyEstimate>;

constexpr double of_fp32 = 3e-8;  // half a unit in the last place of a frequency

/// A pair along one axis: its frequency, and how well all rows agree with it.
struct AlongAxis {
  FrequencyEstimate estimate{};
  double agreement{};  ///< mean cosine between what rows turned and what the axis turns them
  double turned{};     ///< rad, the largest of all rows
};

AlongAxis along_axis(const PairPhasors& phasors, Index t, const AxisPositions& positions,
                     Index axis, const FrequencyEstimate& estimate) {
  AlongAxis found{.estimate = estimate};
  double sum = 0, weight = 0;
  for (Index n = 1; n < positions.rows(); ++n) {
    const double w = std::min<double>(phasors.weights(t, n), phasors.weights(t, 0));
    const auto distance = static_cast<double>(positions(n, axis) - positions(0, axis));
    const double angle = estimate.theta * phasors.unit * distance;
    const Complex turn = phasors.turns(t, n) * std::conj(phasors.turns(t, 0));
    sum += w * (turn * std::polar(1.0, -angle)).real();
    weight += w;
    found.turned = std::max<double>(found.turned, std::abs(std::arg(turn)));
  }
  found.agreement = weight > 0 ? sum / weight : 1.0;
  return found;
}

/// The axis of a pair, where rows show one: the others agree less.
struct ShownPair {
  std::optional<std::size_t> axis{};
  std::vector<AlongAxis> along{};  ///< by axis
};

/// Rows whose angles fp32 holds about as well as the tensor does; all where these are few.
std::vector<Index> fine_rows(const PairPhasors& phasors, const AxisPositions& positions) {
  constexpr double near = 64;
  constexpr std::size_t fewest = 4;
  std::vector<Index> fine, all(static_cast<std::size_t>(positions.rows()));
  std::iota(all.begin(), all.end(), 0);
  for (const Index n : all) {
    const auto farthest = static_cast<double>(positions.row(n).cwiseAbs().maxCoeff());
    if (noise_of_angle(phasors, phasors.unit * farthest) < near) fine.push_back(n);
  }
  const auto reach = [&](const std::vector<Index>& rows) {
    const AxisPositions own = positions(rows, Eigen::all);
    return (own.colwise().maxCoeff() - own.colwise().minCoeff()).eval();
  };
  if (fine.size() < fewest || fine.size() == all.size()) return all;
  return ((reach(fine).array() == 0) && (reach(all).array() != 0)).any() ? all : fine;
}

std::vector<ShownPair> shown_pairs(const PairPhasors& phasors, const AxisPositions& positions) {
  constexpr double agreeing = 1e-3;  // of a mean cosine, beside what rounding leaves
  const auto pairs = static_cast<std::size_t>(phasors.turns.rows());
  const std::vector<Index> rows = fine_rows(phasors, positions);
  PairPhasors fine = phasors;
  fine.turns = phasors.turns(Eigen::all, rows);
  fine.weights = phasors.weights(Eigen::all, rows);
  std::vector<ShownPair> shown(pairs);
  for (Index axis = 0; axis < positions.cols(); ++axis) {
    const PairEstimates estimates =
        estimate_frequencies(fine, positions(rows, Eigen::all),
                             std::vector<std::size_t>(pairs, static_cast<std::size_t>(axis)));
    const bool clockwise = turn_clockwise(estimates);
    for (std::size_t t = 0; t < estimates.size(); ++t)
      shown[t].along.push_back(
          along_axis(phasors, static_cast<Index>(t), positions, axis,
                     frequency_from_zero(phasors, static_cast<Index>(t), positions, axis,
                                         estimates[t], clockwise)));
  }
  for (ShownPair& pair : shown) {
    if (pair.along.empty() || pair.along.front().turned < 16 * phasors.roundoff) continue;
    std::vector<std::size_t> agree;
    const auto best =
        std::max_element(pair.along.begin(), pair.along.end(),
                         [](const auto& a, const auto& b) { return a.agreement < b.agreement; });
    // Rounding turns a pair by about u; what the best axis leaves, others leave as well.
    constexpr double of_sums = 1e-13;
    const double near = of_sums + 100 * phasors.roundoff * phasors.roundoff +
                        0.5 * std::max<double>(0, 1 - best->agreement);
    for (std::size_t axis = 0; axis < pair.along.size(); ++axis)
      if (pair.along[axis].agreement > best->agreement - near) agree.push_back(axis);
    if (agree.size() == 1 && best->agreement > 1 - agreeing - 4 * phasors.roundoff)
      pair.axis = agree.front();
  }
  return shown;
}

/// All ways to share the pairs among so many axes.
void add_shares(Index pairs, std::size_t axes, std::vector<Index> first,
                std::vector<std::vector<Index>>& all) {
  if (axes == 1) {
    first.push_back(pairs);
    all.push_back(std::move(first));
    return;
  }
  for (Index own = 0; own <= pairs; ++own) {
    std::vector<Index> with = first;
    with.push_back(own);
    add_shares(pairs - own, axes - 1, std::move(with), all);
  }
}

/// @param order  the axis of each section
bool agrees(const std::vector<std::size_t>& sections, const std::vector<std::size_t>& order,
            const std::vector<ShownPair>& shown) {
  for (std::size_t t = 0; t < shown.size(); ++t)
    if (shown[t].axis && order[sections[t]] != *shown[t].axis) return false;
  return true;
}

/// Designs and sections that give each pair the axis that it shows, the sections' axes in that order.
std::vector<WrittenRope> designs_in_order(const WrittenRope& structure, std::size_t axes,
                                          const std::vector<std::size_t>& order,
                                          const std::vector<ShownPair>& shown) {
  using enum AxisDesign;
  std::vector<std::vector<Index>> shares;
  add_shares(pairs_of(structure), axes, {}, shares);
  std::vector<WrittenRope> found;
  for (const AxisDesign design : {chunked, interleaved, time_last, time_still, axial})
    for (const std::vector<Index>& sections : shares) {
      WrittenRope rope = structure;
      rope.design = design;
      rope.sections = sections;
      try {
        if (!agrees(axes_of_pairs(design, sections), order, shown)) continue;
      } catch (const UsageError&) {
        continue;  // sections that an interleaved design cannot have
      }
      found.push_back(rope);
      for (const AxisSeries series : {AxisSeries::own, AxisSeries::in_turn}) {
        if (design != chunked && design != interleaved) continue;
        if (design == chunked && series == AxisSeries::own) continue;  // axial
        found.push_back(rope);
        found.back().series = series;
      }
    }
  return found;
}

/// In the order of the axes, and in any other.
std::vector<WrittenRope> agreeing_designs(const WrittenRope& structure, std::size_t axes,
                                          const std::vector<ShownPair>& shown) {
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), 0);
  std::vector<WrittenRope> found = designs_in_order(structure, axes, order, shown);
  while (axes <= 3 && std::next_permutation(order.begin(), order.end()))
    for (WrittenRope& rope : designs_in_order(structure, axes, order, shown)) {
      rope.axis_order = order;
      found.push_back(std::move(rope));
    }
  return found;
}

PairEstimates estimates_along(const std::vector<ShownPair>& shown,
                              const std::vector<std::size_t>& axes) {
  PairEstimates estimates;
  for (std::size_t t = 0; t < shown.size(); ++t)
    estimates.push_back(shown[t].along[axes[t]].estimate);
  return estimates;
}

/// The rope with the base, and with a divisor of all frequencies too, at which ln|theta| comes
/// nearest to that of the pairs that are known to a tenth.
std::vector<WrittenRope> with_fitted_base(WrittenRope rope, const PairEstimates& estimates) {
  constexpr double known = 0.1;
  const double e = std::exp(1.0);
  rope.clockwise = turn_clockwise(estimates);
  rope.base = e;
  const std::vector<double> exponents = frequencies_of(rope);
  const double unit = size_of(rope.unit);
  WeightedLine line;
  for (std::size_t t = 0; t < estimates.size(); ++t) {
    const double size = std::abs(estimates[t].theta);
    if (!(exponents[t] > 0) || !(size > 0) || !(estimates[t].error < known * size)) continue;
    const double error = estimates[t].error / size + 1e-7;
    line.add(-std::log(exponents[t] / unit), -std::log(size / unit), 1 / (error * error));
  }
  std::vector<WrittenRope> found;
  const auto add = [&](double log_base, double divisor) {
    if (!(log_base > 0.05) || !(log_base < 40)) return;
    rope.base = std::exp(log_base);
    rope.scaling = {};
    if (divisor != 1) rope.scaling = {.kind = RopeScalingKind::linear, .factor = divisor};
    found.push_back(rope);
    for (const int digits : {1, 2, 3, 4}) {
      const double rounded = rounded_to_digits(std::exp(log_base), digits);
      if (!(std::abs(std::log(rounded) - log_base) < 1e-3)) continue;
      found.push_back(rope);
      found.back().base = rounded;
      break;
    }
  };
  if (line.wxx > 0) add(line.slope_from_zero(), 1);
  if (line.is_told()) {
    const double divisor = std::exp(line.intercept());
    if (divisor > 1.02) add(line.slope(), rounded_to_digits(divisor, 6));
  }
  return found;
}

/// The same where a coordinate of 1 is a whole turn: DINOv3.
void append_turns(WrittenRope rope, const PairEstimates& estimates, std::vector<WrittenRope>& all) {
  rope.unit = AngleUnit::turns;
  for (WrittenRope& fitted : with_fitted_base(rope, estimates)) all.push_back(std::move(fitted));
}

/// The base whose geometric series most pairs have; among equals the more usual one.
double base_of_most(const WrittenRope& structure, const PairEstimates& estimates,
                    std::vector<double> bases) {
  constexpr double same = 1e-4;
  bases.insert(bases.end(), known_bases().begin(), known_bases().end());
  for (const WrittenRope& fitted : with_fitted_base(structure, estimates))
    bases.push_back(fitted.base);
  double best = 10000;
  std::ptrdiff_t most = 1;  // a lone pair is in any series
  for (const double base : bases) {
    WrittenRope rope = structure;
    rope.base = base;
    const std::vector<double> theta = frequencies_of(rope);
    std::size_t t = 0;
    const auto count = std::count_if(estimates.begin(), estimates.end(), [&](const auto& e) {
      const double own = theta[t++];
      return std::abs(std::abs(e.theta) - own) <= same * own + e.error;
    });
    if (count <= most) continue;
    most = count;
    best = base;
  }
  return best;
}

/// A divisor of few digits where one is within three errors; else as precise as it is known.
double told_divisor(double divisor, double error, double least_error) {
  constexpr double errors = 3, loosest = 0.3, few = 1e-3;
  const double loose = std::clamp<double>(errors * error, least_error, loosest);
  const double rounded = with_few_digits(divisor, loose);
  const bool is_short = std::abs(with_few_digits(rounded, few) - rounded) <= 1e-12 * rounded;
  return is_short ? rounded
                  : with_few_digits(divisor, std::clamp<double>(error / 2, least_error, loosest));
}

/// The rope with the frequencies of the pairs, as a list of divisors of a geometric series. A pair
/// that turns by less than rounding keeps the frequency of the series where that is as slow. Empty
/// where a pair turns against the others, and where the series is what all pairs have.
std::optional<WrittenRope> with_list(const WrittenRope& structure, const PairEstimates& estimates,
                                     const std::vector<double>& bases, double reach,
                                     double roundoff, double least_error) {
  constexpr double clearly = 6;
  WrittenRope rope = structure;
  rope.clockwise = turn_clockwise(estimates);
  rope.base = base_of_most(structure, estimates, bases);
  const std::vector<double> series = frequencies_of(rope);
  rope.scaling.kind = RopeScalingKind::factors;
  for (std::size_t t = 0; t < estimates.size(); ++t) {
    const double theta = (rope.clockwise ? -1 : 1) * estimates[t].theta;
    const double error = estimates[t].error;
    if (theta < -clearly * error) return std::nullopt;
    double divisor = 1;
    if (theta > 0 && std::isfinite(error))
      divisor = told_divisor(series[t] / theta, error / theta, least_error);
    else if (!(series[t] * reach < roundoff) && std::isfinite(error))
      divisor = rounded_to_digits(series[t] * reach / roundoff, 1);  // turns by less than rounding
    rope.scaling.factors.push_back(divisor);
  }
  const std::vector<double>& factors = rope.scaling.factors;
  if (std::count(factors.begin(), factors.end(), 1.0) == std::ssize(factors)) return std::nullopt;
  return rope;
}

/// A rope and how far its frequencies are from those of the pairs.
struct Fit {
  WrittenRope rope{};
  double misfit{};
};

void put_amplitude(const PairPhasors& phasors, Precision format, WrittenRope& rope) {
  constexpr double told = 1e-3;
  if (std::abs(phasors.amplitude / amplitude_of(rope) - 1) > told)
    rope.amplitude = told_factor(rope, phasors.amplitude, format);
}

}  // namespace

std::vector<WrittenRope> listed_ropes(std::span<const StructureFit> structures, Precision format,
                                      const AxisPositions& positions) {
  constexpr std::size_t families = 8;
  constexpr Index rows = 8;  // of fewer any frequencies explain all that is there
  if (positions.rows() < rows || structures.empty()) return {};
  const auto axes = static_cast<std::size_t>(positions.cols());
  const double reach =
      structures.front().phasors.unit * static_cast<double>(positions.cwiseAbs().maxCoeff());
  std::vector<WrittenRope> ropes;
  for (const StructureFit& structure : structures)
    for (WrittenRope& series : ropes_in_series(structure, positions)) {
      put_amplitude(structure.phasors, format, series);
      ropes.push_back(std::move(series));
    }
  std::vector<double> bases;
  for (const WrittenRope& series : ropes) bases.push_back(series.base);
  for (const StructureFit& structure : structures) {
    const double roundoff = structure.phasors.roundoff;
    std::vector<WrittenRope> designs{structure.rope};
    const std::vector<ShownPair> shown = shown_pairs(structure.phasors, positions);
    if (axes > 1) designs = agreeing_designs(structure.rope, axes, shown);
    if (designs.empty()) continue;
    const WrittenRope& rope = designs.front();
    const std::vector<std::size_t> along = axes_of(rope, axes);
    const PairEstimates estimates = estimates_along(shown, along);
    for (WrittenRope& family : fit_families(rope, estimates, families, bases)) {
      family.rounding = fp32_stages();
      put_amplitude(structure.phasors, format, family);
      ropes.push_back(std::move(family));
    }
    for (const bool exact : {false, true}) {
      std::optional<WrittenRope> listed =
          with_list(rope, estimates, bases, reach, roundoff, exact ? 0 : of_fp32);
      if (!listed) continue;
      if (!exact) listed->rounding = fp32_stages();
      put_amplitude(structure.phasors, format, *listed);
      ropes.push_back(std::move(*listed));
    }
  }
  return ropes;
}

std::vector<WrittenRope> ropes_along_axes(std::span<const StructureFit> structures,
                                          Precision format, const AxisPositions& positions) {
  constexpr std::size_t kept = 8;
  constexpr double most_errors = 30;
  const auto axes = static_cast<std::size_t>(positions.cols());
  std::vector<WrittenRope> ropes;
  for (const StructureFit& structure : structures) {
    const std::vector<ShownPair> shown = shown_pairs(structure.phasors, positions);
    std::vector<Fit> fits;
    for (const WrittenRope& rope : agreeing_designs(structure.rope, axes, shown)) {
      const PairEstimates estimates = estimates_along(shown, axes_of(rope, axes));
      std::vector<WrittenRope> all = with_fitted_base(rope, estimates);
      if (structure.phasors.unit != 1) append_turns(rope, estimates, all);
      for (WrittenRope& fitted : all) {
        const double misfit = misfit_of(fitted, estimates, most_errors);
        fits.push_back({std::move(fitted), misfit});
      }
    }
    std::stable_sort(fits.begin(), fits.end(),
                     [](const Fit& a, const Fit& b) { return a.misfit < b.misfit; });
    for (std::size_t i = 0; i < std::min<std::size_t>(kept, fits.size()); ++i) {
      fits[i].rope.rounding = fp32_stages();
      ropes.push_back(fits[i].rope);
      put_amplitude(structure.phasors, format, ropes.back());
    }
  }
  return ropes;
}

}  // namespace orrery
