#include "experiments/identify/structures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/precision.h"
#include "experiments/identify/rope_cost.h"
#include "experiments/identify/weighted_line.h"

namespace orrery {
namespace {

using FrequencyEstimates = std::vector<FrequencyEstimate>;

/// Standard errors beyond which one pair counts no more: a few wrong pairs must not hide a family.
constexpr double most_errors = 30.0;

/// Whether powers of it make frequencies: above 1, and by more than rounding. Above 10^10 none is
/// used.
bool is_base(double base) { return base > 1.01 && base < 1e10; }

/// ln|theta| over t by weighted least squares, over the pairs among the first `count` that are
/// known to a fifth. `least_error`: relative, of frequencies that were rounded.
std::optional<WeightedLine> fit_line(const FrequencyEstimates& estimates, std::size_t count,
                                     double least_error = 1e-7) {
  WeightedLine line;
  std::size_t used = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const double size = std::abs(estimates[t].theta);
    if (!(size > 0) || !(estimates[t].error < 0.2 * size)) continue;
    const double error = estimates[t].error / size + least_error;
    line.add(static_cast<double>(t), std::log(size), 1 / (error * error));
    ++used;
  }
  if (used < 2 || !line.is_told()) return std::nullopt;
  return line;
}

/// The known number within the relative error, or the number rounded to as many digits as count.
double snapped(double value, double relative_error, const std::vector<double>& known) {
  const double allowed = std::max<double>(4 * relative_error, 1e-6);
  double best = value, nearest = allowed;
  for (const double candidate : known) {
    const double off = std::abs(std::log(value / candidate));
    if (off > nearest) continue;
    nearest = off;
    best = candidate;
  }
  if (best != value) return best;
  for (int digits = 1; digits < 8; ++digits) {
    const double rounded = rounded_to_digits(value, digits);
    if (std::abs(std::log(rounded / value)) <= allowed / 2) return rounded;
  }
  return value;
}

/// A rope whose frequencies are near the measured ones, and how near: the mean square of the
/// differences in standard errors.
struct FamilyFit {
  WrittenRope rope{};
  double misfit{};
};

class Fitter {
 public:
  Fitter(const WrittenRope& structure, const FrequencyEstimates& estimates,
         const std::vector<double>& bases)
      : structure_(structure),
        estimates_(estimates),
        clockwise_(turn_clockwise(estimates)),
        fitted_(bases) {}

  std::vector<WrittenRope> fits(std::size_t most) {
    const std::size_t pairs = estimates_.size();
    for (const std::size_t count : {pairs, pairs / 2, pairs / 4})
      for (const double least_error : {1e-7, unit_roundoff(Precision::bf16)})
        if (count >= 2) try_slope(fit_line(estimates_, count, least_error));
    for (const double base : likely_bases()) try_scalings(base);
    for (const double base : known_bases()) try_degrees(base);
    try_scaled_degrees();
    if (structure_.rotary_dims == structure_.d_head) try_proportional();
    keep_best(2 * most);
    for (FamilyFit& fit : found_)
      if (!is_known(known_bases(), fit.rope.base)) refine(fit);
    keep_best(most);
    std::vector<WrittenRope> best;
    for (FamilyFit& fit : found_) best.push_back(std::move(fit.rope));
    return best;
  }

 private:
  WrittenRope plain(double base) const {
    WrittenRope rope = structure_;
    rope.clockwise = clockwise_;
    rope.base = base;
    return rope;
  }

  double misfit_of_rope(const WrittenRope& rope) const {
    return misfit_of(rope, estimates_, most_errors);
  }
  void consider(const WrittenRope& rope) {
    if (is_base(rope.base)) found_.push_back({rope, misfit_of_rope(rope)});
  }
  /// As it is, and with all frequencies divided by each known factor.
  void consider_divided(WrittenRope rope) {
    rope.scaling = {};
    consider(rope);
    rope.scaling.kind = RopeScalingKind::linear;
    for (const double s : known_factors()) {
      rope.scaling.factor = s;
      consider(rope);
    }
  }
  /// Keeps the best by misfit; among those that agree, the usual ones first.
  void keep_best(std::size_t most) {
    double least = most_errors * most_errors;
    for (const FamilyFit& fit : found_) least = std::min<double>(least, fit.misfit);
    constexpr double agreeing = 3;
    std::vector<std::tuple<bool, double, std::size_t>> keys;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const bool agrees = found_[i].misfit < least + agreeing;
      keys.emplace_back(!agrees, agrees ? cost_of(found_[i].rope) : found_[i].misfit, i);
    }
    std::sort(keys.begin(), keys.end());
    if (keys.size() > most) keys.resize(most);
    std::vector<FamilyFit> best;
    for (const auto& key : keys) best.push_back(std::move(found_[std::get<2>(key)]));
    found_ = std::move(best);
  }

