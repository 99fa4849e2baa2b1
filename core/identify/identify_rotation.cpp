#include "core/identify/identify_rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "core/identify/defects.h"
#include "core/identify/estimated_ropes.h"
#include "core/identify/frequency_families.h"
#include "core/identify/hypothesis_list.h"
#include "core/identify/known_numbers.h"
#include "core/identify/known_ropes.h"
#include "core/identify/offset_search.h"
#include "core/identify/pair_phasors.h"
#include "core/identify/refined_base.h"
#include "core/identify/relatives.h"
#include "core/identify/structures.h"

namespace orrery {
namespace {

constexpr Index sampled_rows = 96;
constexpr Index sampled_heads = 4;
constexpr double explained = 4.0;  // units of rounding: what is above is no explanation

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
    if (list_.best().residual.rms() > explained) add_known_ropes();
    if (!fits_well()) add_relatives();
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

  /// Estimates at these positions; `change` says in the rope where they are not the stated ones.
  template <class Change>
  void add_estimated(const RotationSample& sample, const AxisPositions& positions, Change change) {
    for (WrittenRope& rope : estimated_ropes(sample, positions)) {
      change(rope);
      list_.add(rope);
    }
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
    add_whole_head();
    if (axes() == 3)
      for (const WrittenRope& with : with_usual_sections(rope)) list_.add(with);
    if (rope.partial == RopePartial::proportional || rope.inverted) return list_.keep(40, sample_);
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

  /// Slow pairs may turn by less than rounding, so that a part of the head seems to turn.
  void add_whole_head() {
    WrittenRope rope = found_.front().rope;
    if (rope.rotary_dims == rope.d_head || rope.begin != 0) return;
    const WrittenRope whole = with_whole_head(rope);
    list_.add(whole);
    if (axes() != 3) return;
    for (const WrittenRope& with : with_usual_sections(whole)) list_.add(with);
  }

  /// From the first rows alone, as later ones may follow another rule: what explains these is what
  /// rules are tried on.
  void add_first_rows() {
    const Index rows = question_.tensor.rows() / 3;
    if (rows < 8) return;
    const RotationSample first =
        rows_between(question_.tensor, 0, std::min<Index>(rows, sampled_rows), sampled_heads);
    const RotationSample few = rows_between(question_.tensor, 0, std::min<Index>(rows, 24), 2);
    add_estimated(first, first.places.positions, [](WrittenRope&) {});
    for (WrittenRope& rope : list_.leading(first, 3)) {
      rope.base = refined_base(rope, first, few);
      add_with_fewer_digits(rope);
    }
    for (const WrittenRope& sound : list_.leading(first, 6))
      for (const WrittenRope& ruled : likely_rules(sound, sample_, question_.tensor))
        list_.add(ruled);
    list_.keep(16, sample_);
    refine_bases();
  }

  void add_heads_for_positions() {
    if (sample_.heads() < 2) return;
    const RotationSample transposed = transposed_sample(sample_);
    add_estimated(transposed, transposed.places.positions,
                  [](WrittenRope& rope) { rope.rule = PositionRule::head_index; });
    list_.keep(12, sample_);
  }

  void add_other_wirings() {
    if (axes() > 1) return;
    const RotationSample few = sample_of(question_.tensor, 64, 2);
    for (const WrittenRope& rope : estimated_ropes_of_other_wirings(few)) list_.add(rope);
    list_.keep(12, sample_);
    refine_bases();
  }

  /// Where one property was taken wrong, others were estimated wrong to make up for it: each is
  /// tried in turn, as long as that leaves less.
  void add_relatives() {
    constexpr int rounds = 6;
    constexpr double better = 0.8;
    for (int round = 0; round < rounds; ++round) {
      const double before = list_.best().residual.sum_of_squares;
      std::vector<WrittenRope> nearest;
      for (const RopeHypothesis& hypothesis : found_)
        if (nearest.size() < 3) nearest.push_back(hypothesis.rope);
      for (const WrittenRope& rope : nearest)
        for (const WrittenRope& relative : relatives_of(rope, axes())) list_.add(relative);
      list_.keep(24, sample_);
      refine_bases();
      if (!(list_.best().residual.sum_of_squares < better * before)) break;
    }
  }

  /// All known ropes, for the likeliest ways of pairing and of wiring.
  void add_known_ropes() {
    constexpr std::size_t most = 6;
    const RotationSample few = sample_of(question_.tensor, 8, 1);
    for (const WrittenRope& way : ways_to_turn(sample_))
      for (const WrittenRope& rope : best_known_ropes(way, few, most)) list_.add(rope);
    list_.keep(16, sample_);
    refine_bases();
  }

  /// A base is known as well as the angles are: it is fitted to them, and then tried with as few
  /// digits as it may have.
  void refine_bases() {
    const std::size_t count = std::min<std::size_t>(found_.size(), 3);
    for (std::size_t i = 0; i < count; ++i) {
      WrittenRope rope = found_[i].rope;
      const bool is_known_base = is_known(known_bases(), rope.base);
      if (fits_well() && is_known_base) continue;
      rope.base = refined_base(rope, sample_, small_);
      if (is_known_base && !leaves_far_less(rope, found_[i])) continue;
      add_with_fewer_digits(rope);
    }
    list_.keep(16, sample_);
  }

  /// A base that is fitted always leaves a little less than a known one: that alone says nothing
  /// against a known base where products are rounded, too.
  bool leaves_far_less(const WrittenRope& rope, const RopeHypothesis& known) const {
    return residual_of(rope, sample_).sum_of_squares < 0.5 * known.residual.sum_of_squares;
  }

  void add_with_fewer_digits(WrittenRope rope) {
    list_.add(rope);
    const double base = rope.base;
    for (const int digits : {1, 2, 3, 4, 5, 6, 7, 8}) {
      const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(base)));
      rope.base = std::round(base * scale) / scale;
      if (rope.base > 1) list_.add(rope);
    }
  }

  /// What the right rope leaves where it is all that was computed; products in bf16 leave more.
  bool fits_well() const { return list_.best().residual.rms() < 0.02; }

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
      std::vector<Position> offsets{-1, 1, 2};
      if (axes() == 1)
        for (const Position offset : likely_offsets(rope, sample_)) offsets.push_back(offset);
      for (const Position offset : offsets) {
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
    for (const WrittenRope& rope : sounds)
      for (const WrittenRope& ruled : likely_rules(rope, sample_, question_.tensor))
        list_.add(ruled);
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
