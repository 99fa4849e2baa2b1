#include "core/identify/identify_rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "core/identify/channel_frequencies.h"
#include "core/identify/defects.h"
#include "core/identify/frequency_families.h"
#include "core/identify/hypothesis_list.h"
#include "core/identify/known_numbers.h"
#include "core/identify/offset_search.h"
#include "core/identify/pair_phasors.h"
#include "core/identify/refined_base.h"
#include "core/identify/structures.h"

namespace orrery {
namespace {

constexpr Index sampled_rows = 96;
constexpr Index sampled_heads = 4;

/// What models round that should not be rounded.
constexpr std::array<std::pair<Stage, Precision>, 3> coarse_stages{
    {{Stage::inv_freq, Precision::bf16},
     {Stage::inv_freq, Precision::fp16},
     {Stage::angle, Precision::bf16}}};

/// The sample with heads for rows, at the positions 0, 1, … of heads.
RotationSample transposed_sample(const RotationSample& sample) {
  RotationSample other = sample;
  other.places.heads = sample.places.rows;
  other.places.rows = sample.places.heads;
  other.places.positions.resize(sample.heads(), 1);
  for (Index h = 0; h < sample.heads(); ++h) {
    other.places.positions(h, 0) = sample.places.heads[static_cast<std::size_t>(h)];
    for (Index n = 0; n < sample.rows(); ++n) {
      const Index from = h * sample.rows() + n, to = n * sample.heads() + h;
      other.before.row(to) = sample.before.row(from);
      other.after.row(to) = sample.after.row(from);
      other.unit.row(to) = sample.unit.row(from);
      other.slack.row(to) = sample.slack.row(from);
    }
  }
  return other;
}

class Search {
 public:
  explicit Search(const RotationQuestion& question) : question_(question), list_(question) {}

  RotationAnswer answer() {
    add_expected();
    add_estimated(sample_, stated_positions(), [](WrittenRope&) {});
    add_released();
    list_.keep(24, small_);
    list_.keep(8, sample_);
    refine_bases();
    if (!list_.fits()) add_first_rows();
    if (!list_.fits()) add_offsets();
    if (!list_.fits()) add_rules();
    estimate_again();
    if (!list_.fits()) add_other_positions();
    if (!list_.fits()) add_heads_for_positions();
    if (!list_.fits()) add_other_wirings();
    refine_bases();
    add_neighbours();
    for (int round = 0; round < 2; ++round) {
      add_defects(round == 0 ? 3 : 1);
      list_.keep(24, sample_);
      if (round == 0) estimate_again();
    }
    add_formats();
    add_stretched();
    list_.keep(40, sample_);
    return list_.ranked();
  }

 private:
  void add_expected() {
    if (!question_.expected) return;
    WrittenRope expected = *question_.expected;
    for (const bool rounded : {true, false}) {
      expected.rounding = rounded ? fp32_stages() : StageRounding{};
      list_.add(expected, {}, true);
      for (const RopeDefect& defect : rope_defects())
        if (const auto rope = defect.inject(expected, question_.tensor.rows()))
          list_.add(*rope, defect.name);
    }
  }

  /// Families of frequencies for each likely way of pairing, at these positions; `change` says in
  /// the rope where they are not the stated ones.
  template <class Change>
  void add_estimated(const RotationSample& sample, const AxisPositions& positions, Change change) {
    for (const StructureFit& structure : likely_structures(sample)) {
      std::vector<WrittenRope> ways{structure.rope};
      if (axes() == 3) ways = with_usual_sections(structure.rope);
      for (const WrittenRope& rope : ways) {
        const auto estimates =
            estimate_frequencies(structure.phasors, positions, axes_of(rope, axes()));
        if (estimates.empty()) continue;
        add_families(fit_families(rope, estimates, axes() == 3 ? 4 : 30),
                     structure.phasors.amplitude, change);
      }
    }
  }

  /// Each of the fits, and the first of known bases with frequencies and angles rounded as well.
  template <class Change>
  void add_families(std::vector<FamilyFit> fits, double amplitude, Change change) {
    int rounded = 0;
    for (FamilyFit& fit : fits) {
      fit.rope.rounding = fp32_stages();
      change(fit.rope);
      list_.add(fit.rope);
      add_with_stretch(fit.rope, amplitude);
      if (!is_known(known_bases(), fit.rope.base) || ++rounded > 4) continue;
      for (const auto& [stage, format] : coarse_stages) {
        WrittenRope rope = fit.rope;
        rope.rounding.set(stage, format);
        list_.add(rope);
        add_with_stretch(rope, amplitude);
      }
    }
  }

  /// The same with the factor that was measured, where its own is another: none, its square, that
  /// of YaRN, or a number of 4 digits.
  void add_with_stretch(WrittenRope rope, double measured) {
    constexpr double near = 2e-3;
    const double own = amplitude_of(rope);
    if (std::abs(measured - own) <= near * own) return;
    double amplitude = std::round(measured * 1e4) / 1e4;
    for (const double known : {1.0, own * own, 0.1 * std::log(rope.scaling.factor) + 1})
      if (std::abs(measured - known) <= near * known) amplitude = known;
    rope.amplitude = amplitude;
    list_.add(rope);
  }

