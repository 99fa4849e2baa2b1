#include "experiments/identify/structures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace orrery {
namespace {

using Complex = std::complex<double>;

struct PairSums {
  double before{0};      ///< Σ|X|² over heads
  double after{0};       ///< Σ|Y|²
  Complex product{0.0};  ///< Σ conj(X) Y
};

PairSums sums_of(const WrittenPair& at, const RotationSample& sample, Index n) {
  PairSums sums;
  for (Index h = 0; h < sample.heads(); ++h) {
    const Index i = h * sample.rows() + n;
    const Complex x(sample.before(i, at.a), sample.before(i, at.b));
    const Complex y(sample.after(i, at.out_a), sample.after(i, at.out_b));
    sums.before += std::norm(x);
    sums.after += std::norm(y);
    sums.product += std::conj(x) * y;
  }
  return sums;
}

/// The stretch of most pairs, from the pairs whose own is near the median.
double common_stretch(const std::vector<PairSums>& sums) {
  std::vector<double> ratios;
  for (const PairSums& s : sums)
    if (s.before > 0) ratios.push_back(s.after / s.before);
  if (ratios.empty()) return 1.0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  constexpr double near = 0.1;
  double before = 0, after = 0;
  for (const PairSums& s : sums) {
    if (!(std::abs(s.after - *middle * s.before) <= near * *middle * s.before)) continue;
    before += s.before;
    after += s.after;
  }
  return before > 0 && after > 0 ? std::sqrt(after / before) : 1.0;
}

/// Σ of squares in units of rounding over one pair and row.
double pair_misfit(const WrittenPair& at, const RotationSample& sample, Index n, Complex turn) {
  double sum = 0;
  for (Index h = 0; h < sample.heads(); ++h) {
    const Index i = h * sample.rows() + n;
    const Complex y = turn * Complex(sample.before(i, at.a), sample.before(i, at.b));
    const double ea = (sample.after(i, at.out_a) - y.real()) / sample.unit(i, at.out_a);
    const double eb = (sample.after(i, at.out_b) - y.imag()) / sample.unit(i, at.out_b);
    sum += ea * ea + eb * eb;
  }
  return sum;
}

/// Σ of squares of the channels that have no pair, as they are and multiplied by a.
struct MisfitOfOthers {
  double sum, stretched;
};

MisfitOfOthers misfit_of_others(const std::vector<bool>& paired, const RotationSample& sample,
                                double a) {
  double sum = 0, stretched = 0;
  for (Index i = 0; i < sample.before.rows(); ++i)
    for (Index c = 0; c < sample.before.cols(); ++c) {
      if (paired[static_cast<std::size_t>(c)]) continue;
      const double x = sample.before(i, c), y = sample.after(i, c), unit = sample.unit(i, c);
      const double off = (y - x) / unit, stretched_off = (y - a * x) / unit;
      sum += off * off;
      stretched += stretched_off * stretched_off;
    }
  return {sum, stretched};
}

/// Two rows, and the distance between their positions.
struct RowPair {
  Index i, j;
  double distance;
};

/// Pairs of rows so far apart, the first in the order of rows.
std::vector<RowPair> pairs_at(const std::vector<Position>& positions, double least, double most) {
  constexpr std::size_t enough = 24;
  std::vector<RowPair> pairs;
  const auto count = static_cast<Index>(positions.size());
  for (Index j = 1; j < count && pairs.size() < enough; ++j)
    for (Index i = 0; i < j && pairs.size() < enough; ++i) {
      const auto distance = static_cast<double>(positions[static_cast<std::size_t>(j)] -
                                                positions[static_cast<std::size_t>(i)]);
      if (std::abs(distance) >= least && std::abs(distance) < most)
        pairs.push_back({i, j, distance});
    }
  return pairs;
}

double least_gap(const std::vector<Position>& positions) {
  std::vector<Position> sorted = positions;
  std::sort(sorted.begin(), sorted.end());
  Position least = 0;
  for (std::size_t n = 1; n < sorted.size(); ++n) {
    const Position gap = sorted[n] - sorted[n - 1];
    if (gap > 0 && (least == 0 || gap < least)) least = gap;
  }
  return static_cast<double>(least);
}

/// What a level of distances says about one pair's frequency.
struct Level {
  double correction{0};
  double error{0};
  bool agrees{false};
};

Level level_of(const PairPhasors& phasors, Index t, const std::vector<RowPair>& rows,
               double theta) {
  Complex resultant = 0.0;
  double weight = 0, moment = 0, inertia = 0, squares = 0;
  for (const RowPair& pair : rows) {
    const Complex turn = std::conj(phasors.turns(t, pair.i)) * phasors.turns(t, pair.j) *
                         std::polar(1.0, -theta * pair.distance);
    const double w = std::min<double>(phasors.weights(t, pair.i), phasors.weights(t, pair.j));
    if (!(std::norm(turn) > 0) || !(w > 0)) continue;
    const double angle = std::arg(turn);
    resultant += w * turn;
    weight += w;
    moment += w * angle * pair.distance;
    inertia += w * pair.distance * pair.distance;
    squares += w * angle * angle;
  }
  constexpr double agreeing = 0.7;
  if (!(weight > 0) || !(inertia > 0)) return {};
  const double correction = moment / inertia;
  const double variance = std::max<double>(squares / weight - correction * moment / weight, 0.0);
  return {correction, std::sqrt(variance * weight / inertia / static_cast<double>(rows.size())),
          std::abs(resultant) >= agreeing * weight};
}

/// The first level has one distance: the angle of the summed turns is the best start.
double first_theta(const PairPhasors& phasors, Index t, const std::vector<RowPair>& rows) {
  Complex resultant = 0.0;
  for (const RowPair& pair : rows) {
    const Complex turn = std::conj(phasors.turns(t, pair.i)) * phasors.turns(t, pair.j);
    const double w = std::min<double>(phasors.weights(t, pair.i), phasors.weights(t, pair.j));
    resultant += w * (pair.distance > 0 ? turn : std::conj(turn));
  }
  return std::arg(resultant) / std::abs(rows.front().distance);
}

using Levels = std::vector<std::vector<RowPair>>;

/// Pairs of rows at the least distance, and at distances that grow. Empty where all are equal.
Levels levels_of(const std::vector<Position>& positions) {
  const double gap = least_gap(positions);
  if (gap == 0) return {};
  const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
  const auto span = static_cast<double>(*high - *low);
  Levels levels{pairs_at(positions, gap, gap * 1.0001)};
  for (double distance = 1.5 * gap; distance <= span; distance *= 1.7)
    levels.push_back(pairs_at(positions, distance, 1.7 * distance));
  return levels;
}

/// Per unit of the positions as they are given.
FrequencyEstimate per_unit(FrequencyEstimate estimate, double unit) {
  return {estimate.theta / unit, estimate.error / unit, estimate.period / unit};
}

FrequencyEstimate estimate_pair(const PairPhasors& phasors, Index t, const Levels& levels,
                                double gap) {
  constexpr double bias = 0.3, most_turned = 1.5;
  FrequencyEstimate estimate{first_theta(phasors, t, levels.front()), std::numbers::pi / gap,
                             2 * std::numbers::pi / gap};
  for (const std::vector<RowPair>& rows : levels) {
    if (rows.empty()) continue;
    const double distance = std::abs(rows.back().distance);
    if (estimate.error * distance > most_turned && &rows != &levels.front()) break;
    const Level level = level_of(phasors, t, rows, estimate.theta);
    if (!level.agrees) break;
    estimate.theta += level.correction;
    estimate.error = std::max<double>(level.error, bias * phasors.roundoff / distance);
  }
  return per_unit(estimate, phasors.unit);
}

}  // namespace

