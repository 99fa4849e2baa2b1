#include "experiments/identify/rope_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/identify/defects.h"

namespace orrery {
namespace {

constexpr Index tried_rows = 24;
constexpr Index tried_heads = 2;
constexpr double fitting = explained_roundings;  // above it other explanations are looked for
constexpr std::size_t most_ties = 60;
// Of what fits but for a few numbers: three that a library rounded the other way decide nothing.
constexpr double least_variance = 0.1;

/// Σ theta, or 0 of what does not turn: two ropes that differ in it need not be compared further.
/// Empty where the rope has no frequencies.
std::optional<double> fingerprint_of(const WrittenRope& rope) {
  try {
    const std::vector<double> theta = frequencies_of(rope);
    const double sum = std::accumulate(theta.begin(), theta.end(), 0.0);
    if (!std::isfinite(sum)) return std::nullopt;
    if (rope.rule == PositionRule::none) return 0.0;
    return rope.rule == PositionRule::doubled ? 2 * sum : sum;
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

double square(double x) { return x * x; }

bool are_same(double fingerprint, double other) {
  constexpr double rounding = 1e-8;
  return std::abs(fingerprint - other) <= rounding * std::abs(fingerprint);
}

}  // namespace

StageRounding fp32_stages() {
  return {Precision::fp32, {Stage::inv_freq, Stage::angle, Stage::cos_sin}};
}

HypothesisList::HypothesisList(const RotationQuestion& asked)
    : question(asked),
      sample_(sample_of(asked.tensor, sampled_rows, sampled_heads)),
      small_(sample_of(asked.tensor, tried_rows, tried_heads)),
      structures_(likely_structures(sample_)) {}

std::span<const StructureFit> HypothesisList::best_structures() const {
  constexpr std::size_t most = 2;
  return structures().first(std::min(most, structures_.size()));
}

bool HypothesisList::fits() const { return best().residual.rms() < fitting || fits_as_angles_do(); }

bool HypothesisList::fits_as_angles_do() const {
  const double rms = best().residual.rms();
  return rms >= fitting && rms < angle_rounding();
}

/// What angles of fp32, half a unit in the last place off, leave of all pairs, in units of rounding;
/// of fp64 where the best leaves no more than those.
double HypothesisList::angle_rounding() const {
  constexpr double of_fp32 = 1e-8, of_fp64 = 2e-16;  // of a number, per position: slow pairs less
  const double turned =
      static_cast<double>(reach()) * size_of(best().rope.unit) / unit_roundoff(sample_.format);
  return turned * (best().residual.rms() < of_fp64 * turned ? of_fp64 : of_fp32);
}

void HypothesisList::add(WrittenRope rope, std::string defect, bool is_expected) {
  const bool begins = rope.rule == PositionRule::zero_from ||
                      rope.rule == PositionRule::next_from || rope.rule == PositionRule::past_twice;
  if (!begins) rope.from_row = 0;
  if (rounds_no_position(rope)) return;
  const std::optional<double> fingerprint = fingerprint_of(rope);
  if (!fingerprint) return;
  for (RopeHypothesis& other : found_)
    if (are_same(other.fingerprint, *fingerprint) && computes_same(other.rope, rope)) {
      if (other.defect.empty()) other.defect = std::move(defect);
      other.is_expected = other.is_expected || is_expected;
      const double cost = total_cost(rope, other.defect, other.is_expected);
      if (cost >= other.cost) return;
      other.cost = cost;
      other.rope = std::move(rope);  // of two ways to write it the more usual one
      return;
    }
  const double cost = total_cost(rope, defect, is_expected);
  found_.push_back({.rope = std::move(rope),
                    .defect = std::move(defect),
                    .is_expected = is_expected,
                    .cost = cost,
                    .fingerprint = *fingerprint});
}

/// Positions that a format holds say nothing of whether they had it. Those that a rule makes are
/// left to the fit.
bool HypothesisList::rounds_no_position(const WrittenRope& rope) const {
  const Precision format = rope.rounding.format(Stage::position);
  if (format == Precision::fp64 || rope.rule != PositionRule::stated || rope.offset != 0)
    return false;
  const AxisPositions& stated = question.tensor.positions;
  return std::all_of(stated.data(), stated.data() + stated.size(), [&](Position p) {
    const auto whole = static_cast<double>(p);
    return round_to(format, whole) == whole;
  });
}

/// The expected rope is the most likely one, its defects come next, and then what deviates from it
/// in the fewest properties.
double HypothesisList::total_cost(const WrittenRope& rope, const std::string& defect,
                                  bool is_expected) const {
  constexpr double least = -3, usual = 0.01;
  if (is_expected) return -10;
  if (defect.empty())
    return question.expected ? least + deviations(*question.expected, rope, sample_.format) +
                                   usual * cost_of(rope)
                             : cost_of(rope);
  double cost = -5;
  for (const RopeDefect& known : rope_defects()) {
    if (known.name == defect) break;
    cost += 0.05;
  }
  return cost;
}

/// The best by residual on the sample; ties by cost.
void HypothesisList::keep(std::size_t most, const RotationSample& sample) {
  if (&sample == &sample_) screen();
  if (measured_ != &sample)
    for (RopeHypothesis& hypothesis : found_) hypothesis.residual = {};
  measure(found_, sample);
  order_robustly();
  // What is expected stays, however badly it fits: the answer says by how much.
  std::vector<RopeHypothesis> kept;
  for (std::size_t i = 0; i < found_.size(); ++i)
    if (i < most || found_[i].is_expected || (i < most_ties && found_[i].tied))
      kept.push_back(std::move(found_[i]));
  found_ = std::move(kept);
  measured_ = &sample;
}

void HypothesisList::drop_needless_lists() {
  constexpr double far_less = 0.25;
  const auto is_list = [](const RopeHypothesis& one) {
    return one.rope.scaling.kind == RopeScalingKind::factors && !one.is_expected &&
           one.defect.empty();
  };
  const double least = best().residual.sum_of_squares;
  const bool needed =
      explains(best()) != Explains::no &&
      std::none_of(found_.begin(), found_.end(), [&](const RopeHypothesis& one) {
        if (is_list(one)) return false;
        const Explains how = explains(one);
        const bool near = !(least < far_less * one.residual.sum_of_squares);
        return how == Explains::by_angles || (how == Explains::by_roundings && near);
      });
  if (!needed && !std::all_of(found_.begin(), found_.end(), is_list))
    std::erase_if(found_, is_list);
}

std::vector<WrittenRope> HypothesisList::leading(const RotationSample& sample,
                                                 std::size_t most) const {
  struct Led {
    const RopeHypothesis* hypothesis;
    double misfit;
  };
  std::vector<Led> led;
  for (const RopeHypothesis& hypothesis : found_)
    if (hypothesis.rope.rule == PositionRule::stated && hypothesis.rope.offset == 0)
      led.push_back({&hypothesis, residual_of(hypothesis.rope, sample).capped_sum});
  double least = std::numeric_limits<double>::infinity();
  for (const Led& one : led) least = std::min<double>(least, one.misfit);
  const auto key = [&](const Led& one) {
    const bool ties = one.misfit < 1.5 * least + evidence_to_decide;
    return std::make_pair(!ties, ties ? one.hypothesis->cost : one.misfit);
  };
  std::stable_sort(led.begin(), led.end(),
                   [&](const Led& a, const Led& b) { return key(a) < key(b); });
  std::vector<WrittenRope> ropes;
  for (const Led& one : led)
    if (ropes.size() < most) ropes.push_back(one.hypothesis->rope);
  return ropes;
}

/// What was not measured yet.
void HypothesisList::measure(std::vector<RopeHypothesis>& hypotheses,
                             const RotationSample& sample) const {
  std::vector<RopeHypothesis*> open;
  for (RopeHypothesis& hypothesis : hypotheses)
    if (hypothesis.residual.count == 0) open.push_back(&hypothesis);
  in_parallel(static_cast<std::ptrdiff_t>(open.size()), question.threads, [&] {
    return [&](std::ptrdiff_t i) {
      RopeHypothesis& hypothesis = *open[static_cast<std::size_t>(i)];
      hypothesis.residual = residual_of(hypothesis.rope, sample);
    };
  });
}

/// Of many that are new, those that fit a few rows best.
void HypothesisList::screen() {
  constexpr std::size_t enough = 30;
  std::vector<RopeHypothesis> fresh;
  const auto is_new = [](const RopeHypothesis& h) { return h.residual.count == 0; };
  for (RopeHypothesis& hypothesis : found_)
    if (is_new(hypothesis)) fresh.push_back(hypothesis);
  if (fresh.size() <= enough) return;
  found_.erase(std::remove_if(found_.begin(), found_.end(), is_new), found_.end());
  measure(fresh, small_);
  std::stable_sort(fresh.begin(), fresh.end(),
                   [](const RopeHypothesis& a, const RopeHypothesis& b) {
                     return a.residual.capped_sum < b.residual.capped_sum;
                   });
  fresh.resize(enough);
  for (RopeHypothesis& hypothesis : fresh) {
    hypothesis.residual = {};
    found_.push_back(std::move(hypothesis));
  }
}

/// While hypotheses are looked for, rows that follow another rule do not hide what others say.
void HypothesisList::order_robustly() {
  order();
  if (found_.front().residual.rms() < fitting) return;
  std::stable_sort(found_.begin(), found_.end(),
                   [](const RopeHypothesis& a, const RopeHypothesis& b) {
                     return a.residual.capped_sum < b.residual.capped_sum;
                   });
}

void HypothesisList::order() {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const RopeHypothesis& a, const RopeHypothesis& b) {
                     return a.residual.sum_of_squares < b.residual.sum_of_squares;
                   });
  const Residual& least = found_.front().residual;
  const double variance =
      std::max<double>(least.sum_of_squares / std::max<double>(least.count, 1), least_variance);
  double explained_sum = least.sum_of_squares;
  if (fits_as_angles_do())
    explained_sum = std::max<double>(explained_sum, least.count * square(angle_rounding()));
  for (RopeHypothesis& hypothesis : found_) {
    hypothesis.evidence = (hypothesis.residual.sum_of_squares - explained_sum) / variance;
    hypothesis.tied = hypothesis.evidence < evidence_to_decide;
  }
  // A digit of a number, worth ln 10 of evidence, costs as much as that evidence.
  constexpr double of_evidence = 0.04;
  const auto key = [](const RopeHypothesis& one) {
    return one.cost + of_evidence * std::max<double>(one.evidence, 0);
  };
  std::stable_sort(found_.begin(), found_.end(),
                   [&](const RopeHypothesis& a, const RopeHypothesis& b) {
                     if (a.tied != b.tied) return a.tied;
                     return a.tied && key(a) < key(b);
                   });
}

RotationAnswer HypothesisList::ranked() {
  constexpr double numbers_to_look_at = 1 << 22;
  const auto size = static_cast<double>(question.tensor.after.size());
  // Of a large tensor those that a sample of it cannot tell apart, and one more.
  const auto ties = static_cast<std::size_t>(std::count_if(
      found_.begin(), found_.end(), [](const RopeHypothesis& one) { return one.tied; }));
  const std::size_t most = std::max<std::size_t>(
      std::min<std::size_t>(6, ties + 1), static_cast<std::size_t>(numbers_to_look_at / size));
  std::vector<WrittenRope> first;
  for (const RopeHypothesis& hypothesis : found_) {
    if (first.size() >= most && !hypothesis.is_expected) break;
    first.push_back(hypothesis.rope);
  }
  const std::vector<Residual> residuals = residuals_of(first, question.tensor, question.threads);
  for (std::size_t i = 0; i < residuals.size(); ++i) found_[i].residual = residuals[i];
  measured_whole(residuals.size());
  for (RopeHypothesis& hypothesis : found_) name_defect(hypothesis);
  put_expected_first();
  put_sound_first();
  const auto explained = std::find_if(found_.begin(), found_.end(), [&](const RopeHypothesis& one) {
    return one.tied && explains(one) != Explains::no;
  });  // of what angles cannot tell apart, those of few digits need not explain it
  if (explained != found_.end()) std::rotate(found_.begin(), explained, explained + 1);
  RotationAnswer answer{.hypotheses = std::move(found_)};
  const Explains how = explains(answer.best());
  answer.explained_by_angles = how == Explains::by_angles;
  answer.explained = how != Explains::no;
  return answer;
}

/// The rope with every stage that is no coarser than it may be as in fp32: cos and sin as coarse as
/// the tensor are sound.
WrittenRope HypothesisList::without_fine_stages(WrittenRope rope) const {
  StageRounding stages = fp32_stages();
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin})
    if (is_coarse(rope.rounding, stage, sample_.format))
      stages.set(stage, rope.rounding.format(stage));
  rope.rounding = stages;
  return rope;
}

