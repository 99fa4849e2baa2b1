#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/encodings/rope_scaling.h"
#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"

namespace orrery {
namespace {

/// The number of the interval with the fewest digits.
double shortest_between(double low, double high) {
  const double middle = std::sqrt(low * high);
  for (int digits = 1; digits < 15; ++digits) {
    const double rounded = rounded_to_digits(middle, digits);
    if (rounded >= low && rounded <= high) return rounded;
  }
  return middle;
}

/// The rope with frequencies rounded to `format` and the base, near its own, at which most of them
/// are the estimated ones. A rounded frequency determines its base no better than to half a unit
/// in the last place; all of them together leave a short interval, of which the number with the
/// fewest digits is taken.
WrittenRope with_rounded_frequencies(const WrittenRope& rope, Precision format,
                                     const std::vector<FrequencyEstimate>& estimates) {
  constexpr double step = 1e-5, reach = 0.015;  // of ln base
  constexpr double agreeing = 1e-9, most_errors = 5;
  WrittenRope rounded = rope;
  rounded.rounding.set(Stage::inv_freq, format);
  double least = misfit_of(rounded, estimates, most_errors), low = rope.base, high = rope.base;
  bool open = false;  // whether the interval of the best goes on
  for (double along = -reach; along <= reach; along += step) {
    rounded.base = rope.base * std::exp(along);
    if (!(rounded.base > 1.01)) continue;
    const double misfit = misfit_of(rounded, estimates, most_errors);
    if (misfit < least - agreeing) {
      least = misfit;
      low = high = rounded.base;
      open = true;
    } else if (open && misfit < least + agreeing) {
      high = rounded.base;
    } else {
      open = false;
    }
  }
  rounded.base = shortest_between(low, high);
  return rounded;
}

/// Factors that programs have: none, that of YaRN once or twice, and the scale of the logits.
std::vector<double> known_factors_of(const WrittenRope& rope) {
  const double own = attention_factor(rope.scaling), root = std::sqrt(rope.d_head);
  return {1.0, own, own * own, 0.1 * std::log(rope.scaling.factor) + 1, 1 / root, own / root};
}

constexpr double near_known = 2e-3;  // what is measured of bf16 is no better known

/// The rope with the factor that was measured, where its own is another: as told, and as each known
/// one that is near. Empty where its own is the measured one.
std::vector<WrittenRope> with_measured_factor(const WrittenRope& rope, double measured,
                                              Precision format) {
  const double own = amplitude_of(rope);
  const double near = std::min<double>(near_known, 8 * unit_roundoff(format));
  if (std::abs(measured - own) <= near * own) return {};
  std::vector<double> factors{told_factor(rope, measured, format)};
  for (const double known : known_factors_of(rope))
    if (std::abs(measured - known) <= near_known * known && known != factors.front())
      factors.push_back(known);
  std::vector<WrittenRope> found(factors.size(), rope);
  for (std::size_t i = 0; i < factors.size(); ++i) found[i].amplitude = factors[i];
  return found;
}

/// What models round that should not be rounded.
constexpr std::array<std::pair<Stage, Precision>, 3> wrongly_rounded{
    {{Stage::inv_freq, Precision::bf16},
     {Stage::inv_freq, Precision::fp16},
     {Stage::angle, Precision::bf16}}};

class Estimates {
 public:
  explicit Estimates(Precision format) : format_(format) {}

  void add_families(std::vector<WrittenRope> ropes, double amplitude,
                    const std::vector<FrequencyEstimate>& estimates) {
    int coarse = 0, rounded = 0;
    for (WrittenRope& rope : ropes) {
      rope.rounding = fp32_stages();
      add(rope, amplitude);
      if (is_known(known_bases(), rope.base)) {
        if (++coarse <= 4) add_coarse(rope, amplitude);
      } else if (!rope.inverted && ++rounded <= 4) {
        for (const Precision format : {Precision::bf16, Precision::fp16})
          add(with_rounded_frequencies(rope, format, estimates), amplitude);
      }
    }
  }

  std::vector<WrittenRope> found() { return std::move(found_); }

 private:
  void add(const WrittenRope& rope, double amplitude) {
    found_.push_back(rope);
    for (WrittenRope& with : with_measured_factor(rope, amplitude, format_))
      found_.push_back(std::move(with));
  }

  /// Numbers that were measured for each pair hold what its frequency was rounded by.
  void add_coarse(const WrittenRope& rope, double amplitude) {
    for (const auto& [stage, format] : wrongly_rounded) {
      if (stage == Stage::inv_freq && rope.scaling.kind == RopeScalingKind::longrope) continue;
      WrittenRope coarse = rope;
      coarse.rounding.set(stage, format);
      add(coarse, amplitude);
    }
  }

  Precision format_;
  std::vector<WrittenRope> found_{};
};

}  // namespace

std::vector<WrittenRope> estimated_ropes(std::span<const StructureFit> structures, Precision format,
                                         const AxisPositions& positions) {
  const auto axes = static_cast<std::size_t>(positions.cols());
  Estimates all(format);
  for (const StructureFit& structure : structures) {
    std::vector<WrittenRope> ways{structure.rope};
    if (axes == 3) ways = with_usual_sections(structure.rope);
    for (const WrittenRope& rope : ways) {
      const auto estimates =
          estimate_frequencies(structure.phasors, positions, axes_of(rope, axes));
      if (estimates.empty()) continue;
      all.add_families(fit_families(rope, estimates, axes == 3 ? 4 : 30),
                       structure.phasors.amplitude, estimates);
    }
  }
  return all.found();
}

double told_factor(const WrittenRope& rope, double measured, Precision format) {
  const double u = unit_roundoff(format);
  const double near = std::min<double>(near_known, 4 * u);
  for (const double known : known_factors_of(rope))
    if (std::abs(measured - known) <= near * known) return known;
  return with_few_digits(measured, std::min<double>(1e-4, u / 4));
}

}  // namespace orrery
