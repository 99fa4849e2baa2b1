#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <optional>

#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/structures.h"

namespace orrery {
namespace {

using Complex = std::complex<double>;

/// Below this mean cosine between what pairs turned and what a position turns, it is not that one.
constexpr double least_agreement = 0.98;
constexpr Position farthest_near = 4096;  // which a row is looked for at first

double wrapped(double angle) {
  return angle - 2 * std::numbers::pi * std::nearbyint(angle / (2 * std::numbers::pi));
}

/// What a row's angle misses of p·theta: what the tensor rounds, and what fp32 leaves of angles.
double noise_of(const PairPhasors& phasors, double turned) {
  constexpr double of_angles = 8e-8;
  return phasors.roundoff + of_angles * std::abs(turned);
}

constexpr double most_deviations = 5;  // of a sound angle, in standard errors

/// Frequencies that rows show, with the turns of the pairs in every row.
struct Reader {
  WrittenRope structure{};
  std::vector<double> theta{};  ///< counter-clockwise
  std::vector<double> error{};  ///< of theta
  const PairPhasors* phasors{};
  /// So many pairs, the fastest, have the frequencies e^(−steepness·t)/divisor.
  std::size_t series{0};
  double divisor{1}, steepness{0}, steepness_error{0};

  /// 1 where the pairs of the row have turned by p·theta whose frequencies are known well enough to
  /// say so; 0 where these are few.
  double agreement(Index row, Position p) const {
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

  /// Whether no pair misses p·theta by more than is left open.
  bool fits(Index row, Position p) const {
    const auto distance = static_cast<double>(p);
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const auto pair = static_cast<Index>(t);
      if (!(phasors->weights(pair, row) > 0)) continue;
      const double off = wrapped(std::arg(phasors->turns(pair, row)) - theta[t] * distance);
      const double noise = 2 * noise_of(*phasors, theta[t] * distance);
      if (std::abs(off) > most_deviations * std::hypot(noise, error[t] * distance)) return false;
    }
    return true;
  }

  /// Whether angles tell p from its neighbours.
  bool tells(Position p) const {
    constexpr double clearly = 40;  // squared standard errors of a position
    const auto distance = static_cast<double>(p);
    double information = 0;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const double noise = 2 * noise_of(*phasors, theta[t] * distance);
      information += std::pow(theta[t] / std::hypot(noise, error[t] * distance), 2);
    }
    return information > clearly;
  }

  /// `expected` where the row agrees with it, and better than with its neighbours; else the best
  /// position from `first` to before `last`. Empty where the row agrees with none.
  std::optional<Position> near(Index row, Position expected, Position first, Position last) const {
    constexpr Position close = 64;
    if (!(phasors->weights.col(row).sum() > 0)) return expected;  // a row of zeros
    const double most = agreement(row, expected);
    const bool is_best = most > agreement(row, expected - 1) && most > agreement(row, expected + 1);
    if (most >= least_agreement && (is_best || (!tells(1) && fits(row, expected)))) return expected;
    const Position best = best_between(row, first, last);
    const bool agrees = agreement(row, best) >= least_agreement;
    const bool sure = std::abs(best - expected) <= close || (fits(row, best) && tells(best));
    return agrees && sure ? std::optional(best) : std::nullopt;
  }

  /// The position from `first` to before `last` with which the row agrees most.
  Position best_between(Index row, Position first, Position last) const {
    std::vector<Complex> hands, steps;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const auto pair = static_cast<Index>(t);
      hands.push_back(phasors->weights(pair, row) * phasors->turns(pair, row) *
                      std::polar(1.0, -theta[t] * static_cast<double>(first)));
      steps.push_back(std::polar(1.0, -theta[t]));
    }
    Position best = first;
    double most = -1e300;
    for (Position p = first; p < last; ++p) {
      double sum = 0;
      for (std::size_t t = 0; t < hands.size(); ++t) {
        sum += hands[t].real();
        hands[t] *= steps[t];
      }
      if (!(sum > most)) continue;
      most = sum;
      best = p;
    }
    return best;
  }

