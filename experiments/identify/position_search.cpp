#include <algorithm>
#include <cmath>

#include "experiments/identify/rope_search.h"

namespace orrery {
namespace {

/// One row number for all axes.
void add_row_numbers(HypothesisList& search) {
  const RotationSample& sample = search.sample();
  if (search.axes() == 1) return;
  AxisPositions positions(sample.rows(), 1);
  for (Index n = 0; n < positions.rows(); ++n)
    positions(n, 0) = sample.places.rows[static_cast<std::size_t>(n)];
  search.add_estimated(positions, [](WrittenRope& rope) { rope.rule = PositionRule::row_number; });
  for (WrittenRope rope : listed_ropes(search.best_structures(), sample.format, positions)) {
    rope.rule = PositionRule::row_number;
    search.add(std::move(rope));
  }
  if (search.question.expected) {
    WrittenRope expected = *search.question.expected;
    expected.rule = PositionRule::row_number;
    expected.rounding = fp32_stages();
    search.add(std::move(expected));
  }
  search.keep(kept::with_estimates, sample);
  search.refine_bases();
}

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

void add_heads_for_positions(HypothesisList& search) {
  if (search.sample().heads() < 2) return;
  const RotationSample transposed = transposed_sample(search.sample());
  search.add_estimated(transposed, transposed.places.positions,
                       [](WrittenRope& rope) { rope.rule = PositionRule::head_index; });
  search.keep(kept::with_places, search.sample());
}

/// The first row that the rope leaves more of than rounding, and than fp32 angles leave.
Index first_misfit(const WrittenRope& rope, const RotatedTensor& tensor) {
  const RotationSample all = rows_between(tensor, 0, tensor.rows(), 2);
  const std::vector<double> misfits = row_misfits(rope, all);
  const auto numbers = static_cast<double>(all.before.cols() * all.heads());
  Index row = 0;
  for (const double misfit : misfits) {
    const auto p = static_cast<double>(tensor.positions.row(row).cwiseAbs().maxCoeff());
    const double angles = 1e-7 * p / unit_roundoff(all.format);
    if (misfit > numbers * (4 + angles * angles)) break;
    ++row;
  }
  return row;
}

/// Along several axes: the first rows say the rope, and rules begin where it no longer holds.
void add_rules(HypothesisList& search) {
  constexpr Index fewest = 8;
  const RotatedTensor& tensor = search.question.tensor;
  const Index rows = std::min<Index>(tensor.rows() / 3, sampled_rows);
  if (search.axes() == 1 || rows < fewest) return;
  const RotationSample first = rows_between(tensor, 0, rows, sampled_heads);
  search.add_estimated(first, first.places.positions);
  for (WrittenRope rope : search.leading(first, 3)) {
    rope.from_row = first_misfit(rope, tensor);
    for (const PositionRule rule : {PositionRule::zero_from, PositionRule::next_from,
                                    PositionRule::past_twice, PositionRule::doubled}) {
      rope.rule = rule;
      search.add(rope);
    }
  }
  search.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

/// Positions that a coarse format held: neighbours coincide from where it has no more digits.
void add_coarse_positions(HypothesisList& search) {
  const RotationSample& sample = search.sample();
  const AxisPositions& stated = sample.places.positions;
  for (const Precision format : {Precision::bf16, Precision::fp16}) {
    const AxisPositions coarse = stated.unaryExpr([&](Position p) {
      const double rounded = round_to(format, static_cast<double>(p));
      return std::isfinite(rounded) ? static_cast<Position>(rounded) : p;
    });
    if (coarse == stated) continue;
    search.add_estimated(coarse,
                         [&](WrittenRope& rope) { rope.rounding.set(Stage::position, format); });
  }
  search.keep(kept::with_estimates, sample);
  search.refine_bases();
}

/// Off by a token or two, of rows that are too few to show where they are.
void add_near_offsets(HypothesisList& search) {
  const std::size_t count = std::min<std::size_t>(search.found().size(), 4);
  for (std::size_t i = 0; i < count; ++i) {
    WrittenRope rope = search.found()[i].rope;
    for (const Position offset : {-1, 1, 2}) {
      rope.offset = offset;
      search.add(rope);
    }
  }
  search.keep(kept::with_places, search.sample());
}

}  // namespace

void search_positions(HypothesisList& search) {
  for (const auto step : {add_row_numbers, add_rules, add_coarse_positions, add_near_offsets,
                          add_heads_for_positions})
    if (!search.fits()) step(search);
}

}  // namespace orrery