/// What is expected, or a defect of it, may be found with cos and sin in another precision, and
/// from another row on.
void HypothesisList::name_defect(RopeHypothesis& hypothesis) const {
  if (!question.expected || hypothesis.is_expected || !hypothesis.defect.empty()) return;
  const WrittenRope found = without_fine_stages(hypothesis.rope);
  std::vector<WrittenRope> right{*question.expected};
  right.insert(right.end(), question.as_right.begin(), question.as_right.end());
  for (WrittenRope& sound : right) {
    sound.rounding = fp32_stages();
    hypothesis.is_expected = hypothesis.is_expected || computes_same(sound, found);
  }
  if (hypothesis.is_expected) return;
  for (const RopeDefect& defect : rope_defects())
    for (const WrittenRope& sound : right) {
      auto rope = defect.inject(sound, question.tensor.rows());
      if (!rope) continue;
      if (rope->from_row > 0) rope->from_row = found.from_row;
      if (!computes_same(*rope, found)) continue;
      hypothesis.defect = defect.name;
      return;
    }
}

/// What is expected and explains the tensor comes first, where the first differs from it in no more
/// than numbers: a base that is fitted, or has other digits, always leaves a little less.
void HypothesisList::put_expected_first() {
  const auto expected = std::find_if(found_.begin(), found_.end(), [&](const RopeHypothesis& one) {
    return one.is_expected && explains(one) != Explains::no;
  });
  if (expected == found_.end() || expected->tied || !found_.front().defect.empty()) return;
  if (!differ_in_numbers(expected->rope, found_.front().rope, sample_.format)) return;
  expected->tied = true;
  expected->evidence = 0;
  std::rotate(found_.begin(), expected, expected + 1);
}