  double mean_agreement(const std::vector<Position>& positions) const {
    double sum = 0;
    for (std::size_t n = 0; n < positions.size(); ++n)
      sum += agreement(static_cast<Index>(n), positions[n]);
    return sum / static_cast<double>(positions.size());
  }
};

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

/// How far pairs turn from one row to the next: the medians, as most rows follow each other.
Reader turns_per_row(const PairPhasors& phasors) {
  const std::vector<Index> moved = moved_rows(phasors);
  Reader reader{.theta = std::vector<double>(static_cast<std::size_t>(phasors.turns.rows()), 0)};
  reader.error = reader.theta;
  for (std::size_t t = 0; t < reader.theta.size() && !moved.empty(); ++t) {
    const auto pair = static_cast<Index>(t);
    std::vector<double> angles;
    for (const Index n : moved)
      angles.push_back(std::arg(std::conj(phasors.turns(pair, n - 1)) * phasors.turns(pair, n)));
    reader.theta[t] = median_of(angles);
    for (double& angle : angles) angle = std::abs(angle - reader.theta[t]);
    reader.error[t] = median_of(angles) + phasors.roundoff;
  }
  return reader;
}

/// Rows that follow each other by known steps: the longest run of them.
struct Run {
  Index first{};
  std::vector<Position> positions{};  ///< from 0 on
};

Run longest_run(const PairPhasors& phasors, Reader reader) {
  PairPhasors steps = phasors;
  for (Index n = phasors.turns.cols() - 1; n > 0; --n)
    for (Index t = 0; t < phasors.turns.rows(); ++t) {
      steps.turns(t, n) = phasors.turns(t, n) * std::conj(phasors.turns(t, n - 1));
      steps.weights(t, n) = std::min<double>(phasors.weights(t, n), phasors.weights(t, n - 1));
    }
  reader.phasors = &steps;
  constexpr int most_jumps = 64;
  int jumps = 0;
  Run longest, run{0, {0}};
  for (Index n = 1; n < phasors.turns.cols(); ++n) {
    const Position reach = jumps < most_jumps ? farthest_near : 1;
    const std::optional<Position> step = reader.near(n, 1, -reach, reach);
    if (!step || *step != 1) ++jumps;
    if (step) {
      run.positions.push_back(run.positions.back() + *step);
      continue;
    }
    if (run.positions.size() > longest.positions.size()) longest = run;
    run = {n, {0}};
  }
  return run.positions.size() > longest.positions.size() ? run : longest;
}

/// The turns of a run's rows, each turned back by those of its first.
PairPhasors of_run(const PairPhasors& phasors, const Run& run) {
  PairPhasors part = phasors;
  const auto count = static_cast<Index>(run.positions.size());
  part.turns = phasors.turns.middleCols(run.first, count);
  part.weights = phasors.weights.middleCols(run.first, count);
  for (Index t = 0; t < part.turns.rows(); ++t) part.turns.row(t) *= std::conj(part.turns(t, 0));
  return part;
}

/// The angles of a row, by pair.
std::vector<double> angles_of(const Reader& reader, Index row) {
  std::vector<double> angles;
  for (Index t = 0; t < reader.phasors->turns.rows(); ++t)
    angles.push_back(std::arg(reader.phasors->turns(t, row)));
  return angles;
}

/// Pairs of the series in the order in which they say its steepness: the least turned by it first,
/// so that each is unwrapped by what those before it left open.
std::vector<std::size_t> telling_order(const Reader& reader) {
  std::vector<std::size_t> order(reader.series - 1);
  std::iota(order.begin(), order.end(), 1);
  const auto turned = [&](std::size_t t) {
    return std::abs(reader.theta[t]) * static_cast<double>(t);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return turned(a) < turned(b); });
  return order;
}

