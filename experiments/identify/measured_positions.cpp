#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/row_reader.h"
#include "experiments/identify/weighted_line.h"

namespace orrery {
namespace {

/// The angles of a row, by pair.
std::vector<double> angles_of(const Reader& reader, Index row) {
  std::vector<double> angles;
  for (Index t = 0; t < reader.phasors->turns.rows(); ++t)
    angles.push_back(std::arg(reader.phasors->turns(t, row)));
  return angles;
}

/// Pairs of the series in the order in which they say it: what is left open turns the first the
/// least, so that each is unwrapped by those before it.
std::vector<std::size_t> telling_order(const Reader& reader) {
  std::vector<std::size_t> order(reader.in_series);
  std::iota(order.begin(), order.end(), 0);
  const auto open = [&](std::size_t t) {
    return reader.theta[t] * reader.theta[t] * reader.series.variance(static_cast<double>(t));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return open(a) < open(b); });
  return order;
}

/// The series with which a row lies at p; empty where none does.
std::optional<FrequencySeries> series_at(const Reader& reader,
                                         const std::vector<std::size_t>& order,
                                         const std::vector<double>& angles, double p) {
  const FrequencySeries& before = reader.series;
  FrequencySeries found = before;
  std::size_t told = 0;
  for (const std::size_t t : order) {
    const auto along = static_cast<double>(t);
    const double moved = before.fall - found.fall + (before.steepness - found.steepness) * along;
    const double turned = p * reader.theta[t] * std::exp(moved);
    const double unsure = turned * turned * found.variance(along);
    if (unsure > 1) continue;
    ++told;
    const double noise = noise_of(*reader.phasors, turned), spread = unsure + noise * noise;
    const double off = wrapped(angles[t] - turned);
    if (off * off > most_deviations * most_deviations * spread) return std::nullopt;
    // What the angle says of both: ∂angle/∂fall = −turned, ∂angle/∂steepness = −turned·t.
    const double by_fall = -turned * (found.fall_variance + along * found.covariance);
    const double by_steepness = -turned * (found.covariance + along * found.steepness_variance);
    found.fall += by_fall / spread * off;
    found.steepness += by_steepness / spread * off;
    found.fall_variance = std::max<double>(0, found.fall_variance - by_fall * by_fall / spread);
    found.covariance -= by_fall * by_steepness / spread;
    found.steepness_variance =
        std::max<double>(0, found.steepness_variance - by_steepness * by_steepness / spread);
  }
  constexpr std::size_t fewest = 4;
  return told >= fewest ? std::optional(found) : std::nullopt;
}

/// The reader with the frequencies of a series.
Reader with_series(Reader reader, const FrequencySeries& series) {
  const double sign = reader.theta.front() < 0 ? -1 : 1;
  reader.series = series;
  for (std::size_t t = 0; t < reader.in_series; ++t) {
    const auto along = static_cast<double>(t);
    reader.theta[t] = sign * std::exp(-series.fall - series.steepness * along);
    reader.error[t] =
        std::abs(reader.theta[t]) * std::sqrt(std::max<double>(0, series.variance(along)));
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

/// A reader and where it puts a row.
struct Placed {
  Reader reader{};
  Position position{};
  double agreement{};
};

/// Where all pairs of the row agree best, from −2^12 to 2^20, the series left open by its errors. Empty where they agree nowhere.
std::optional<Placed> placed_anywhere(const Reader& reader, Index row) {
  constexpr Position least = -4096, most = Position{1} << 20;
  const std::vector<double> angles = angles_of(reader, row);
  const bool has_series = reader.in_series > 3;
  const std::vector<std::size_t> order =
      has_series ? telling_order(reader) : std::vector<std::size_t>{};
  const auto surest = static_cast<std::size_t>(
      std::min_element(reader.error.begin(), reader.error.end()) - reader.error.begin());
  const std::size_t first = has_series ? order.front() : surest;
  std::optional<Placed> best;
  for (Position position = least; position < most; ++position) {
    const auto p = static_cast<double>(position);
    const double turned = reader.theta[first] * p;
    const double unsure = reader.error[first] * std::abs(p);
    if (!has_series && unsure > 0.3) continue;
    if (std::abs(wrapped(angles[first] - turned)) >
        most_deviations * (noise_of(*reader.phasors, turned) + unsure))
      continue;
    std::optional<FrequencySeries> series;
    if (has_series && !(series = series_at(reader, order, angles, p))) continue;
    Reader here = series ? with_series(reader, *series) : reader;
    const double agreement = here.agreement(row, position);
    if (agreement < least_agreement || (best && agreement <= best->agreement)) continue;
    best = Placed{std::move(here), position, agreement};
  }
  if (best) best->reader = placed(best->reader, angles, static_cast<double>(best->position));
  return best;
}

/// The reader with a geometric series through the fastest pairs, as far as they follow one.
/// @param divisor  of the fastest; empty: what the pairs say
Reader in_one_series(Reader reader, std::optional<double> divisor) {
  constexpr double known = 0.2, of_angles = 1e-7, sure = 1e30;
  WeightedLine line;
  if (divisor) line.add(0, std::log(*divisor), sure);
  reader.in_series = 0;
  for (std::size_t t = 0; t < reader.theta.size(); ++t) {
    const double size = std::abs(reader.theta[t]), along = static_cast<double>(t);
    const double error = reader.error[t] / size + of_angles;
    if (!(size > 0) || !(error < known) || reader.theta[t] * reader.theta.front() < 0) break;
    const double fall = -std::log(size);
    if (line.is_told()) {
      const FrequencySeries& told = reader.series;
      const double off = fall - told.fall - told.steepness * along;
      if (off * off > most_deviations * most_deviations * (error * error + told.variance(along)))
        break;
    }
    line.add(along, fall, 1 / (error * error));
    ++reader.in_series;
    if (line.is_told())
      reader.series = {line.intercept(), line.slope(), line.intercept_variance(), line.covariance(),
                       line.slope_variance()};
  }
  if (!line.is_told()) return reader;
  const FrequencySeries told = reader.series;
  return with_series(std::move(reader), told);
}

/// The reader with the steepness of a base, of which nothing is left open.
Reader with_base(Reader reader, double base) {
  FrequencySeries series = reader.series;
  const double steepness = std::log(base) / static_cast<double>(reader.theta.size());
  if (series.steepness_variance > 0) {
    const double by = series.covariance / series.steepness_variance;
    series.fall += by * (steepness - series.steepness);
    series.fall_variance = std::max<double>(0, series.fall_variance - by * series.covariance);
  }
  series.steepness = steepness;
  series.covariance = series.steepness_variance = 0;
  return with_series(std::move(reader), series);
}

/// Bases that the series may have: known ones, and those of few digits.
std::vector<double> bases_of(const Reader& reader) {
  constexpr double most = 24;
  constexpr int most_digits = 5;
  const auto pairs = static_cast<double>(reader.theta.size());
  const double log_base = reader.series.steepness * pairs;
  const double allowed = most_deviations * std::sqrt(reader.series.steepness_variance) * pairs;
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

/// What frequencies may be: with each divisor that the fastest pair may have, and the one that pairs
/// show, series of usual bases and of the one that pairs show; and of no series at all.
std::vector<Reader> likely_readers(const Reader& shown) {
  const double fastest = 1 / std::abs(shown.theta.front());
  const double unsure = most_deviations * (shown.error.front() * fastest + 1e-7);
  std::vector<std::optional<double>> divisors;
  const auto add = [&](double divisor) {
    if (divisor >= 1 && std::abs(std::log(divisor / fastest)) <= unsure &&
        std::find(divisors.begin(), divisors.end(), divisor) == divisors.end())
      divisors.emplace_back(divisor);
  };
  add(1);
  for (const double known : known_factors()) add(known);
  add(with_few_digits(fastest, unsure));
  divisors.emplace_back();
  std::vector<Reader> readers;
  for (const std::optional<double>& divisor : divisors) {
    const Reader series = in_one_series(shown, divisor);
    if (series.in_series < 4) continue;
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
      const bool is_list = likely.in_series == 0;
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

/// The series that all rows say together, each by what those before it left open.
std::optional<FrequencySeries> series_of_rows(Reader reader, const AxisPositions& positions) {
  const std::vector<std::size_t> order = telling_order(reader);
  std::optional<FrequencySeries> found;
  for (Index n = 0; n < positions.rows(); ++n) {
    found = series_at(reader, order, angles_of(reader, n), static_cast<double>(positions(n, 0)));
    if (!found) return found;
    reader = with_series(std::move(reader), *found);
  }
  return found;
}

/// p-RoPE where the pairs behind those of the series stand still, which would turn in it.
void turn_first_alone(const Reader& reader, WrittenRope& rope) {
  const auto next = static_cast<double>(reader.in_series);
  const double in_series = std::exp(-reader.series.fall - reader.series.steepness * next);
  for (std::size_t t = reader.in_series; t < reader.theta.size(); ++t)
    if (!(std::abs(reader.theta[t]) < most_deviations * reader.error[t])) return;
  if (reader.in_series == reader.theta.size() || rope.rotary_dims != rope.d_head ||
      in_series < most_deviations * reader.error[reader.in_series])
    return;
  rope.partial = RopePartial::proportional;
  rope.rotary_dims = 2 * static_cast<Index>(reader.in_series);
}

}  // namespace

std::vector<WrittenRope> ropes_in_series(const StructureFit& structure,
                                         const AxisPositions& positions) {
  if (positions.cols() != 1 || positions.rows() < 4) return {};
  RowRun run;
  for (Index n = 0; n < positions.rows(); ++n)
    run.positions.push_back(positions(n, 0) - positions(0, 0));
  Reader shown = turns_per_row(structure.phasors);
  shown.phasors = &structure.phasors;
  read_run(of_run(structure.phasors, run), run.positions, shown);
  constexpr double of_fp32 = 1e-7;  // what frequencies of fp32 leave of a divisor
  std::vector<WrittenRope> ropes;
  for (const Reader& likely : likely_readers(shown)) {
    const auto found = likely.in_series > 0 ? series_of_rows(likely, positions) : std::nullopt;
    if (!found) continue;
    WrittenRope rope = structure.rope;
    rope.clockwise = likely.theta.front() < 0;
    rope.base = std::exp(found->steepness * static_cast<double>(pairs_of(rope)));
    rope.rounding = fp32_stages();
    const double divisor =
        with_few_digits(std::exp(found->fall), 3 * std::sqrt(found->fall_variance) + of_fp32);
    turn_first_alone(likely, rope);
    if (divisor > 1) rope.scaling = {.kind = RopeScalingKind::linear, .factor = divisor};
    if (rope.base > 1.01) ropes.push_back(std::move(rope));
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
