#include "experiments/search/position_search.h"

#include <algorithm>
#include <vector>

#include "experiments/search/offset_search.h"
#include "experiments/search/refined_base.h"
#include "experiments/search/restart_search.h"

namespace orrery {
namespace {

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

/// Estimates at positions other than the stated ones; `change` says so in the rope.
template <class Position_of>
void estimate_at(RopeSearch& search, Position_of position_of, const RopeSearch::Change& change) {
  const RotationSample& sample = search.sample();
  AxisPositions positions = sample.places.positions;
  for (Index n = 0; n < positions.rows(); ++n)
    for (Index axis = 0; axis < positions.cols(); ++axis)
      positions(n, axis) =
          position_of(positions(n, axis), sample.places.rows[static_cast<std::size_t>(n)]);
  if (positions != sample.places.positions) search.add_estimated(sample, positions, change);
}

/// From the first rows alone, as later ones may follow another rule: what explains these is what
/// rules are tried on.
void add_first_rows(RopeSearch& search) {
  const Index rows = search.question.tensor.rows() / 3;
  if (rows < 8) return;
  const RotationSample first =
      rows_between(search.question.tensor, 0, std::min<Index>(rows, sampled_rows), sampled_heads);
  const RotationSample few = rows_between(search.question.tensor, 0, std::min<Index>(rows, 24), 2);
  search.add_estimated(first, first.places.positions);
  for (WrittenRope& rope : search.list.leading(first, 3)) {
    rope.base = refined_base(rope, first, few);
    search.add_with_fewer_digits(rope);
  }
  for (const WrittenRope& sound : search.list.leading(first, 6))
    for (const WrittenRope& ruled : likely_rules(sound, search.sample(), search.question.tensor))
      search.list.add(ruled);
  search.list.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

/// A common offset of all rows, for the best rope so far.
void add_offsets(RopeSearch& search) {
  const std::size_t count = std::min<std::size_t>(search.found().size(), 4);
  for (std::size_t i = 0; i < count; ++i) {
    WrittenRope rope = search.found()[i].rope;
    if (rope.wiring != Wiring::rotation) continue;
    rope.offset = 0;
    std::vector<Position> offsets{-1, 1, 2};
    if (search.axes() == 1)
      for (const Position offset : likely_offsets(rope, search.sample(), search.question.threads))
        offsets.push_back(offset);
    for (const Position offset : offsets) {
      rope.offset = offset;
      search.list.add(rope);
    }
  }
  search.list.keep(kept::with_places, search.sample());
}

/// Rows from one on have other positions: where it begins is found by the rows' own residuals.
void add_rules(RopeSearch& search) {
  std::vector<WrittenRope> sounds;
  for (const RopeHypothesis& hypothesis : search.found())
    if (hypothesis.rope.rule == PositionRule::stated && sounds.size() < 3)
      sounds.push_back(hypothesis.rope);
  for (const WrittenRope& rope : sounds)
    for (const WrittenRope& ruled : likely_rules(rope, search.sample(), search.question.tensor))
      search.list.add(ruled);
  search.list.keep(kept::with_places, search.sample());
}

void add_other_positions(RopeSearch& search) {
  for (const Precision format : {Precision::bf16, Precision::fp16})
    estimate_at(
        search,
        [&](Position p, Index) {
          return static_cast<Position>(round_to(format, static_cast<double>(p)));
        },
        [&](WrittenRope& rope) { rope.rounding.set(Stage::position, format); });
  estimate_at(
      search, [](Position p, Index) { return 2 * p; },
      [](WrittenRope& rope) { rope.rule = PositionRule::doubled; });
  search.list.keep(kept::with_places, search.sample());
  search.refine_bases();
}

void add_heads_for_positions(RopeSearch& search) {
  if (search.sample().heads() < 2) return;
  const RotationSample transposed = transposed_sample(search.sample());
  search.add_estimated(transposed, transposed.places.positions,
                       [](WrittenRope& rope) { rope.rule = PositionRule::head_index; });
  search.list.keep(kept::with_places, search.sample());
}

}  // namespace

void estimate_again(RopeSearch& search) {
  const WrittenRope found = search.found().front().rope;
  if (found.rule == PositionRule::stated && found.offset == 0) return;
  if (found.rule == PositionRule::none || found.rule == PositionRule::head_index) return;
  if (!found.paddings.empty()) return;  // heads differ
  estimate_at(
      search, [&](Position p, Index row) { return written_position(found, p, row, 0); },
      [&](WrittenRope& rope) {
        rope.rule = found.rule;
        rope.offset = found.offset;
        rope.from_row = found.from_row;
        rope.starts = found.starts;
        rope.padding = found.padding;
      });
  search.list.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

void search_positions(RopeSearch& search) {
  using Step = void (*)(RopeSearch&);
  for (const Step step :
       {add_restarts, add_paddings, add_row_numbers, add_first_rows, add_offsets, add_rules})
    if (!search.list.fits()) step(search);
  estimate_again(search);
  for (const Step step : {add_other_positions, add_heads_for_positions})
    if (!search.list.fits()) step(search);
}

}  // namespace orrery