/// The steepness of the series with which a row lies at p, and its error; empty where none does.
struct Steepness {
  double value{}, variance{};
};
std::optional<Steepness> steepness_at(const Reader& reader, const std::vector<std::size_t>& order,
                                      const std::vector<double>& angles, double p) {
  Steepness found{reader.steepness, reader.steepness_error * reader.steepness_error};
  std::size_t told = 0;
  for (const std::size_t t : order) {
    const auto along = static_cast<double>(t);
    const double turned = p * reader.theta[t] * std::exp((reader.steepness - found.value) * along);
    const double slope = turned * along, unsure = slope * slope * found.variance;
    if (unsure > 1) continue;
    ++told;
    const double noise = noise_of(*reader.phasors, turned), spread = unsure + noise * noise;
    const double off = wrapped(angles[t] - turned);
    if (off * off > most_deviations * most_deviations * spread) return std::nullopt;
    found.value -= found.variance * slope / spread * off;
    found.variance *= noise * noise / spread;
  }
  constexpr std::size_t fewest = 3;
  return told >= fewest ? std::optional(found) : std::nullopt;
}

/// The reader with the frequencies of its series.
Reader in_series(Reader reader) {
  const double sign = reader.theta.front() < 0 ? -1 : 1;
  for (std::size_t t = 0; t < reader.series; ++t) {
    const auto along = static_cast<double>(t);
    reader.theta[t] = sign * std::exp(-reader.steepness * along) / reader.divisor;
    reader.error[t] = std::abs(reader.theta[t]) * along * reader.steepness_error;
  }
  return reader;
}

/// The reader where a row lies at p: frequencies that are known well enough are those whose angles
/// the row shows.
Reader placed(Reader reader, const std::vector<double>& angles, double p) {
  for (std::size_t t = 0; t < reader.theta.size(); ++t) {
    const double reach = std::abs(p), off = wrapped(angles[t] - reader.theta[t] * p);
    const double noise = noise_of(*reader.phasors, reader.theta[t] * p);
    if (!(reader.error[t] * reach < 0.5) || !(reader.error[t] * reach > noise)) continue;
    reader.theta[t] += off / p;
    reader.error[t] = noise / reach;
  }
  return reader;
}

Reader with_steepness(Reader reader, const Steepness& steepness) {
  reader.steepness = steepness.value;
  reader.steepness_error = std::sqrt(steepness.variance);
  return in_series(std::move(reader));
}

/// A reader and where it puts a row.
struct Placed {
  Reader reader{};
  Position position{};
  double agreement{};
};

/// Where all pairs of the row agree best, from −2^12 to 2^20, the steepness of the series left open
/// by its error. Empty where they agree nowhere.
std::optional<Placed> placed_anywhere(const Reader& reader, Index row) {
  constexpr Position least = -4096, most = Position{1} << 20;
  const std::vector<double> angles = angles_of(reader, row);
  const bool has_series = reader.series > 3;
  const std::vector<std::size_t> order =
      has_series ? telling_order(reader) : std::vector<std::size_t>{};
  const auto surest = static_cast<std::size_t>(
      std::min_element(reader.error.begin(), reader.error.end()) - reader.error.begin());
  const std::size_t first = has_series ? 0 : surest;
  std::optional<Placed> best;
  for (Position position = least; position < most; ++position) {
    const auto p = static_cast<double>(position);
    const double turned = reader.theta[first] * p;
    const double unsure = has_series ? 0 : reader.error[first] * std::abs(p);
    if (unsure > 0.3 || std::abs(wrapped(angles[first] - turned)) >
                            most_deviations * (noise_of(*reader.phasors, turned) + unsure))
      continue;
    std::optional<Steepness> steepness;
    if (has_series && !(steepness = steepness_at(reader, order, angles, p))) continue;
    Reader here = steepness ? with_steepness(reader, *steepness) : reader;
    const double agreement = here.agreement(row, position);
    if (agreement < least_agreement || (best && agreement <= best->agreement)) continue;
    best = Placed{std::move(here), position, agreement};
  }
  if (best)
    best->reader = placed(std::move(best->reader), angles, static_cast<double>(best->position));
  return best;
}

