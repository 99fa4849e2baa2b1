#include "experiments/identify/row_reader.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <utility>
#include <vector>

namespace orrery {

namespace {

using Complex = std::complex<double>;

}  // namespace

double wrapped(double angle) {
  return angle - 2 * std::numbers::pi * std::nearbyint(angle / (2 * std::numbers::pi));
}

double Reader::agreement(Index row, Position p) const {
  constexpr double sure = 0.3;
  constexpr std::size_t fewest = 4;
  const auto distance = static_cast<double>(p);
  double sum = 0, weight = 0;
  std::size_t telling = 0;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    if (!(error[t] * std::abs(distance) < sure)) continue;
    ++telling;
    const auto pair = static_cast<Index>(t);
    const double w = phasors->weights(pair, row);
    sum += w * (phasors->turns(pair, row) * std::polar(1.0, -theta[t] * distance)).real();
    weight += w;
  }
  if (telling < std::min<std::size_t>(fewest, theta.size())) return 0;
  return weight > 0 ? sum / weight : 1.0;
}

Reader::Miss Reader::miss(Index row, Position p) const {
  const auto distance = static_cast<double>(p);
  Miss miss;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const auto pair = static_cast<Index>(t);
    if (!(phasors->weights(pair, row) > 0)) continue;
    const double off = wrapped(std::arg(phasors->turns(pair, row)) - theta[t] * distance);
    const double noise = 2 * noise_of(*phasors, theta[t] * distance);
    const double errors = off / std::hypot(noise, error[t] * distance);
    miss.sum_of_squares += errors * errors;
    miss.largest = std::max<double>(miss.largest, std::abs(errors));
  }
  return miss;
}

bool Reader::may_lie_at(Index row, Position p) const {
  constexpr double clearly = 10;  // squared standard errors
  const Miss here = miss(row, p);
  if (!(here.largest <= most_deviations)) return false;
  return !tells(1) ||
         here.sum_of_squares < clearly + std::min<double>(miss(row, p - 1).sum_of_squares,
                                                          miss(row, p + 1).sum_of_squares);
}

bool Reader::tells(Position p) const {
  constexpr double clearly = 40;  // squared standard errors of a position
  const auto distance = static_cast<double>(p);
  double information = 0;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const double noise = 2 * noise_of(*phasors, theta[t] * distance);
    information += std::pow(theta[t] / std::hypot(noise, error[t] * distance), 2);
  }
  return information > clearly;
}

std::optional<Position> Reader::near(Index row, Position expected, Position first,
                                     Position last) const {
  constexpr Position close = 64;
  if (!(phasors->weights.col(row).sum() > 0)) return expected;  // a row of zeros
  const double most = agreement(row, expected);
  const bool is_best = most > agreement(row, expected - 1) && most > agreement(row, expected + 1);
  if (most >= least_agreement && (is_best || may_lie_at(row, expected))) return expected;
  const Position best = best_between(row, first, last);
  const bool agrees = agreement(row, best) >= least_agreement;
  const bool sure = std::abs(best - expected) <= close || (fits(row, best) && tells(best));
  return agrees && sure ? std::optional(best) : std::nullopt;
}

Position Reader::best_between(Index row, Position first, Position last) const {
  std::vector<Complex> hands, steps;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const auto pair = static_cast<Index>(t);
    hands.push_back(phasors->weights(pair, row) * phasors->turns(pair, row) *
                    std::polar(1.0, -theta[t] * static_cast<double>(first)));
    steps.push_back(std::polar(1.0, -theta[t]));
  }
  return first + best_step(std::move(hands), steps, last - first);
}

double Reader::mean_agreement(const std::vector<Position>& positions) const {
  double sum = 0;
  for (std::size_t n = 0; n < positions.size(); ++n)
    sum += agreement(static_cast<Index>(n), positions[n]);
  return sum / static_cast<double>(positions.size());
}