PairPhasors pair_phasors(const WrittenRope& structure, const RotationSample& sample) {
  const Index pairs = pairs_of(structure), rows = sample.rows();
  std::vector<PairSums> sums;
  for (Index t = 0; t < pairs; ++t)
    for (Index n = 0; n < rows; ++n) sums.push_back(sums_of(pair_at(structure, t), sample, n));
  PairPhasors found{.turns = Matrix<Complex>::Zero(pairs, rows),
                    .weights = Matrix<double>::Zero(pairs, rows),
                    .amplitude = common_stretch(sums),
                    .roundoff = unit_roundoff(sample.format),
                    .unit = sample.places.unit};
  const double mean =
      std::accumulate(sums.begin(), sums.end(), 0.0,
                      [](double sum, const PairSums& s) { return sum + s.before; }) /
      static_cast<double>(sums.size());
  std::vector<bool> paired(static_cast<std::size_t>(structure.d_head), false);
  double misfit = 0;
  for (Index t = 0; t < pairs; ++t) {
    const WrittenPair at = pair_at(structure, t);
    paired[static_cast<std::size_t>(at.a)] = paired[static_cast<std::size_t>(at.b)] = true;
    for (Index n = 0; n < rows; ++n) {
      const PairSums& s = sums[static_cast<std::size_t>(t * rows + n)];
      const double length = std::abs(s.product);
      if (length > 0) {
        found.turns(t, n) = s.product / length;
        found.weights(t, n) = s.before / mean;
      }
      misfit += pair_misfit(at, sample, n, found.amplitude * found.turns(t, n));
    }
  }
  const MisfitOfOthers others = misfit_of_others(paired, sample, found.amplitude);
  found.others_stretched =
      others.stretched < others.sum && std::abs(found.amplitude - 1) > found.roundoff;
  misfit += found.others_stretched ? others.stretched : others.sum;
  found.misfit = misfit / static_cast<double>(sample.before.size());
  return found;
}