/// A geometric series through the fastest pairs, as far as they follow one.
Reader with_series(Reader reader, double divisor) {
  double w = 0, wy = 0;
  reader.series = 0;
  reader.divisor = divisor;
  for (std::size_t t = 0; t < reader.theta.size(); ++t) {
    constexpr double known = 0.2, of_angles = 1e-7;
    const double size = std::abs(reader.theta[t]), along = static_cast<double>(t);
    const double error = reader.error[t] / size + of_angles;
    if (!(size > 0) || !(error < known) || reader.theta[t] * reader.theta.front() < 0) break;
    const double fall = -std::log(size * divisor);
    const double expected = w > 0 ? wy / w * along : t == 0 ? 0.0 : fall;
    const double unsure = w > 0 ? along / std::sqrt(w) : 0;
    if (std::abs(fall - expected) > most_deviations * std::hypot(error, unsure)) break;
    w += along * along / (error * error);
    wy += along * fall / (error * error);
    ++reader.series;
  }
  if (reader.series < 2) return reader;
  return with_steepness(std::move(reader), {wy / w, 1 / w});
}

/// The reader with the steepness of a base, of which nothing is left open.
Reader with_base(Reader reader, double base) {
  return with_steepness(std::move(reader),
                        {std::log(base) / static_cast<double>(reader.theta.size()), 0});
}

/// Bases that the series may have: known ones, and those of few digits.
std::vector<double> bases_of(const Reader& reader) {
  constexpr double most = 128;
  constexpr int most_digits = 5;
  const auto pairs = static_cast<double>(reader.theta.size());
  const double log_base = reader.steepness * pairs;
  const double allowed = most_deviations * reader.steepness_error * pairs;
  std::vector<double> bases;
  for (const double known : known_bases())
    if (std::abs(std::log(known) - log_base) <= allowed) bases.push_back(known);
  for (int digits = 1; digits <= most_digits; ++digits) {
    const double unit = std::pow(10.0, std::floor(log_base / std::log(10.0)) - digits + 1);
    const double first = std::ceil(std::exp(log_base - allowed) / unit);
    const double last = std::floor(std::exp(log_base + allowed) / unit);
    if (!(last - first < most)) break;
    for (double count = first; count <= last; ++count)
      if (std::find(bases.begin(), bases.end(), count * unit) == bases.end())
        bases.push_back(count * unit);
  }
  return bases;
}

/// What frequencies may be: with each divisor that the fastest pair may have, series of usual bases
/// and of the one that pairs show; and of no series at all.
std::vector<Reader> likely_readers(const Reader& shown) {
  const double fastest = 1 / std::abs(shown.theta.front());
  const double unsure = most_deviations * (shown.error.front() * fastest + 1e-7);
  std::vector<double> divisors{1};
  for (const double known : known_factors()) divisors.push_back(known);
  divisors.push_back(with_few_digits(fastest, unsure));
  std::vector<Reader> readers;
  for (const double divisor : divisors) {
    if (divisor < 1 || !(std::abs(std::log(divisor / fastest)) <= unsure)) continue;
    const Reader series = with_series(shown, divisor);
    if (series.series < 4) continue;
    for (const double base : bases_of(series)) readers.push_back(with_base(series, base));
    readers.push_back(series);
  }
  readers.push_back(shown);
  return readers;
}