namespace {

/// Rows that turn by more than rounding from the row before; rows of padding do not.
std::vector<Index> moved_rows(const PairPhasors& phasors) {
  const double still = 16 * phasors.roundoff;
  std::vector<Index> moved;
  for (Index n = 1; n < phasors.turns.cols(); ++n) {
    double most = 0;
    for (Index t = 0; t < phasors.turns.rows(); ++t)
      most = std::max<double>(most, std::abs(phasors.turns(t, n) - phasors.turns(t, n - 1)));
    if (most > still) moved.push_back(n);
  }
  return moved;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Runs of rows, the longest first.
std::vector<RowRun> row_runs_of(const PairPhasors& phasors, Reader reader) {
  PairPhasors steps = phasors;
  for (Index n = phasors.turns.cols() - 1; n > 0; --n)
    for (Index t = 0; t < phasors.turns.rows(); ++t) {
      steps.turns(t, n) = phasors.turns(t, n) * std::conj(phasors.turns(t, n - 1));
      steps.weights(t, n) = std::min<double>(phasors.weights(t, n), phasors.weights(t, n - 1));
    }
  reader.phasors = &steps;
  constexpr int most_jumps = 64;
  int jumps = 0;
  std::vector<RowRun> runs;
  RowRun run{0, {0}};
  for (Index n = 1; n < phasors.turns.cols(); ++n) {
    const Position reach = jumps < most_jumps ? farthest_near : 1;
    const std::optional<Position> step = reader.near(n, 1, -reach, reach);
    if (!step || *step != 1) ++jumps;
    if (step) {
      run.positions.push_back(run.positions.back() + *step);
      continue;
    }
    runs.push_back(std::move(run));
    run = {n, {0}};
  }
  runs.push_back(std::move(run));
  std::stable_sort(runs.begin(), runs.end(), [](const RowRun& a, const RowRun& b) {
    return a.positions.size() > b.positions.size();
  });
  return runs;
}

/// The line of a pair's angles over the positions of a run.
struct AngleLine {
  double theta{};
  double left{};     ///< rad, root mean square of what rows miss it by
  double inertia{};  ///< Σ of squares of the distances from the middle; 0 where there is no line
};

AngleLine line_of_run(const PairPhasors& run, Index t, const std::vector<Position>& positions,
                      double theta) {
  const auto turned_back = [&](std::size_t n) {
    return run.turns(t, static_cast<Index>(n)) *
           std::polar(1.0, -theta * static_cast<double>(positions[n]));
  };
  Complex hand;
  double w = 0, wx = 0;
  for (std::size_t n = 0; n < positions.size(); ++n) {
    const double weight = run.weights(t, static_cast<Index>(n));
    hand += weight * turned_back(n);
    w += weight;
    wx += weight * static_cast<double>(positions[n]);
  }
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t n = 0; n < positions.size(); ++n) {
    const double weight = run.weights(t, static_cast<Index>(n));
    const double x = static_cast<double>(positions[n]) - wx / w;
    const double y = std::arg(std::conj(hand) * turned_back(n));
    xx += weight * x * x;
    xy += weight * x * y;
    yy += weight * y * y;
  }
  if (!(xx > 0)) return {.theta = theta};
  return {theta + xy / xx, std::sqrt(std::max<double>(0, yy - xy * xy / xx) / w), xx};
}

/// What most of the fast pairs miss their lines by beyond what the tensor rounds, over their
/// frequency: far from 0 angles of fp32 have a quantum, of which a pair may turn by whole numbers.
double quantum_of(const std::vector<AngleLine>& lines, double roundoff) {
  std::vector<double> beyond;
  for (std::size_t t = 0; t < (lines.size() + 1) / 2; ++t) {
    const double excess = lines[t].left * lines[t].left - 4 * roundoff * roundoff;
    beyond.push_back(excess > 0 ? std::sqrt(excess) / std::abs(lines[t].theta) : 0);
  }
  return median_of(std::move(beyond));
}

}  // namespace