Index best_step(std::vector<Complex> hands, const std::vector<Complex>& factors, Index steps) {
  Index best = 0;
  double most = -1e300;
  for (Index step = 0; step < steps; ++step) {
    double sum = 0;
    for (std::size_t i = 0; i < hands.size(); ++i) {
      sum += hands[i].real();
      hands[i] *= factors[i];
    }
    if (!(sum > most)) continue;
    most = sum;
    best = step;
  }
  return best;
}

std::vector<FrequencyEstimate> estimate_frequencies(const PairPhasors& phasors,
                                                    const std::vector<Position>& positions) {
  const Levels levels = levels_of(positions);
  if (levels.empty()) return {};
  std::vector<FrequencyEstimate> found;
  for (Index t = 0; t < phasors.turns.rows(); ++t)
    found.push_back(estimate_pair(phasors, t, levels, least_gap(positions)));
  return found;
}

std::vector<FrequencyEstimate> estimate_frequencies(const PairPhasors& phasors,
                                                    const AxisPositions& positions,
                                                    const std::vector<std::size_t>& axes) {
  std::vector<Levels> levels;
  std::vector<double> gaps;
  for (Index axis = 0; axis < positions.cols(); ++axis) {
    std::vector<Position> along;
    for (Index n = 0; n < positions.rows(); ++n) along.push_back(positions(n, axis));
    levels.push_back(levels_of(along));
    gaps.push_back(least_gap(along));
  }
  if (std::all_of(levels.begin(), levels.end(), [](const Levels& l) { return l.empty(); }))
    return {};
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr FrequencyEstimate unknown{0, infinite, infinite};
  std::vector<FrequencyEstimate> found;
  for (Index t = 0; t < phasors.turns.rows(); ++t) {
    const std::size_t axis = axes[static_cast<std::size_t>(t)];
    if (levels[axis].empty())
      found.push_back(unknown);
    else
      found.push_back(estimate_pair(phasors, t, levels[axis], gaps[axis]));
  }
  return found;
}