  const AxisPositions& stated_positions() const { return sample_.places.positions; }

  /// Estimates at positions other than the stated ones; `change` says so in the rope.
  template <class Position_of, class Change>
  void estimate_at(Position_of position_of, Change change) {
    AxisPositions positions = stated_positions();
    for (Index n = 0; n < positions.rows(); ++n)
      for (Index axis = 0; axis < positions.cols(); ++axis)
        positions(n, axis) =
            position_of(positions(n, axis), sample_.places.rows[static_cast<std::size_t>(n)]);
    if (positions == stated_positions()) return;
    add_estimated(sample_, positions, change);
  }

  void add_other_positions() {
    for (const Precision format : {Precision::bf16, Precision::fp16})
      estimate_at(
          [&](Position p, Index) {
            return static_cast<Position>(round_to(format, static_cast<double>(p)));
          },
          [&](WrittenRope& rope) { rope.rounding.set(Stage::position, format); });
    estimate_at([](Position p, Index) { return 2 * p; },
                [](WrittenRope& rope) { rope.rule = PositionRule::doubled; });
    list_.keep(12, sample_);
    refine_bases();
  }

  /// Once more, at the positions that were found: now all rows count.
  void estimate_again() {
    const WrittenRope found = found_.front().rope;
    if (found.rule == PositionRule::stated && found.offset == 0) return;
    if (found.rule == PositionRule::none || found.rule == PositionRule::head_index) return;
    estimate_at([&](Position p, Index row) { return written_position(found, p, row, 0); },
                [&](WrittenRope& rope) {
                  rope.rule = found.rule;
                  rope.offset = found.offset;
                  rope.from_row = found.from_row;
                });
    list_.keep(16, sample_);
    refine_bases();
  }

  /// Scalings whose frequencies the tensor can hardly tell from the best ones.
  void add_neighbours() {
    WrittenRope rope = found_.front().rope;
    if (rope.partial == RopePartial::proportional || rope.inverted) return;
    const std::vector<double> theta = frequencies_of(rope);
    const double a = amplitude_of(rope);
    const Position last =
        rope.rule == PositionRule::head_index ? question_.tensor.heads : list_.reach();
    const auto span = static_cast<double>(last + std::abs(rope.offset) + 1);
    const double near = 30 * unit_roundoff(question_.tensor.format);
    for (const RopeScaling& scaling : known_scalings()) {
      rope.scaling = scaling;
      rope.amplitude = {};
      const std::vector<double> other = frequencies_of(rope);
      double largest = 0;
      for (std::size_t t = 0; t < theta.size(); ++t)
        largest = larger(largest, std::abs(theta[t] - other[t]) * span);
      if (!(largest < near)) continue;
      if (std::abs(amplitude_of(rope) / a - 1) > near) rope.amplitude = a;
      list_.add(rope);
    }
    list_.keep(40, sample_);
  }

  /// From the first rows alone: later ones may follow another rule.
  void add_first_rows() {
    const Index rows = question_.tensor.rows() / 3;
    if (rows < 8) return;
    const RotationSample first =
        rows_between(question_.tensor, 0, std::min<Index>(rows, sampled_rows), sampled_heads);
    add_estimated(first, first.places.positions, [](WrittenRope&) {});
    list_.keep(16, sample_);
    refine_bases(first);
  }

  void add_heads_for_positions() {
    if (sample_.heads() < 2 || axes() > 1) return;
    const RotationSample transposed = transposed_sample(sample_);
    add_estimated(transposed, transposed.places.positions,
                  [](WrittenRope& rope) { rope.rule = PositionRule::head_index; });
    list_.keep(12, sample_);
  }

  void add_other_wirings() {
    if (axes() > 1) return;
    const RotationSample few = sample_of(question_.tensor, 64, 2);
    const std::vector<WrittenRope> slices = possible_slices(few);
    for (const RopePairing pairing : {RopePairing::half_split, RopePairing::interleaved})
      for (const Wiring wiring : {Wiring::other_table, Wiring::no_negation}) {
        if (slices.empty()) continue;
        WrittenRope rope = slices.front();
        rope.pairing = pairing;
        rope.wiring = wiring;
        const auto estimates = estimate_channel_frequencies(rope, few);
        if (!estimates.empty()) add_families(fit_families(rope, estimates, 20), 1.0, [](auto&) {});
      }
    list_.keep(12, sample_);
  }

