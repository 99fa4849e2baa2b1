#include "experiments/search/rope_search.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "core/parallel.h"
#include "experiments/search/structures.h"

namespace orrery {
namespace {

using Complex = std::complex<double>;

/// Σ_n of the turns, each turned back by its stated position: e^{i theta_t offset} per pair.
std::vector<Complex> hands_of(const WrittenRope& rope, const RotationSample& sample,
                              const std::vector<double>& theta) {
  const PairPhasors phasors = pair_phasors(rope, sample);
  std::vector<Complex> hands(theta.size(), Complex(0.0));
  for (std::size_t t = 0; t < theta.size(); ++t)
    for (Index n = 0; n < sample.rows(); ++n) {
      const auto p = static_cast<double>(sample.places.positions(n, 0));
      hands[t] += phasors.weights(static_cast<Index>(t), n) *
                  phasors.turns(static_cast<Index>(t), n) * std::polar(1.0, -p * theta[t]);
    }
  return hands;
}

struct Scored {
  double score;
  Position offset;
};

/// Keeps the few best.
void consider(std::vector<Scored>& best, Scored scored) {
  constexpr std::size_t most = 4;
  if (best.size() == most && scored.score <= best.back().score) return;
  best.push_back(scored);
  std::sort(best.begin(), best.end(),
            [](const Scored& a, const Scored& b) { return a.score > b.score; });
  if (best.size() > most) best.pop_back();
}

/// After so many offsets the recurrence of the hands is started anew.
constexpr Position block_of_offsets = 4096;

/// The best of a block of offsets.
std::vector<Scored> best_offsets(const std::vector<Complex>& hands,
                                 const std::vector<double>& theta, Position first) {
  std::vector<double> scores(block_of_offsets, 0.0);
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const Complex step = std::polar(1.0, -theta[t]);
    const Complex hand = hands[t] * std::polar(1.0, -theta[t] * static_cast<double>(first));
    double re = hand.real(), im = hand.imag();
    for (double& score : scores) {
      score += re;
      const double turned = re * step.real() - im * step.imag();
      im = re * step.imag() + im * step.real();
      re = turned;
    }
  }
  std::vector<Scored> best;
  for (std::size_t i = 0; i < scores.size(); ++i)
    consider(best, {scores[i], first + static_cast<Position>(i)});
  return best;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// How many rows the first explanation has before the second is better.
std::size_t rows_before_turning(const std::vector<double>& before,
                                const std::vector<double>& after) {
  double sum = sum_of(after), least = sum;
  std::size_t rows = 0;
  for (std::size_t n = 0; n < before.size(); ++n) {
    sum += before[n] - after[n];
    if (sum >= least) continue;
    least = sum;
    rows = n + 1;
  }
  return rows;
}

/// The rule from the row on at which it begins to be better than the stated positions.
WrittenRope turning(const WrittenRope& stated, PositionRule rule, const RotationSample& sample,
                    const RotatedTensor& tensor) {
  WrittenRope ruled = stated;
  ruled.rule = rule;
  ruled.from_row = 0;
  const auto before = [&](const RotationSample& rows) {
    return rows_before_turning(row_misfits(stated, rows), row_misfits(ruled, rows));
  };
  const std::vector<Index>& rows = sample.places.rows;
  const std::size_t n = before(sample);
  const Index first = n == 0 ? 0 : rows[n - 1] + 1;
  const Index last = n < rows.size() ? rows[n] : tensor.rows();
  Index row = first;
  if (last - first > 1) {
    const RotationSample between = rows_between(tensor, first, last, 2);
    row = first + static_cast<Index>(before(between));
  }
  ruled.from_row = row;
  return ruled;
}

/// The shift of this rule is the row itself: each row between the last sampled one that fits and
/// the next is tried.
WrittenRope past_twice(const WrittenRope& stated, const RotationSample& sample) {
  const std::vector<double> as_stated = row_misfits(stated, sample);
  WrittenRope best = stated;
  double least = sum_of(as_stated);
  const auto fits = [&](std::size_t n) {
    const auto numbers = static_cast<double>(sample.before.cols() * sample.heads());
    const auto p = static_cast<double>(sample.places.positions(static_cast<Index>(n), 0));
    const double angles = 1e-7 * p / unit_roundoff(sample.format);  // of fp32, at this position
    return as_stated[n] <= numbers * (4 + angles * angles);
  };
  std::size_t n = 0;
  while (n < as_stated.size() && fits(n)) ++n;
  if (n == 0 || n == as_stated.size()) return best;
  for (Index row = sample.places.rows[n - 1] + 1; row <= sample.places.rows[n]; ++row) {
    WrittenRope ruled = stated;
    ruled.rule = PositionRule::past_twice;
    ruled.from_row = row;
    const double sum = sum_of(row_misfits(ruled, sample));
    if (sum >= least) continue;
    least = sum;
    best = ruled;
  }
  return best;
}

}  // namespace

std::vector<Position> likely_offsets(const WrittenRope& rope, const RotationSample& sample,
                                     int threads) {
  constexpr Position least = -4096, most = Position{1} << 20;
  constexpr std::ptrdiff_t blocks = (most - least) / block_of_offsets;
  const std::vector<double> theta = turning_frequencies(rope);
  const std::vector<Complex> hands = hands_of(rope, sample, theta);
  std::vector<std::vector<Scored>> by_block(static_cast<std::size_t>(blocks));
  in_parallel(blocks, threads, [&] {
    return [&](std::ptrdiff_t block) {
      by_block[static_cast<std::size_t>(block)] =
          best_offsets(hands, theta, least + block * block_of_offsets);
    };
  });
  std::vector<Scored> best;
  for (const std::vector<Scored>& of_block : by_block)
    for (const Scored& scored : of_block) consider(best, scored);
  std::vector<Position> offsets;
  for (const Scored& scored : best) offsets.push_back(scored.offset);
  return offsets;
}

std::vector<WrittenRope> likely_rules(const WrittenRope& rope, const RotationSample& sample,
                                      const RotatedTensor& tensor) {
  std::vector<WrittenRope> likely;
  WrittenRope stated = rope;
  stated.rule = PositionRule::stated;
  for (const PositionRule rule : {PositionRule::zero_from, PositionRule::next_from})
    if (WrittenRope ruled = turning(stated, rule, sample, tensor);
        ruled.from_row > 0 && ruled.from_row < tensor.rows())
      likely.push_back(std::move(ruled));
  for (const PositionRule rule :
       {PositionRule::doubled, PositionRule::head_index, PositionRule::none}) {
    WrittenRope ruled = stated;
    ruled.rule = rule;
    likely.push_back(ruled);
  }
  const WrittenRope twice = past_twice(stated, sample);
  if (twice.rule == PositionRule::past_twice) likely.push_back(twice);
  return likely;
}

}  // namespace orrery
