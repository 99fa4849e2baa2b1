#include "experiments/search/rope_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/search/structures.h"

namespace orrery {
namespace {

constexpr Index looked_at_rows = 4096;
constexpr Index least_rows = 4;  // of a text, on average

/// Whether each row stays as it was, but for a common factor.
std::vector<bool> still_rows(const StructureFit& structure, const RotationSample& sample) {
  constexpr double most = 2.0;  // roundings: a factor that is measured is a little off
  WrittenRope still = structure.rope;
  still.rule = PositionRule::none;
  still.amplitude = structure.phasors.amplitude;
  const auto count = static_cast<double>(sample.before.cols() * sample.heads());
  std::vector<bool> still_row;
  for (const double sum : row_misfits(still, sample))
    still_row.push_back(std::sqrt(sum / count) < most);
  return still_row;
}

/// The first row of each text, from the rows at position 0. Of those that lead, all but the last
/// are padding; others stand alone. Empty where this is not how the rows lie.
std::vector<Index> text_starts(const std::vector<bool>& still) {
  const auto rows = static_cast<Index>(still.size());
  const auto is_still = [&](Index row) { return still[static_cast<std::size_t>(row)]; };
  Index leading = 0;
  while (leading < rows && is_still(leading)) ++leading;
  std::vector<Index> starts;
  if (leading > 0) starts.push_back(leading - 1);
  for (Index row = leading; row < rows; ++row) {
    if (!is_still(row)) continue;
    if (row > leading && is_still(row - 1)) return {};
    starts.push_back(row);
  }
  const auto texts = static_cast<Index>(starts.size());
  if (texts == 0 || texts * least_rows > rows) return {};
  return starts;
}

/// Positions that count the rows: nothing restarts.
bool is_counted(const std::vector<Index>& starts) {
  return starts.size() == 1 && starts.front() == 0;
}

/// The longest text, as far as it is sampled.
RotationSample longest_text(const RotatedTensor& tensor, const std::vector<Index>& starts) {
  Index first = starts.front(), length = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Index end = i + 1 < starts.size() ? starts[i + 1] : tensor.rows();
    if (end - starts[i] <= length) continue;
    first = starts[i];
    length = end - first;
  }
  return rows_between(tensor, first, first + std::min<Index>(length, sampled_rows), sampled_heads);
}

/// The heads of one sequence of the batch.
RotatedTensor sequence_of(const RotatedTensor& tensor, Index sequence) {
  const Index heads = tensor.heads / tensor.sequences, rows = heads * tensor.rows();
  return {.heads = heads,
          .before = tensor.before.middleRows(sequence * rows, rows),
          .after = tensor.after.middleRows(sequence * rows, rows),
          .positions = tensor.positions,
          .format = tensor.format};
}

/// The rows of padding of each sequence; empty where one of them lies otherwise, or is all padding:
/// a head that does not turn.
std::vector<Index> paddings_of(const StructureFit& structure, const RotatedTensor& tensor) {
  std::vector<Index> paddings;
  for (Index sequence = 0; sequence < tensor.sequences; ++sequence) {
    const RotatedTensor one = sequence_of(tensor, sequence);
    const std::vector<Index> starts =
        text_starts(still_rows(structure, rows_between(one, 0, one.rows(), 2)));
    if (starts.size() != 1 || tensor.rows() - starts.front() < least_rows) return {};
    paddings.push_back(starts.front());
  }
  return paddings;
}

/// Adds what is expected, and what the sample's own rows say, at these positions.
void add_at(HypothesisList& search, const RotationSample& sample, const AxisPositions& positions,
            const HypothesisList::Change& change) {
  search.add_estimated(sample, positions, change);
  if (!search.question.expected) return;
  for (const StageRounding& rounding : {fp32_stages(), StageRounding{}}) {
    WrittenRope expected = *search.question.expected;
    expected.rounding = rounding;
    change(expected);
    search.add(expected);
  }
}

/// From 0 on, one for each row.
AxisPositions counted(Index rows) {
  AxisPositions positions(rows, 1);
  for (Index n = 0; n < rows; ++n) positions(n, 0) = n;
  return positions;
}

/// Ropes that count positions from 0 in each text of the tensor: behind padding at the left, or in
/// several texts that were packed into one row. A row at position 0 does not rotate under
/// any rope, which shows where texts begin; the rope is then estimated from the longest text. Adds
/// nothing if no text but that of the first row begins so.
void add_restarts(HypothesisList& search) {
  const RotatedTensor& tensor = search.question.tensor;
  if (search.axes() != 1 || tensor.rows() > looked_at_rows) return;
  const RotationSample all = rows_between(tensor, 0, tensor.rows(), 2);
  std::vector<Index> known;
  for (const StructureFit& structure : likely_structures(search.sample())) {
    const std::vector<Index> starts = text_starts(still_rows(structure, all));
    if (starts.empty() || is_counted(starts) || starts == known) continue;
    known = starts;
    const RotationSample text = longest_text(tensor, starts);
    for (const Position padding : {0, 1}) {  // 1: what Transformers fills masked positions with
      if (padding != 0 && starts.front() == 0) continue;
      add_at(search, text, counted(text.rows()), [&](WrittenRope& rope) {
        rope.rule = PositionRule::restarts;
        rope.starts = starts;
        rope.padding = padding;
      });
    }
  }
  if (known.empty()) return;
  search.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

/// The same in a batch whose sequences are padded at the left by different numbers of rows: each is
/// read off for itself.
void add_paddings(HypothesisList& search) {
  constexpr std::size_t most_structures = 2;
  constexpr Index most_sequences = 256;
  const RotatedTensor& tensor = search.question.tensor;
  const bool is_batch = tensor.sequences > 1 && tensor.sequences <= most_sequences;
  if (!is_batch || search.axes() != 1 || tensor.rows() > looked_at_rows) return;
  const std::vector<StructureFit> structures = likely_structures(search.sample());
  for (std::size_t i = 0; i < std::min(structures.size(), most_structures); ++i) {
    const std::vector<Index> paddings = paddings_of(structures[i], tensor);
    if (paddings.empty()) continue;
    if (std::count(paddings.begin(), paddings.end(), paddings.front()) == tensor.sequences)
      continue;
    const auto shortest = std::min_element(paddings.begin(), paddings.end());
    const RotatedTensor longest = sequence_of(tensor, shortest - paddings.begin());
    const RotationSample text = longest_text(longest, {*shortest});
    for (const Position padding : {0, 1})
      add_at(search, text, counted(text.rows()), [&](WrittenRope& rope) {
        rope.rule = PositionRule::restarts;
        rope.padding = padding;
        rope.paddings = paddings;
        rope.heads_of_sequence = tensor.heads / tensor.sequences;
      });
    search.keep(kept::with_estimates, search.sample());
    return search.refine_bases();
  }
}

/// Ropes at the numbers of the rows, where others are stated: a program that counts padding.
void add_row_numbers(HypothesisList& search) {
  const RotatedTensor& tensor = search.question.tensor;
  const Position first = tensor.positions(0, 0);
  bool counted_on = search.axes() == 1;
  for (Index n = 0; n < tensor.rows() && counted_on; ++n)
    counted_on = tensor.positions(n, 0) == first + n;
  if (counted_on) return;
  AxisPositions positions(search.sample().rows(), 1);
  for (Index n = 0; n < positions.rows(); ++n)
    positions(n, 0) = search.sample().places.rows[static_cast<std::size_t>(n)];
  add_at(search, search.sample(), positions,
         [](WrittenRope& rope) { rope.rule = PositionRule::row_number; });
  search.keep(kept::with_estimates, search.sample());
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

/// Estimates at positions other than the stated ones; `change` says so in the rope.
template <class Position_of>
void estimate_at(HypothesisList& search, Position_of position_of,
                 const HypothesisList::Change& change) {
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
void add_first_rows(HypothesisList& search) {
  const Index rows = search.question.tensor.rows() / 3;
  if (rows < 8) return;
  const RotationSample first =
      rows_between(search.question.tensor, 0, std::min<Index>(rows, sampled_rows), sampled_heads);
  const RotationSample few = rows_between(search.question.tensor, 0, std::min<Index>(rows, 24), 2);
  search.add_estimated(first, first.places.positions);
  for (WrittenRope& rope : search.leading(first, 3)) {
    rope.base = refined_base(rope, first, few);
    search.add_with_fewer_digits(rope);
  }
  for (const WrittenRope& sound : search.leading(first, 6))
    for (const WrittenRope& ruled : likely_rules(sound, search.sample(), search.question.tensor))
      search.add(ruled);
  search.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

/// A common offset of all rows, for the best rope so far.
void add_offsets(HypothesisList& search) {
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
      search.add(rope);
    }
  }
  search.keep(kept::with_places, search.sample());
}

/// Rows from one on have other positions: where it begins is found by the rows' own residuals.
void add_rules(HypothesisList& search) {
  std::vector<WrittenRope> sounds;
  for (const RopeHypothesis& hypothesis : search.found())
    if (hypothesis.rope.rule == PositionRule::stated && sounds.size() < 3)
      sounds.push_back(hypothesis.rope);
  for (const WrittenRope& rope : sounds)
    for (const WrittenRope& ruled : likely_rules(rope, search.sample(), search.question.tensor))
      search.add(ruled);
  search.keep(kept::with_places, search.sample());
}

void add_other_positions(HypothesisList& search) {
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
  search.keep(kept::with_places, search.sample());
  search.refine_bases();
}

void add_heads_for_positions(HypothesisList& search) {
  if (search.sample().heads() < 2) return;
  const RotationSample transposed = transposed_sample(search.sample());
  search.add_estimated(transposed, transposed.places.positions,
                       [](WrittenRope& rope) { rope.rule = PositionRule::head_index; });
  search.keep(kept::with_places, search.sample());
}

}  // namespace

void estimate_again(HypothesisList& search) {
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
  search.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

void search_positions(HypothesisList& search) {
  using Step = void (*)(HypothesisList&);
  for (const Step step :
       {add_restarts, add_paddings, add_row_numbers, add_first_rows, add_offsets, add_rules})
    if (!search.fits()) step(search);
  estimate_again(search);
  for (const Step step : {add_other_positions, add_heads_for_positions})
    if (!search.fits()) step(search);
}

}  // namespace orrery