/// A sum that is wired wrong stands only where the right one leaves far more: what fp32 rounds of
/// far angles leaves less of either by chance.
void HypothesisList::put_sound_first() {
  constexpr double far_more = 2, rounded = 2;  // of squares; roundings of any number
  RopeHypothesis sound = found_.front();
  if (sound.rope.wiring == Wiring::rotation || sound.is_expected) return;
  sound.rope.wiring = Wiring::rotation;
  sound.residual = residuals_of({sound.rope}, question.tensor, question.threads).front();
  const double left = found_.front().residual.sum_of_squares;
  const bool near =
      sound.residual.sum_of_squares < far_more * left || sound.residual.largest < rounded;
  if (!near || explains(sound) == Explains::no) return;
  for (const RopeHypothesis& one : found_)
    if (one.is_expected && computes_same(one.rope, sound.rope)) sound.is_expected = true;
  std::erase_if(found_, [&](const RopeHypothesis& one) {
    return one.rope.wiring == Wiring::rotation && computes_same(one.rope, sound.rope);
  });
  sound.defect.clear();
  sound.tied = true;
  sound.evidence = 0;
  sound.cost = total_cost(sound.rope, sound.defect, sound.is_expected);
  found_.insert(found_.begin(), std::move(sound));
}

/// Frequencies that libraries round differently make angles of fp32 differ by up to 1e-7 for each
/// position.
HypothesisList::Explains HypothesisList::explains(const RopeHypothesis& one) const {
  const double rms = one.residual.rms(), u = unit_roundoff(question.tensor.format);
  if (rms < explained_roundings) return Explains::by_roundings;
  const double angles = 1e-7 * static_cast<double>(reach()) * size_of(one.rope.unit);
  if (!(rms * u < angles)) return Explains::no;
  const double beyond = residual_beyond_angles(one.rope, sample_).rms();
  return beyond < explained_roundings ? Explains::by_angles : Explains::no;
}