double noise_of(const PairPhasors& phasors, double turned) {
  constexpr double of_angles = 8e-8;
  return phasors.roundoff + of_angles * std::abs(turned);
}

double noise_of_angle(const PairPhasors& phasors, double angle) {
  const bool is_finer = phasors.roundoff < unit_roundoff(Precision::fp32);
  return is_finer ? 1 : noise_of(phasors, angle) / phasors.roundoff;
}

namespace {

/// Rows of a pair along one axis.
struct PairRows {
  std::vector<double> positions{};
  std::vector<Complex> hands{};  ///< as long as the row is sure of its angle
};

/// Far from position 0 angles of fp32 are coarse: rows there say less of aliases.
PairRows rows_of_pair(const PairPhasors& phasors, Index t, const AxisPositions& positions,
                      Index axis, double theta) {
  PairRows rows;
  for (Index n = 0; n < positions.rows(); ++n) {
    const double p = phasors.unit * static_cast<double>(positions(n, axis));
    const double noise = noise_of_angle(phasors, theta * p);
    rows.positions.push_back(p);
    rows.hands.push_back(phasors.weights(t, n) / (noise * noise) * phasors.turns(t, n));
  }
  return rows;
}

/// The frequency from `first` on in so many steps with which most rows agree.
double best_frequency(const PairRows& rows, double first, double step, int steps) {
  std::vector<Complex> hands, turns;
  for (std::size_t n = 0; n < rows.hands.size(); ++n) {
    hands.push_back(rows.hands[n] * std::polar(1.0, -first * rows.positions[n]));
    turns.push_back(std::polar(1.0, -step * rows.positions[n]));
  }
  const Index best = best_step(std::move(hands), turns, steps);
  return first + static_cast<double>(best) * step;
}

}  // namespace

FrequencyEstimate frequency_from_zero(const PairPhasors& phasors, Index t,
                                      const AxisPositions& positions, Index axis,
                                      FrequencyEstimate estimate, bool clockwise) {
  constexpr double errors = 4, bias = 0.3, fastest = 2.2;
  constexpr int most_steps = 1 << 17, rounds = 3;
  const double reach =
      phasors.unit * static_cast<double>(positions.col(axis).cwiseAbs().maxCoeff());
  if (reach == 0 || !std::isfinite(estimate.error)) return estimate;
  const double step = 0.5 / reach;
  const double open = std::min<double>(most_steps * step, errors * estimate.error);
  double low = estimate.theta - open, high = estimate.theta + open;
  if (estimate.period < 2 * fastest && 2 * fastest < most_steps * step) {
    low = -fastest;  // no rows are neighbours: the estimate is one of many
    high = fastest;
  } else if (clockwise) {
    high = low < 0 ? std::min<double>(high, 0) : high;
  } else {
    low = high > 0 ? std::max<double>(low, 0) : low;
  }
  const PairRows rows = rows_of_pair(phasors, t, positions, axis, estimate.theta);
  estimate.theta = best_frequency(rows, low, step, static_cast<int>((high - low) / step) + 1);
  for (int round = 0; round < rounds; ++round) {
    double moment = 0, inertia = 0;
    for (std::size_t n = 0; n < rows.hands.size(); ++n) {
      const double p = rows.positions[n], sure = std::abs(rows.hands[n]);
      moment += sure * p * std::arg(rows.hands[n] * std::polar(1.0, -estimate.theta * p));
      inertia += sure * p * p;
    }
    if (!(inertia > 0)) return estimate;
    estimate.theta += moment / inertia;
  }
  constexpr double of_frequency = 3e-8;  // half a unit in the last place
  const double of_angles = of_frequency * std::abs(estimate.theta);
  estimate.error = std::min<double>(estimate.error, bias * phasors.roundoff / reach + of_angles);
  return estimate;
}

}  // namespace orrery
