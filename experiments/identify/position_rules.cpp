#include <algorithm>
#include <cmath>

#include "experiments/identify/identify_rotation.h"

namespace orrery {
namespace {

/// Where programs begin to count by mistake.
constexpr Position near_offset = 2;

/// Whether the rope turns each row at its measured position.
bool follows(const WrittenRope& rope, const AxisPositions& stated, const AxisPositions& measured) {
  for (Index n = 0; n < stated.rows(); ++n)
    if (written_position(rope, stated(n, 0), n, 0) != measured(n, 0)) return false;
  return true;
}

/// Whether each measured position is the stated one in that format.
bool are_rounded(const AxisPositions& stated, const AxisPositions& measured, Precision format) {
  for (Index n = 0; n < stated.rows(); ++n)
    if (round_to(format, static_cast<double>(stated(n, 0))) != static_cast<double>(measured(n, 0)))
      return false;
  return true;
}

/// Restarting at 0, behind rows of padding that share a position.
WrittenRope restarting(WrittenRope rope, const AxisPositions& measured) {
  rope.rule = PositionRule::restarts;
  Index first = 0;
  while (first + 1 < measured.rows() && measured(first + 1, 0) != measured(first, 0) + 1) ++first;
  rope.padding = first > 0 ? measured(0, 0) : 0;
  for (Index n = first; n < measured.rows(); ++n)
    if (measured(n, 0) == 0) rope.starts.push_back(n);
  return rope;
}

std::vector<WrittenRope> ruled(const WrittenRope& found, const AxisPositions& stated,
                               const AxisPositions& measured) {
  std::vector<WrittenRope> ropes;
  WrittenRope rope = found;
  while (rope.from_row < stated.rows() && stated(rope.from_row, 0) == measured(rope.from_row, 0))
    ++rope.from_row;
  for (const PositionRule rule : {PositionRule::doubled, PositionRule::zero_from,
                                  PositionRule::next_from, PositionRule::past_twice}) {
    rope.rule = rule;
    ropes.push_back(rope);
  }
  rope = found;
  rope.rule = PositionRule::row_number;
  rope.offset = measured(0, 0);
  ropes.push_back(std::move(rope));
  ropes.push_back(restarting(found, measured));
  return ropes;
}

}  // namespace

bool explains_at(const WrittenRope& rope, const RotatedTensor& tensor) {
  if (rope.rule == PositionRule::none || rope.rule == PositionRule::head_index) return true;
  const RotationSample sample = sample_of(tensor, sampled_rows, sampled_heads);
  return residual_of(rope, sample).rms() < explained_roundings ||
         residual_beyond_angles(rope, sample).rms() < explained_roundings;
}

std::optional<WrittenRope> rule_between(const WrittenRope& found, const AxisPositions& stated,
                                        const AxisPositions& measured, bool assumed) {
  if (found.rule != PositionRule::stated || found.offset != 0) return std::nullopt;
  WrittenRope rope = found;
  rope.offset = measured(0, 0) - stated(0, 0);
  const bool is_near = std::abs(rope.offset) <= near_offset;
  if ((is_near || !assumed) && follows(rope, stated, measured)) return rope;
  for (const WrittenRope& one : ruled(found, stated, measured)) {
    if (one.rule == PositionRule::row_number && assumed) continue;
    if (follows(one, stated, measured)) return one;
  }
  rope = found;
  for (const Precision format : {Precision::bf16, Precision::fp16}) {
    if (!are_rounded(stated, measured, format)) continue;
    rope.rounding.set(Stage::position, format);
    return rope;
  }
  return std::nullopt;
}

namespace {

/// The heads of one sequence of the batch.
RotatedTensor sequence_of(const RotatedTensor& tensor, Index sequence) {
  const Index heads = tensor.heads / tensor.sequences, rows = heads * tensor.rows();
  return {.heads = heads,
          .before = tensor.before.middleRows(sequence * rows, rows),
          .after = tensor.after.middleRows(sequence * rows, rows),
          .positions = tensor.positions,
          .format = tensor.format};
}

}  // namespace

std::vector<WrittenRope> padded_ropes(const RotationQuestion& question) {
  constexpr Index most_sequences = 256, fewest_rows = 4;
  const RotatedTensor& tensor = question.tensor;
  if (tensor.sequences < 2 || tensor.sequences > most_sequences) return {};
  std::vector<Index> paddings;
  Position padding = 0;
  AxisPositions longest;
  for (Index sequence = 0; sequence < tensor.sequences; ++sequence) {
    const RotatedTensor one = sequence_of(tensor, sequence);
    const AxisPositions measured = measured_positions(one);
    if (measured.size() == 0) return {};
    const WrittenRope rope = restarting({}, measured);
    const bool has_text =
        rope.starts.size() == 1 && tensor.rows() - rope.starts.front() >= fewest_rows;
    if (!has_text || !follows(rope, one.positions, measured)) return {};
    paddings.push_back(rope.starts.front());
    if (paddings.back() > 0) padding = rope.padding;
    if (paddings.back() == *std::min_element(paddings.begin(), paddings.end())) longest = measured;
  }
  const auto least = std::min_element(paddings.begin(), paddings.end());
  if (std::count(paddings.begin(), paddings.end(), *least) == tensor.sequences) return {};
  RotatedTensor one = sequence_of(tensor, least - paddings.begin());
  one.positions = longest;
  const RotationAnswer answer = identify_rotation({.tensor = one, .threads = question.threads});
  if (!answer.explained) return {};
  WrittenRope rope = answer.best().rope;
  rope.rule = PositionRule::restarts;
  rope.padding = padding;
  rope.paddings = std::move(paddings);
  rope.heads_of_sequence = tensor.heads / tensor.sequences;
  return {rope};
}

}  // namespace orrery