/// Hypotheses beyond the first few keep what the sample says, scaled to the whole.
void HypothesisList::measured_whole(std::size_t measured) {
  const double whole = static_cast<double>(question.tensor.after.size());
  for (std::size_t i = measured; i < found_.size(); ++i) {
    Residual& residual = found_[i].residual;
    if (residual.count == 0 || residual.count == whole) continue;
    residual.sum_of_squares *= whole / residual.count;
    residual.count = whole;
  }
  order();
  std::size_t last = 0;
  for (std::size_t i = 0; i < found_.size(); ++i)
    if (i < question.most || found_[i].tied || found_[i].is_expected) last = i + 1;
  found_.resize(last);
}

/// The largest position: fp32 angles are off by a part in 10^7 of it.
Position HypothesisList::reach() const {
  return question.tensor.positions.size() == 0 ? 0
                                               : question.tensor.positions.cwiseAbs().maxCoeff();
}

void HypothesisList::add_estimated(const AxisPositions& positions, const Change& change) {
  add_changed(estimated_ropes(structures_, sample_.format, positions), change);
}

void HypothesisList::add_estimated(const RotationSample& sample, const AxisPositions& positions,
                                   const Change& change) {
  add_changed(estimated_ropes(likely_structures(sample), sample.format, positions), change);
}

void HypothesisList::add_changed(std::vector<WrittenRope> ropes, const Change& change) {
  for (WrittenRope& rope : ropes) {
    if (change) change(rope);
    add(rope);
  }
}

}  // namespace orrery