  /// A fitted base is moved to where all pairs agree best, by steps that are halved.
  void refine(FamilyFit& fit) const {
    for (double step = 0.02; step > 1e-8; step /= 2)
      for (const double factor : {1 + step, 1 / (1 + step)}) {
        WrittenRope moved = fit.rope;
        moved.base *= factor;
        if (!is_base(moved.base)) continue;
        const double misfit = misfit_of_rope(moved);
        if (misfit < fit.misfit) fit = {moved, misfit};
      }
  }

  void try_slope(const std::optional<WeightedLine>& line) {
    if (!line) return;
    const auto r = static_cast<double>(2 * pairs_of(structure_));
    const Index own = 2 * pairs_of(structure_);
    for (const Index denominator : {own, structure_.d_head, 2 * own}) {
      const double log_base = -line->slope() * static_cast<double>(denominator) / 2;
      if (!(std::abs(log_base) > 0.05) || !(std::abs(log_base) < 40)) continue;
      const double error = std::sqrt(line->slope_variance()) * static_cast<double>(denominator) / 2;
      WrittenRope rope = plain(snapped(std::exp(std::abs(log_base)), error, known_bases()));
      rope.inverted = log_base < 0;
      if (denominator != own) rope.denominator = denominator;
      if (denominator != own && !is_known(known_bases(), rope.base)) continue;
      consider(rope);
      if (is_base(rope.base)) fitted_.push_back(rope.base);
      if (denominator == own && log_base > 0 && is_base(rope.base)) try_degrees(rope.base);
      if (denominator == own && log_base > 0) try_base_as_ntk(std::exp(log_base), error, r);
      // A common divisor of all frequencies: position interpolation.
      const double measured = std::exp(-line->intercept());
      for (const double divisor :
           {snapped(measured, 0.02, known_factors()),
            with_few_digits(measured, std::sqrt(line->intercept_variance()))}) {
        const bool is_unit = std::abs(divisor / size_of(AngleUnit::degrees) - 1) < 0.01;
        if (divisor < 1.001 || rope.inverted || is_unit) continue;
        rope.scaling = {.kind = RopeScalingKind::linear, .factor = divisor};
        consider(rope);
      }
    }
  }

  /// base·s^(r/(r−2)) for a base that is not one of a released model.
  void try_base_as_ntk(double stretched, double error, double r) {
    for (const double base : known_bases())
      for (const double s : known_factors()) {
        const double off = std::log(stretched / base) - r / (r - 2) * std::log(s);
        if (std::abs(off) > 4 * error + 1e-3) continue;
        WrittenRope rope = plain(base);
        rope.scaling = {.kind = RopeScalingKind::ntk, .factor = s};
        consider(rope);
      }
  }

  /// Of the fastest pairs, which scalings leave alone.
  double misfit_of_fast(const WrittenRope& rope) const {
    const std::size_t two = std::min<std::size_t>(estimates_.size(), 2);
    const auto count =
        static_cast<std::ptrdiff_t>(std::max<std::size_t>(two, estimates_.size() / 5));
    const FrequencyEstimates fast(estimates_.begin(), estimates_.begin() + count);
    return misfit_of(rope, fast, most_errors);
  }

  std::vector<double> known_and_fitted_bases() const {
    std::vector<double> all = known_bases();
    all.insert(all.end(), fitted_.begin(), fitted_.end());
    return all;
  }