/// Positions of all rows: behind the row before, near the first rows of a text, or anywhere up to
/// 2^20. Empty where too many rows have none.
std::vector<Position> read_rows(const Reader& reader) {
  constexpr int most_searched = 256;
  int searched = 0;
  std::vector<Position> positions;
  for (Index n = 0; n < reader.phasors->turns.cols(); ++n) {
    const Position next = positions.empty() ? 0 : positions.back() + 1;
    std::optional<Position> own = reader.near(n, next, -64, farthest_near);
    if (!own && searched++ < most_searched)
      if (const auto found = placed_anywhere(reader, n)) own = found->position;
    if (!own) return {};
    positions.push_back(*own);
  }
  return positions;
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

/// The reader with the frequencies of a run, and their errors.
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

/// Frequencies by the longest run of rows, which those by a shorter one make longer.
Reader reader_of(const StructureFit& fit, Run& run) {
  constexpr int rounds = 3;
  Reader reader = turns_per_row(fit.phasors);
  for (int round = 0; round < rounds; ++round) {
    const Run found = longest_run(fit.phasors, reader);
    if (round > 0 && found.positions.size() <= run.positions.size()) break;
    run = found;
    read_run(of_run(fit.phasors, run), run.positions, reader);
  }
  reader.structure = fit.rope;
  reader.phasors = &fit.phasors;
  return reader;
}

/// Positions by the readers of one way of pairing, usual frequencies before others.
class Readings {
 public:
  /// Whether nothing else need be tried.
  bool read(const StructureFit& fit) {
    constexpr std::size_t fewest = 4;
    Run run;
    const Reader shown = reader_of(fit, run);
    if (run.positions.size() < fewest) return false;
    const double rounding = fit.phasors.roundoff * fit.phasors.roundoff;
    for (const Reader& likely : likely_readers(shown)) {
      const bool is_list = likely.series == 0;
      if (is_list && !best_.empty()) break;
      const auto found = placed_anywhere(likely, run.first);
      if (!found) continue;
      std::vector<Position> read = read_rows(found->reader);
      if (read.empty()) continue;
      const double missed = 1 - found->reader.mean_agreement(read);
      if (missed > (best_.empty() ? least_ : 0.5 * least_ - rounding)) continue;
      least_ = missed;
      best_ = std::move(read);
      if (missed < 4 * rounding) return true;
    }
    return false;
  }

  const std::vector<Position>& best() const { return best_; }

 private:
  std::vector<Position> best_{};
  double least_{1 - least_agreement};  ///< of what rows miss their positions by
};

}  // namespace

std::vector<WrittenRope> ropes_in_series(const RotationSample& sample,
                                         const AxisPositions& positions) {
  constexpr std::size_t structures = 2;
  if (positions.cols() != 1 || positions.rows() < 4) return {};
  Run run;
  for (Index n = 0; n < positions.rows(); ++n)
    run.positions.push_back(positions(n, 0) - positions(0, 0));
  std::vector<WrittenRope> ropes;
  std::vector<StructureFit> fits = likely_structures(sample);
  if (fits.size() > structures) fits.resize(structures);
  for (const StructureFit& fit : fits) {
    Reader shown = turns_per_row(fit.phasors);
    shown.phasors = &fit.phasors;
    read_run(of_run(fit.phasors, run), run.positions, shown);
    const auto first = static_cast<double>(positions(0, 0));
    for (const Reader& likely : likely_readers(shown)) {
      if (likely.series == 0) continue;
      const auto found = steepness_at(likely, telling_order(likely), angles_of(likely, 0), first);
      if (!found) continue;
      WrittenRope rope = fit.rope;
      rope.clockwise = likely.theta.front() < 0;
      rope.base = std::exp(found->value * static_cast<double>(pairs_of(rope)));
      rope.rounding = fp32_stages();
      if (likely.divisor != 1)
        rope.scaling = {.kind = RopeScalingKind::linear, .factor = likely.divisor};
      if (rope.base > 1.01) ropes.push_back(std::move(rope));
    }
  }
  return ropes;
}

AxisPositions measured_positions(const RotatedTensor& tensor) {
  constexpr Index fewest = 4, most = 1 << 16;
  if (tensor.positions.cols() != 1 || tensor.rows() < fewest || tensor.rows() > most) return {};
  constexpr std::size_t structures = 2;
  const RotationSample sample = rows_between(tensor, 0, tensor.rows(), sampled_heads);
  std::vector<StructureFit> fits =
      likely_structures(sample_of(tensor, sampled_rows, sampled_heads));
  if (fits.size() > structures) fits.resize(structures);
  Readings readings;
  for (StructureFit& fit : fits) {
    fit.phasors = pair_phasors(fit.rope, sample);
    if (readings.read(fit)) break;
  }
  const std::vector<Position>& best = readings.best();
  return Eigen::Map<const AxisPositions>(best.data(), static_cast<Index>(best.size()),
                                         best.empty() ? 0 : 1);
}

}  // namespace orrery