  /// A base that is no released model's is known as well as the angles are: it is fitted to them,
  /// and then tried with as few digits as it may have.
  void refine_bases() { refine_bases(sample_); }
  void refine_bases(const RotationSample& sample) {
    const std::size_t count = std::min<std::size_t>(found_.size(), 3);
    for (std::size_t i = 0; i < count; ++i) {
      WrittenRope rope = found_[i].rope;
      if (is_known(known_bases(), rope.base) || rope.wiring != Wiring::rotation || axes() > 1)
        continue;
      rope.base = refined_base(rope, sample);
      const double base = rope.base;
      for (const int digits : {1, 2, 3, 4, 5, 6, 8}) {
        const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(base)));
        rope.base = std::round(base * scale) / scale;
        if (rope.base > 1) list_.add(rope);
      }
    }
    list_.keep(16, sample_);
  }

  void add_released() {
    for (WrittenRope& rope : released_ropes(question_.tensor.channels(), axes())) {
      rope.rounding = fp32_stages();
      list_.add(rope);
    }
  }

  /// A common offset of all rows, for the best rope so far.
  void add_offsets() {
    const std::size_t count = std::min<std::size_t>(found_.size(), 4);
    for (std::size_t i = 0; i < count; ++i) {
      WrittenRope rope = found_[i].rope;
      if (rope.wiring != Wiring::rotation) continue;
      rope.offset = 0;
      const std::vector<Position> near{-1, 1, 2};
      for (const Position offset : axes() > 1 ? near : likely_offsets(rope, sample_)) {
        rope.offset = offset;
        list_.add(rope);
      }
    }
    list_.keep(12, sample_);
  }

  /// Rows from one on have other positions: where it begins is found by the rows' own residuals.
  void add_rules() {
    std::vector<WrittenRope> sounds;
    for (const RopeHypothesis& hypothesis : found_)
      if (hypothesis.rope.rule == PositionRule::stated && sounds.size() < 3)
        sounds.push_back(hypothesis.rope);
    for (std::size_t i = 0; i < sounds.size(); ++i) {
      const WrittenRope rope = sounds[i];
      for (const WrittenRope& ruled : likely_rules(rope, sample_, question_.tensor))
        list_.add(ruled);
    }
    list_.keep(12, sample_);
  }

  void add_defects(std::size_t count) {
    const std::size_t bases = std::min<std::size_t>(found_.size(), count);
    for (std::size_t i = 0; i < bases; ++i) {
      const WrittenRope sound = found_[i].rope;
      for (const RopeDefect& defect : rope_defects())
        if (const auto rope = defect.inject(sound, question_.tensor.rows())) list_.add(*rope);
    }
  }

  void add_formats() {
    const std::size_t count = std::min<std::size_t>(found_.size(), 3);
    for (std::size_t i = 0; i < count; ++i) {
      WrittenRope rope = found_[i].rope;
      const StageRounding as_found = rope.rounding;
      for (const Precision format : {Precision::bf16, Precision::fp16}) {
        rope.rounding = as_found;
        rope.rounding.set(Stage::cos_sin, format);
        list_.add(rope);
      }
      rope.rounding = {};
      list_.add(rope);
    }
  }

  /// The measured stretch, where no known factor is it.
  void add_stretched() {
    WrittenRope rope = found_.front().rope;
    if (rope.wiring != Wiring::rotation || rope.rule != PositionRule::stated) return;
    const double a = pair_phasors(rope, sample_).amplitude;
    rope.amplitude = std::round(a * 1e4) / 1e4;
    list_.add(rope);
    if (rope.rotary_dims == rope.d_head) return;
    rope.reach = FactorReach::all;
    list_.add(rope);
  }

  std::size_t axes() const { return static_cast<std::size_t>(question_.tensor.positions.cols()); }

  const RotationQuestion& question_;
  HypothesisList list_;
  const RotationSample& sample_{list_.sample()};
  const RotationSample& small_{list_.small()};
  const std::vector<RopeHypothesis>& found_{list_.found()};
};

void check_shapes(const RotatedTensor& tensor) {
  const MatrixIn<double>&x = tensor.before, &y = tensor.after;
  if (x.rows() == y.rows() && x.cols() == y.cols() && x.rows() > 0 && x.cols() % 2 == 0 &&
      tensor.positions.rows() == tensor.rows() && tensor.positions.cols() > 0)
    return;
  throw UsageError(fmt::format("tensors of {} x {} and {} x {} with {} positions", x.rows(),
                               x.cols(), y.rows(), y.cols(), tensor.positions.rows()),
                   "must have the same shape, an even number of channels and a position per row",
                   "give q as it was before and after the rotation");
}

/// Nothing explains a NaN or an infinity; the residual says so.
RotationAnswer without_numbers(const RotationQuestion& question) {
  const Index d = question.tensor.channels();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {.hypotheses = {{.rope = {.d_head = d, .rotary_dims = d},
                          .residual = {.sum_of_squares = nan, .count = 1, .largest = nan}}}};
}

}  // namespace

RotationAnswer identify_rotation(const RotationQuestion& question) {
  check_shapes(question.tensor);
  if (!question.tensor.before.allFinite() || !question.tensor.after.allFinite())
    return without_numbers(question);
  return Search(question).answer();
}

}  // namespace orrery
