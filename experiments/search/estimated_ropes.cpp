#include "experiments/search/estimated_ropes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/encodings/rope_scaling.h"
#include "experiments/search/channel_frequencies.h"
#include "experiments/search/frequency_families.h"
#include "experiments/search/hypothesis_list.h"
#include "experiments/search/known_numbers.h"
#include "experiments/search/pair_phasors.h"
#include "experiments/search/rounded_frequencies.h"
#include "experiments/search/structures.h"

namespace orrery {
namespace {

/// What models round that should not be rounded.
constexpr std::array<std::pair<Stage, Precision>, 3> coarse_stages{
    {{Stage::inv_freq, Precision::bf16},
     {Stage::inv_freq, Precision::fp16},
     {Stage::angle, Precision::bf16}}};

class Estimates {
 public:
  explicit Estimates(Precision format) : format_(format) {}

  void add_families(std::vector<FamilyFit> fits, double amplitude,
                    const std::vector<FrequencyEstimate>& estimates) {
    int coarse = 0, rounded = 0;
    for (FamilyFit& fit : fits) {
      fit.rope.rounding = fp32_stages();
      add(fit.rope, amplitude);
      if (is_known(known_bases(), fit.rope.base)) {
        if (++coarse <= 4) add_coarse(fit.rope, amplitude);
      } else if (!fit.rope.inverted && ++rounded <= 4) {
        for (const Precision format : {Precision::bf16, Precision::fp16})
          add(with_rounded_frequencies(fit.rope, format, estimates), amplitude);
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

  void add_coarse(const WrittenRope& rope, double amplitude) {
    for (const auto& [stage, format] : coarse_stages) {
      WrittenRope coarse = rope;
      coarse.rounding.set(stage, format);
      add(coarse, amplitude);
    }
  }

  Precision format_;
  std::vector<WrittenRope> found_{};
};

/// As few digits as are within the tolerance.
double with_few_digits(double value, double tolerance) {
  constexpr int most = 12;
  for (int digits = 1; digits < most; ++digits) {
    const double rounded = rounded_to_digits(value, digits);
    if (std::abs(rounded - value) <= tolerance * value) return rounded;
  }
  return value;
}

/// Factors that programs have: none, that of YaRN once or twice, and the scale of the logits.
std::vector<double> known_factors_of(const WrittenRope& rope) {
  const double own = attention_factor(rope.scaling), root = std::sqrt(rope.d_head);
  return {1.0, own, own * own, 0.1 * std::log(rope.scaling.factor) + 1, 1 / root, own / root};
}

constexpr double near_known = 2e-3;  // what is measured of bf16 is no better known

}  // namespace

std::vector<WrittenRope> estimated_ropes(const RotationSample& sample,
                                         const AxisPositions& positions) {
  const auto axes = static_cast<std::size_t>(positions.cols());
  Estimates all(sample.format);
  for (const StructureFit& structure : likely_structures(sample)) {
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

std::vector<WrittenRope> estimated_ropes_of_other_wirings(const RotationSample& sample) {
  Estimates all(sample.format);
  const std::vector<WrittenRope> slices = possible_slices(sample);
  if (slices.empty()) return {};
  for (const RopePairing pairing : {RopePairing::half_split, RopePairing::interleaved})
    for (const Wiring wiring : {Wiring::other_table, Wiring::no_negation}) {
      WrittenRope rope = slices.front();
      rope.pairing = pairing;
      rope.wiring = wiring;
      const auto estimates = estimate_channel_frequencies(rope, sample);
      if (!estimates.empty()) all.add_families(fit_families(rope, estimates, 20), 1.0, estimates);
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

std::vector<WrittenRope> with_measured_factor(const WrittenRope& rope, double measured,
                                              Precision format) {
  const double own = amplitude_of(rope);
  if (std::abs(measured - own) <= near_known * own) return {};
  std::vector<double> factors{told_factor(rope, measured, format)};
  for (const double known : known_factors_of(rope))
    if (std::abs(measured - known) <= near_known * known && known != factors.front())
      factors.push_back(known);
  std::vector<WrittenRope> found(factors.size(), rope);
  for (std::size_t i = 0; i < factors.size(); ++i) found[i].amplitude = factors[i];
  return found;
}

}  // namespace orrery
