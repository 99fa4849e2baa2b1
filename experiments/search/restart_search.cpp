#include "experiments/search/restart_search.h"

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
  const Matrix<double> predicted = apply_written(still, sample.places, sample.before);
  std::vector<double> sums(static_cast<std::size_t>(sample.rows()), 0.0);
  for (Index i = 0; i < predicted.rows(); ++i)
    for (Index c = 0; c < predicted.cols(); ++c) {
      const double e = residual_at(sample, i, c, predicted(i, c));
      sums[static_cast<std::size_t>(i % sample.rows())] += e * e;
    }
  const auto count = static_cast<double>(predicted.cols() * sample.heads());
  std::vector<bool> still_row;
  for (const double sum : sums) still_row.push_back(std::sqrt(sum / count) < most);
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
void add_at(RopeSearch& search, const RotationSample& sample, const AxisPositions& positions,
            const RopeSearch::Change& change) {
  search.add_estimated(sample, positions, change);
  if (!search.question.expected) return;
  for (const StageRounding& rounding : {fp32_stages(), StageRounding{}}) {
    WrittenRope expected = *search.question.expected;
    expected.rounding = rounding;
    change(expected);
    search.list.add(expected);
  }
}

/// From 0 on, one for each row.
AxisPositions counted(Index rows) {
  AxisPositions positions(rows, 1);
  for (Index n = 0; n < rows; ++n) positions(n, 0) = n;
  return positions;
}

}  // namespace

void add_restarts(RopeSearch& search) {
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
  search.list.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

void add_paddings(RopeSearch& search) {
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
    search.list.keep(kept::with_estimates, search.sample());
    return search.refine_bases();
  }
}

void add_row_numbers(RopeSearch& search) {
  const RotatedTensor& tensor = search.question.tensor;
  if (search.axes() != 1) return;
  const Position first = tensor.positions(0, 0);
  bool counted_on = true;
  for (Index n = 0; n < tensor.rows() && counted_on; ++n)
    counted_on = tensor.positions(n, 0) == first + n;
  if (counted_on) return;
  AxisPositions positions = search.sample().places.positions;
  for (Index n = 0; n < positions.rows(); ++n)
    positions(n, 0) = search.sample().places.rows[static_cast<std::size_t>(n)];
  add_at(search, search.sample(), positions,
         [](WrittenRope& rope) { rope.rule = PositionRule::row_number; });
  search.list.keep(kept::with_estimates, search.sample());
  search.refine_bases();
}

}  // namespace orrery