namespace {

/// How far pairs turn to those rows from the rows before: the medians.
Reader turns_to(const PairPhasors& phasors, const std::vector<Index>& rows) {
  Reader reader{.theta = std::vector<double>(static_cast<std::size_t>(phasors.turns.rows()), 0)};
  reader.error = reader.theta;
  for (std::size_t t = 0; t < reader.theta.size() && !rows.empty(); ++t) {
    const auto pair = static_cast<Index>(t);
    std::vector<double> angles;
    for (const Index n : rows)
      angles.push_back(std::arg(std::conj(phasors.turns(pair, n - 1)) * phasors.turns(pair, n)));
    reader.theta[t] = median_of(angles);
    for (double& angle : angles) angle = std::abs(angle - reader.theta[t]);
    reader.error[t] = median_of(angles) + phasors.roundoff;
  }
  return reader;
}

}  // namespace

Reader turns_per_row(const PairPhasors& phasors) {
  const std::vector<Index> moved = moved_rows(phasors);
  const auto rows = static_cast<std::size_t>(std::max<Index>(phasors.turns.cols() - 1, 0));
  if (2 * moved.size() < rows) {  // a slow rope moves rows by less than is told of one
    std::vector<Index> all(rows);
    std::iota(all.begin(), all.end(), 1);
    Reader reader = turns_to(phasors, all);
    for (const double theta : reader.theta)
      if (std::abs(theta) > phasors.roundoff) return reader;
  }
  return turns_to(phasors, moved);
}

PairPhasors of_run(const PairPhasors& phasors, const RowRun& run) {
  PairPhasors part = phasors;
  const auto count = static_cast<Index>(run.positions.size());
  part.turns = phasors.turns.middleCols(run.first, count);
  part.weights = phasors.weights.middleCols(run.first, count);
  for (Index t = 0; t < part.turns.rows(); ++t) part.turns.row(t) *= std::conj(part.turns(t, 0));
  return part;
}

void read_run(const PairPhasors& run, const std::vector<Position>& positions, Reader& reader) {
  constexpr double bias = 0.3, most_turned = 1.5;
  const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
  const auto span = static_cast<double>(*high - *low);
  const auto estimates = estimate_frequencies(run, positions);
  std::vector<AngleLine> lines;
  for (std::size_t t = 0; t < estimates.size(); ++t) {
    const bool follows = estimates[t].error * span < most_turned;
    const AngleLine known{.theta = estimates[t].theta};
    lines.push_back(follows ? line_of_run(run, static_cast<Index>(t), positions, known.theta)
                            : known);
  }
  if (lines.empty()) return;
  const double quantum = quantum_of(lines, run.roundoff), least = bias * run.roundoff;
  for (std::size_t t = 0; t < lines.size(); ++t) {
    const double left =
        std::max<double>({lines[t].left, least, quantum * std::abs(lines[t].theta)});
    reader.theta[t] = lines[t].theta;
    reader.error[t] = lines[t].inertia > 0
                          ? std::max<double>(left / std::sqrt(lines[t].inertia), least / span)
                          : estimates[t].error;
  }
}

Reader reader_of(const StructureFit& fit, RowRun& run) {
  constexpr int rounds = 3;
  constexpr std::size_t most_runs = 3, fewest_rows = 4;
  Reader reader = turns_per_row(fit.phasors), best = reader;
  for (int round = 0; round < rounds; ++round) {
    std::vector<RowRun> runs = row_runs_of(fit.phasors, reader);
    if (round > 0 && runs.front().positions.size() <= run.positions.size()) break;
    double least = 0;  // far from 0 angles are coarse: a shorter run may say more
    for (std::size_t i = 0; i < std::min<std::size_t>(most_runs, runs.size()); ++i) {
      if (i > 0 && runs[i].positions.size() < fewest_rows) break;
      Reader own = reader;
      read_run(of_run(fit.phasors, runs[i]), runs[i].positions, own);
      double open = 0;
      for (const double error : own.error) open += std::log(error);
      if (i > 0 && !(open < least)) continue;
      least = open;
      run = std::move(runs[i]);
      best = std::move(own);
    }
    reader = best;
  }
  reader.phasors = &fit.phasors;
  return reader;
}

}  // namespace orrery
