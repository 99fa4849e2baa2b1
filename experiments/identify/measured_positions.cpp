#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "experiments/identify/rope_search.h"
#include "experiments/identify/structures.h"

namespace orrery {
namespace {

using Complex = std::complex<double>;

/// Below this mean cosine between what pairs turned and what a position turns, it is not that one.
constexpr double least_agreement = 0.98;
constexpr Position farthest_near = 4096;  // which a row is looked for at first

/// A rope whose frequencies are read off, with the turns of its pairs in every row.
struct Reader {
  WrittenRope rope{};
  std::vector<double> theta{};  ///< counter-clockwise
  const PairPhasors* phasors{};

  /// 1 where all pairs of the row have turned by p·theta.
  double agreement(Index row, Position p) const {
    double sum = 0, weight = 0;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const auto pair = static_cast<Index>(t);
      const double w = phasors->weights(pair, row);
      sum +=
          w *
          (phasors->turns(pair, row) * std::polar(1.0, -theta[t] * static_cast<double>(p))).real();
      weight += w;
    }
    return weight > 0 ? sum / weight : 1.0;
  }

  /// `expected` where the row agrees with it, and better than with its neighbours; else the best
  /// position from `first` to before `last`. Empty where the row agrees with none.
  std::optional<Position> near(Index row, Position expected, Position first, Position last) const {
    if (!(phasors->weights.col(row).sum() > 0)) return expected;  // a row of zeros
    const double most = agreement(row, expected);
    if (most >= least_agreement && most > agreement(row, expected - 1) &&
        most > agreement(row, expected + 1))
      return expected;
    const Position best = best_between(row, first, last);
    return agreement(row, best) >= least_agreement ? std::optional(best) : std::nullopt;
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

Reader reader_of(const WrittenRope& rope, const PairPhasors& phasors) {
  return {.rope = rope, .theta = turning_frequencies(rope), .phasors = &phasors};
}

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

/// How far pairs turn from one row to the next: the medians, as most rows follow each other.
std::vector<double> turns_per_row(const PairPhasors& phasors) {
  std::vector<double> theta;
  const std::vector<Index> moved = moved_rows(phasors);
  if (moved.empty()) return std::vector<double>(static_cast<std::size_t>(phasors.turns.rows()), 0);
  for (Index t = 0; t < phasors.turns.rows(); ++t) {
    std::vector<double> angles;
    for (const Index n : moved)
      angles.push_back(std::arg(std::conj(phasors.turns(t, n - 1)) * phasors.turns(t, n)));
    const auto middle = angles.begin() + static_cast<std::ptrdiff_t>(angles.size() / 2);
    std::nth_element(angles.begin(), middle, angles.end());
    theta.push_back(*middle);
  }
  return theta;
}

/// Rows that follow each other by known steps: the longest run of them.
struct Run {
  Index first{};
  std::vector<Position> positions{};  ///< from 0 on
};

Run longest_run(const PairPhasors& phasors) {
  PairPhasors steps = phasors;
  for (Index n = phasors.turns.cols() - 1; n > 0; --n)
    for (Index t = 0; t < phasors.turns.rows(); ++t) {
      steps.turns(t, n) = phasors.turns(t, n) * std::conj(phasors.turns(t, n - 1));
      steps.weights(t, n) = std::min<double>(phasors.weights(t, n), phasors.weights(t, n - 1));
    }
  const Reader reader{.rope = {}, .theta = turns_per_row(phasors), .phasors = &steps};
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

/// The rope, and with its base rounded to few digits, as people write them.
std::vector<WrittenRope> with_round_bases(const WrittenRope& rope) {
  std::vector<WrittenRope> all;
  for (const int digits : {0, 1, 2, 3}) {
    const double unit = std::pow(10.0, std::floor(std::log10(rope.base)) - digits);
    const double base = std::round(rope.base / unit) * unit;
    if (!(base > 1)) continue;
    all.push_back(rope);
    all.back().base = base;
  }
  all.push_back(rope);
  return all;
}

/// Positions of all rows: behind the row before, near the first rows of a text, or anywhere up to
/// 2^20. Empty where too many rows have none.
class Rows {
 public:
  Rows(const RotatedTensor& tensor, const RotationSample& sample, int threads)
      : tensor_(tensor), sample_(sample), threads_(threads) {}

  std::vector<Position> read(const Reader& reader) {
    std::vector<Position> positions;
    for (Index n = 0; n < sample_.rows(); ++n) {
      const Position next = positions.empty() ? 0 : positions.back() + 1;
      std::optional<Position> own = reader.near(n, next, -64, farthest_near);
      if (!own && searched_++ < most_searched) own = anywhere(reader, n);
      if (!own) return {};
      positions.push_back(*own);
    }
    return positions;
  }

 private:
  static constexpr int most_searched = 24;  // of all ropes that are tried

  std::optional<Position> anywhere(const Reader& reader, Index row) const {
    const RotationSample one = rows_between(tensor_, row, row + 1, sampled_heads);
    for (const Position offset : likely_offsets(reader.rope, one, threads_)) {
      const Position own = tensor_.positions(row, 0) + offset;
      if (reader.agreement(row, own) >= least_agreement) return own;
    }
    return std::nullopt;
  }

  const RotatedTensor& tensor_;
  const RotationSample& sample_;
  int threads_;
  int searched_{0};
};

/// A rope with the structure that it was read with.
struct Candidate {
  WrittenRope rope{};
  std::size_t structure{};
  double agreement{};  ///< of the longest run
};

/// Those whose frequencies agree best with the longest run, round bases before others.
std::vector<Candidate> likely_ropes(const std::vector<StructureFit>& fits) {
  constexpr std::size_t families = 6, kept_ropes = 3;
  std::vector<Candidate> found, lists;  // lists last: families reach further
  for (std::size_t s = 0; s < fits.size(); ++s) {
    const Run run = longest_run(fits[s].phasors);
    const PairPhasors part = of_run(fits[s].phasors, run);
    const auto estimates = estimate_frequencies(part, run.positions);
    if (estimates.empty()) continue;
    if (const auto listed = listed_from(fits[s].rope, part, run.positions))
      lists.push_back({*listed, s, reader_of(*listed, part).mean_agreement(run.positions)});
    for (const WrittenRope& family : fit_families(fits[s].rope, estimates, families))
      for (const WrittenRope& rope : with_round_bases(family))
        found.push_back({rope, s, reader_of(rope, part).mean_agreement(run.positions)});
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return a.agreement > b.agreement + 1e-9;
  });
  if (found.size() > kept_ropes) found.resize(kept_ropes);
  found.insert(found.end(), lists.begin(), lists.end());
  return found;
}

}  // namespace

AxisPositions measured_positions(const RotatedTensor& tensor, int threads) {
  constexpr Index fewest = 4, most = 1 << 16;
  if (tensor.positions.cols() != 1 || tensor.rows() < fewest || tensor.rows() > most) return {};
  constexpr std::size_t structures = 2;
  const RotationSample sample = rows_between(tensor, 0, tensor.rows(), sampled_heads);
  Rows rows(tensor, sample, threads);
  std::vector<StructureFit> fits =
      likely_structures(sample_of(tensor, sampled_rows, sampled_heads));
  if (fits.size() > structures) fits.resize(structures);
  for (StructureFit& fit : fits) fit.phasors = pair_phasors(fit.rope, sample);
  std::vector<Position> best;
  double most_agreement = least_agreement;
  for (const Candidate& candidate : likely_ropes(fits)) {
    const Reader reader = reader_of(candidate.rope, fits[candidate.structure].phasors);
    std::vector<Position> read = rows.read(reader);
    if (read.empty()) continue;
    const double agreement = reader.mean_agreement(read);
    if (!(agreement > most_agreement)) continue;
    most_agreement = agreement;
    best = std::move(read);
  }
  return Eigen::Map<const AxisPositions>(best.data(), static_cast<Index>(best.size()),
                                         best.empty() ? 0 : 1);
}

}  // namespace orrery
