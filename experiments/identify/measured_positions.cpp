#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/row_reader.h"

namespace orrery {
namespace {

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
  if (best) best->reader = placed(best->reader, angles, static_cast<double>(best->position));
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
  const double steepness = std::log(base) / static_cast<double>(reader.theta.size());
  return with_steepness(std::move(reader), {steepness, 0});
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
  const double shortest = with_few_digits(fastest, unsure);
  if (std::find(divisors.begin(), divisors.end(), shortest) == divisors.end())
    divisors.push_back(shortest);
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
/// @param searched  rows that were looked for anywhere, by all readers
std::vector<Position> read_rows(const Reader& reader, int& searched) {
  constexpr int most_searched = 64;
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

/// Positions by the readers of one way of pairing, usual frequencies before others.
class Readings {
 public:
  /// Whether nothing else need be tried.
  bool read(const StructureFit& fit) {
    constexpr std::size_t fewest = 4;
    RowRun run;
    const Reader shown = reader_of(fit, run);
    if (run.positions.size() < fewest) return false;
    const double rounding = fit.phasors.roundoff * fit.phasors.roundoff;
    for (const Reader& likely : likely_readers(shown)) {
      const bool is_list = likely.series == 0;
      if (is_list && !best_.empty()) break;
      const auto found = placed_anywhere(likely, run.first);
      if (!found) continue;
      std::vector<Position> read = read_rows(found->reader, searched_);
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
  int searched_{0};
  double least_{1 - least_agreement};  ///< of what rows miss their positions by
};

/// The steepness that all rows say together, each by what those before it left open.
std::optional<Steepness> steepness_of_rows(Reader reader, const AxisPositions& positions) {
  const std::vector<std::size_t> order = telling_order(reader);
  std::optional<Steepness> found;
  for (Index n = 0; n < positions.rows(); ++n) {
    found = steepness_at(reader, order, angles_of(reader, n), static_cast<double>(positions(n, 0)));
    if (!found) return found;
    reader = with_steepness(std::move(reader), *found);
  }
  return found;
}

}  // namespace

std::vector<WrittenRope> ropes_in_series(const std::vector<StructureFit>& structures,
                                         const AxisPositions& positions) {
  if (positions.cols() != 1 || positions.rows() < 4) return {};
  RowRun run;
  for (Index n = 0; n < positions.rows(); ++n)
    run.positions.push_back(positions(n, 0) - positions(0, 0));
  std::vector<WrittenRope> ropes;
  for (const StructureFit& fit : structures) {
    Reader shown = turns_per_row(fit.phasors);
    shown.phasors = &fit.phasors;
    read_run(of_run(fit.phasors, run), run.positions, shown);
    for (const Reader& likely : likely_readers(shown)) {
      const auto found = likely.series > 0 ? steepness_of_rows(likely, positions) : std::nullopt;
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
  constexpr std::size_t structures = 2;  // ways of pairing
  const RotationSample sample = rows_between(tensor, 0, tensor.rows(), sampled_heads);
  std::vector<StructureFit> fits =
      likely_structures(sample_of(tensor, sampled_rows, sampled_heads), structures);
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