  /// Those that agree with the fastest pairs, and those nearest to agreeing.
  std::vector<double> likely_bases() const {
    std::vector<double> all = known_and_fitted_bases();
    std::vector<std::pair<double, double>> ranked;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const double base : all) {
      if (!is_base(base)) continue;
      ranked.emplace_back(misfit_of_fast(plain(base)), base);
    }
    std::sort(ranked.begin(), ranked.end());
    ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
    std::vector<double> likely;
    constexpr std::size_t least = 3, most = 9;
    constexpr double agreeing = 6.0;
    for (const auto& [misfit, base] : ranked)
      if (likely.size() < least || (likely.size() < most && misfit < agreeing))
        likely.push_back(base);
    return likely;
  }

  /// At least how much the slow pairs are slowed down, and how well that is known.
  struct Slowing {
    double ratio{1}, error{1};
  };
  Slowing slowing(double base) const {
    const std::vector<double> theta = frequencies_of(plain(base));
    Slowing slowest, best;
    for (std::size_t t = theta.size(); t-- > 0;) {
      const double size = std::abs(estimates_[t].theta);
      if (!(size > 0) || !(estimates_[t].error < 0.1 * size)) continue;
      const Slowing own{theta[t] / size, estimates_[t].error / size};
      if (slowest.error == 1) slowest = best = own;
      // Pairs that are slowed down alike say it the better the faster they are.
      if (std::abs(own.ratio / best.ratio - 1) > 4 * (own.error + best.error)) break;
      if (own.error < best.error) best = own;
    }
    return best;
  }

  void try_scalings(double base) {
    const Slowing slowest = slowing(base);
    try_scalings(plain(base), slowest.ratio / 1.4);
    try_measured_factor(plain(base), slowest);
  }

  /// The slowest pair is divided by the factor itself, which need not be a usual one.
  void try_measured_factor(WrittenRope rope, const Slowing& slowest) {
    constexpr double least = 1.05, well_known = 0.01, rounding = 1e-6;
    if (slowest.ratio < least || slowest.error > well_known) return;
    const double factor =
        with_few_digits(slowest.ratio, std::max<double>(3 * slowest.error, rounding));
    using enum RopeScalingKind;
    for (RopeScaling scaling : known_scalings()) {
      const bool once = scaling.factor == known_factors().front();
      if (scaling.kind == none || scaling.kind == linear || !once) continue;
      scaling.factor = factor;
      rope.scaling = scaling;
      consider(rope);
    }
  }

  /// Those of at least that factor.
  void try_scalings(WrittenRope rope, double least) {
    for (const RopeScaling& scaling : known_scalings()) {
      if (scaling.kind != RopeScalingKind::none && scaling.factor < least) continue;
      rope.scaling = scaling;
      consider(rope);
    }
  }

  /// Angles in degrees, or taken for degrees, with the scalings that a common factor may hide.
  void try_degrees(double base) {
    WrittenRope rope = plain(base);
    for (const AngleUnit unit : {AngleUnit::degrees, AngleUnit::as_degrees}) {
      rope.unit = unit;
      consider_divided(rope);
    }
  }

  /// Every scaling of angles in degrees, where the fastest pairs turn by these.
  void try_scaled_degrees() {
    constexpr double agreeing = 6.0;
    for (const double base : known_and_fitted_bases())
      for (const AngleUnit unit : {AngleUnit::degrees, AngleUnit::as_degrees}) {
        WrittenRope rope = plain(base);
        rope.unit = unit;
        if (misfit_of_fast(rope) < agreeing) try_scalings(rope, 1.0);
      }
  }

  /// Pairs up to the last that turns.
  Index turning_pairs() const {
    constexpr double sure = 8;
    std::size_t pairs = estimates_.size();
    while (pairs > 0 && std::abs(estimates_[pairs - 1].theta) < sure * estimates_[pairs - 1].error)
      --pairs;
    return static_cast<Index>(pairs);
  }

  void try_proportional() {
    std::set<Index> counts{turning_pairs()};
    for (const Index quarters : {1, 2, 3}) counts.insert(quarters * structure_.d_head / 8);
    for (const Index pairs : counts) {
      if (pairs < 1) continue;
      const auto line = fit_line(estimates_, static_cast<std::size_t>(pairs));
      std::vector<double> bases = likely_bases();
      if (line)
        bases.push_back(
            snapped(std::exp(-line->slope() * static_cast<double>(structure_.d_head) / 2),
                    std::sqrt(line->slope_variance()) * static_cast<double>(structure_.d_head) / 2,
                    known_bases()));
      for (const double base : bases) {
        WrittenRope rope = plain(base);
        rope.partial = RopePartial::proportional;
        rope.rotary_dims = 2 * pairs;
        consider_divided(rope);
      }
    }
  }

  const WrittenRope& structure_;
  const FrequencyEstimates& estimates_;
  bool clockwise_{false};
  std::vector<double> fitted_{};
  std::vector<FamilyFit> found_{};
};

}  // namespace

bool turn_clockwise(const std::vector<FrequencyEstimate>& estimates) {
  double leaning = 0;
  for (const FrequencyEstimate& e : estimates)
    if (std::abs(e.theta) > e.error) leaning += e.theta > 0 ? 1 : -1;
  return leaning < 0;
}

double misfit_of(const WrittenRope& rope, const FrequencyEstimates& estimates, double most) {
  const std::vector<double> theta = turning_frequencies(rope);
  double sum = 0;
  for (std::size_t t = 0; t < estimates.size(); ++t) {
    const FrequencyEstimate& e = estimates[t];
    if (!std::isfinite(e.error)) continue;
    double off = theta[t] - e.theta;
    if (2 * std::abs(off) > e.period) off = std::remainder(off, e.period);
    // The estimate of a frequency cannot be trusted beyond what fp32 angles leave of it.
    const double errors = off / (e.error + 1e-7 * std::abs(theta[t]));
    sum += std::min<double>(errors * errors, most * most);
  }
  return sum / static_cast<double>(estimates.size());
}

std::vector<RopeScaling> known_scalings() {
  using enum RopeScalingKind;
  std::vector<RopeScaling> all{{}};
  for (const double s : known_factors()) {
    all.push_back({.kind = linear, .factor = s});
    all.push_back({.kind = ntk, .factor = s});
    for (const double length : known_lengths()) {
      for (const RopeScalingKind kind : {yarn, llama3, ntk_by_parts})
        all.push_back({.kind = kind, .factor = s, .original_length = length});
      all.push_back({.kind = yarn, .factor = s, .original_length = length, .truncate = false});
    }
  }
  return all;
}

std::vector<WrittenRope> fit_families(const WrittenRope& structure,
                                      const std::vector<FrequencyEstimate>& estimates,
                                      std::size_t most, const std::vector<double>& bases) {
  return Fitter(structure, estimates, bases).fits(most);
}

}  // namespace orrery
