#include "experiments/identify/measured_channels.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "experiments/identify/structures.h"

namespace orrery {
namespace {

/// ln of the length of each pair after over that before, [pairs, rows], over heads.
Matrix<double> log_lengths(const WrittenRope& slice, const RotationSample& sample) {
  Matrix<double> lengths(pairs_of(slice), sample.rows());
  for (Index t = 0; t < lengths.rows(); ++t) {
    const WrittenPair at = pair_at(slice, t);
    for (Index n = 0; n < sample.rows(); ++n) {
      double before = 0, after = 0;
      for (Index h = 0; h < sample.heads(); ++h) {
        const Index i = h * sample.rows() + n;
        before += std::pow(sample.before(i, at.a), 2) + std::pow(sample.before(i, at.b), 2);
        after += std::pow(sample.after(i, at.out_a), 2) + std::pow(sample.after(i, at.out_b), 2);
      }
      lengths(t, n) = std::log(after / before) / 2;
    }
  }
  return lengths;
}

double log_zeta(double gamma, Index t, Index pairs) {
  const double along = static_cast<double>(t) / static_cast<double>(pairs);
  return std::log((along + gamma) / (1 + gamma));
}

/// L[t, n] = (α·m_n − β) ln ζ_t by least squares.
struct DecayLine {
  double slope{}, intercept{};
  double rms{};  ///< of what is left
};

DecayLine line_of(const Matrix<double>& lengths, const RotationSample& sample, double gamma) {
  double w = 0, wm = 0, wmm = 0, wl = 0, wml = 0;
  for (Index t = 0; t < lengths.rows(); ++t)
    for (Index n = 0; n < lengths.cols(); ++n) {
      const double z = log_zeta(gamma, t, lengths.rows());
      const auto m = static_cast<double>(sample.places.positions(n, 0));
      w += z * z;
      wm += z * z * m;
      wmm += z * z * m * m;
      wl += z * lengths(t, n);
      wml += z * m * lengths(t, n);
    }
  const double determinant = w * wmm - wm * wm;
  if (!(determinant > 1e-12 * w * wmm)) return {.rms = 1e300};
  DecayLine line{.slope = (w * wml - wm * wl) / determinant};
  line.intercept = (wl - line.slope * wm) / w;
  double squares = 0;
  for (Index t = 0; t < lengths.rows(); ++t)
    for (Index n = 0; n < lengths.cols(); ++n) {
      const auto m = static_cast<double>(sample.places.positions(n, 0));
      const double off =
          lengths(t, n) - (line.slope * m + line.intercept) * log_zeta(gamma, t, lengths.rows());
      squares += off * off;
    }
  line.rms = std::sqrt(squares / static_cast<double>(lengths.size()));
  return line;
}

/// That of the paper where it explains the lengths, or the one that leaves least.
double fitted_gamma(const Matrix<double>& lengths, const RotationSample& sample, double enough) {
  constexpr double of_paper = 0.4;
  double best = of_paper, least = line_of(lengths, sample, of_paper).rms;
  if (least < enough) return best;
  for (double step = 2; step > 1e-7; step *= 0.7)
    for (const double factor : {std::exp(step), std::exp(-step)}) {
      const double rms = line_of(lengths, sample, best * factor).rms;
      if (!(rms < least)) continue;
      least = rms;
      best *= factor;
    }
  return best;
}

}  // namespace

std::optional<MeasuredDecay> measured_decay(const RotationSample& sample) {
  constexpr Index fewest = 4;
  if (sample.places.positions.cols() != 1 || sample.rows() < fewest) return std::nullopt;
  const double rounding = 4 * unit_roundoff(sample.format);
  for (const WrittenRope& whole : possible_slices(sample))
    for (const RopePairing pairing : {RopePairing::half_split, RopePairing::interleaved}) {
      WrittenRope slice = whole;
      slice.pairing = pairing;
      const Matrix<double> lengths = log_lengths(slice, sample);
      if (!lengths.allFinite()) continue;
      const double gamma = fitted_gamma(lengths, sample, rounding);
      const DecayLine line = line_of(lengths, sample, gamma);
      const Position span = sample.places.positions.maxCoeff() - sample.places.positions.minCoeff();
      const double moved = std::abs(line.slope) * static_cast<double>(span);
      if (line.rms < rounding && moved > 32 * rounding)
        return MeasuredDecay{slice, gamma, 1 / line.slope, -line.intercept / line.slope};
    }
  return std::nullopt;
}

std::vector<double> factors_of(const MeasuredDecay& decay, Position m) {
  const Index pairs = pairs_of(decay.slice);
  std::vector<double> factors;
  for (Index t = 0; t < pairs; ++t)
    factors.push_back(std::exp((static_cast<double>(m) - decay.centre) / decay.scale_base *
                               log_zeta(decay.gamma, t, pairs)));
  return factors;
}

namespace {

/// Angle by which a pair turns from a row to the next, by the median.
double turn_per_row(const RotationSample& sample, Index a, Index b) {
  std::vector<double> angles;
  std::complex<double> last;
  for (Index n = 0; n < sample.rows(); ++n) {
    std::complex<double> turn;
    for (Index h = 0; h < sample.heads(); ++h) {
      const Index i = h * sample.rows() + n;
      turn += std::conj(std::complex<double>(sample.before(i, a), sample.before(i, b))) *
              std::complex<double>(sample.after(i, a), sample.after(i, b));
    }
    if (n > 0) angles.push_back(std::arg(std::conj(last) * turn));
    last = turn;
  }
  if (angles.empty()) return 0;
  const auto middle = angles.begin() + static_cast<std::ptrdiff_t>(angles.size() / 2);
  std::nth_element(angles.begin(), middle, angles.end());
  return *middle;
}

}  // namespace

std::vector<ChannelPair> measured_pairs(const RotationSample& sample) {
  constexpr double still = 4, alike = 16;  // in roundings
  const Index d = sample.before.cols();
  const double u = unit_roundoff(sample.format);
  const Matrix<double> gained =
      sample.after.array().square() - sample.before.array().square();  // by each channel
  const double size = sample.after.array().square().mean();
  std::vector<Index> moving;
  for (Index c = 0; c < d; ++c)
    if (((sample.after.col(c) - sample.before.col(c)).cwiseAbs().array() /
         sample.unit.col(c).array())
            .maxCoeff() > still)
      moving.push_back(c);
  std::vector<std::pair<double, ChannelPair>> found;
  while (!moving.empty()) {
    const Index a = moving.front();
    moving.erase(moving.begin());
    const auto left = [&](Index b) {
      return (gained.col(a) + gained.col(b)).squaredNorm() / static_cast<double>(gained.rows());
    };
    const auto best = std::min_element(moving.begin(), moving.end(),
                                       [&](Index b, Index c) { return left(b) < left(c); });
    if (best == moving.end() || !(std::sqrt(left(*best)) < alike * u * size)) return {};
    const Index b = *best;
    moving.erase(best);
    const double turn = turn_per_row(sample, a, b);
    found.push_back({std::abs(turn), turn < 0 ? ChannelPair{b, a} : ChannelPair{a, b}});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::vector<ChannelPair> pairs;
  for (const auto& [turn, pair] : found) pairs.push_back(pair);
  return pairs;
}

}  // namespace orrery
