#include "experiments/studies/semantic_reversal/preferences.h"

#include <cmath>
#include <span>
#include <utility>

#include "core/analysis/largest.h"
#include "core/analysis/score_chain.h"
#include "core/analysis/score_moments.h"
#include "core/encodings/frequencies.h"
#include "core/random.h"

namespace orrery {
namespace {
namespace in_preferences {

using Complex = std::complex<double>;
using Complexes = std::vector<Complex>;
using Row = std::vector<double>;

Preference preference_of(const Rope<double>& rope, const Row& q, const Row& near,
                         const Row& other) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size()));
  const ScoreChain a = score_chain(rope, q, near, 0), b = score_chain(rope, q, other, 0);
  Preference preference{.rest = scale * (a.rest - b.rest)};
  for (std::size_t t = 0; t < a.links.size(); ++t) {
    preference.first.push_back(scale * a.links[t]);
    preference.difference.push_back(scale * (a.links[t] - b.links[t]));
  }
  return preference;
}

double squared_length(const Complexes& c) {
  double sum = 0;
  for (const Complex& one : c) sum += std::norm(one);
  return sum;
}

/// e^{i m θ_t} at m = 0, 1, …: every seed is exact, and so are the 64 steps from it.
class Phasors {
 public:
  explicit Phasors(const std::vector<double>& theta) : theta_(theta), seeds_(theta.size()) {
    for (Position l = 0; l < lanes; ++l) {
      steps_.emplace_back();
      for (const double one : theta) steps_.back().push_back(exact(l, one));
    }
  }
  /// Re Σ c_t e^{i m θ_t}; m grows from call to call.
  double score(const Complexes& c, Position m) {
    if (m / lanes != block_) {
      block_ = m / lanes;
      for (std::size_t t = 0; t < theta_.size(); ++t) seeds_[t] = exact(block_ * lanes, theta_[t]);
    }
    const Complexes& step = steps_[static_cast<std::size_t>(m % lanes)];
    double sum = 0;
    for (std::size_t t = 0; t < c.size(); ++t) {
      const double re = seeds_[t].real() * step[t].real() - seeds_[t].imag() * step[t].imag();
      const double im = seeds_[t].real() * step[t].imag() + seeds_[t].imag() * step[t].real();
      sum += c[t].real() * re - c[t].imag() * im;
    }
    return sum;
  }

 private:
  static constexpr Position lanes = 64;
  static Complex exact(Position m, double theta) {
    const CosSin turn = rotation_at(m, theta);
    return {turn.cos, turn.sin};
  }
  const std::vector<double>& theta_;
  Complexes seeds_;
  std::vector<Complexes> steps_;
  Position block_{-1};
};

/// Sums over distances, of one preference.
struct Sums {
  double reversed{}, change{}, score{}, square{};
};

/// The error of the closed moments against sums over W distances.
double moment_error(const Moments& closed, const Sums& sums, double W, double scale) {
  const double mean = sums.score / W;
  Largest error;
  error.see(std::abs(closed.mean - mean) / std::sqrt(scale));
  error.see(std::abs(closed.variance - (sums.square / W - mean * mean)) / scale);
  return error.value();
}

void add_row(const Rope<double>& rope, const Preference& preference, const Sums& sums, Position W,
             LengthRow& row, Largest& error) {
  const std::vector<double>& theta = rope.theta();
  const auto count = static_cast<double>(W);
  Moments difference = score_moments(preference.difference, theta, W);
  error.see(moment_error(difference, sums, count, squared_length(preference.difference)));
  difference.mean += preference.rest;
  double reference = preference.rest;
  for (const Complex& one : preference.difference) reference += one.real();
  row.reversal += reversal_probability(difference, reference);
  row.reversal_counted += sums.reversed / count;
  const double length = std::sqrt(squared_length(preference.first));
  row.sensitivity +=
      mean_magnitude(score_moments(step_products(preference.first, theta), theta, W)) / length;
  row.sensitivity_counted += sums.change / count / length;
}

/// 1 where the other key wins. A NaN stays one.
double reversed_at(double sign, double preferred) {
  if (std::isnan(preferred)) return preferred;
  return sign * preferred < 0 ? 1.0 : 0.0;
}

void follow(const Rope<double>& rope, const Preference& preference,
            const std::vector<Position>& lengths, ReversalCurves& curves, Largest& error) {
  Phasors phasors(rope.theta());
  const Complexes steps = step_products(preference.first, rope.theta());
  Sums sums;
  double sign = 0;
  std::size_t next = 0;
  for (Position m = 0; next < lengths.size(); ++m) {
    const double turning = phasors.score(preference.difference, m);
    const double preferred = turning + preference.rest;
    if (m == 0) sign = preferred < 0 ? -1.0 : 1.0;
    sums.reversed += reversed_at(sign, preferred);
    sums.change += std::abs(phasors.score(steps, m));
    sums.score += turning;
    sums.square += turning * turning;
    if (m + 1 != lengths[next]) continue;
    add_row(rope, preference, sums, m + 1, curves.rows[next], error);
    ++next;
  }
}

}  // namespace in_preferences
}  // namespace

std::vector<Preference> drawn_preferences(const Rope<double>& rope, double relevance,
                                          std::int64_t draws, std::int64_t seed) {
  using namespace in_preferences;
  Random random(seed, "semantic reversal");
  const Index d = rope.convention().d_head;
  std::vector<Preference> preferences;
  for (std::int64_t i = 0; i < draws; ++i) {
    const Matrix<double> drawn = normal_matrix<double>(random, 3, d);
    const auto row = [&](Index r) { return Row(drawn.row(r).data(), drawn.row(r).data() + d); };
    const Row q = row(0), other = row(1);
    Row near = row(2);
    for (std::size_t c = 0; c < near.size(); ++c)
      near[c] = relevance * q[c] + std::sqrt(1 - relevance * relevance) * near[c];
    preferences.push_back(preference_of(rope, q, near, other));
  }
  return preferences;
}

ReversalCurves reversal_curves(const Rope<double>& rope, const std::vector<Preference>& preferences,
                               const std::vector<Position>& lengths) {
  using namespace in_preferences;
  ReversalCurves curves;
  for (const Position W : lengths) curves.rows.push_back({.W = static_cast<double>(W)});
  Largest error;
  for (const Preference& preference : preferences) follow(rope, preference, lengths, curves, error);
  const auto count = static_cast<double>(preferences.size());
  for (LengthRow& row : curves.rows)
    for (double* sum :
         {&row.reversal, &row.reversal_counted, &row.sensitivity, &row.sensitivity_counted})
      *sum /= count;
  curves.largest_moment_error = error.value();
  return curves;
}

}  // namespace orrery
