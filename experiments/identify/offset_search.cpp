#include "experiments/identify/rope_search.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "core/parallel.h"
#include "experiments/identify/structures.h"

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

}  // namespace orrery
