#include "experiments/identify/written_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/encodings/axis_layout.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope_scaling.h"
#include "core/errors.h"

namespace orrery {
namespace {

/// The base whose powers −2t/r are those of `base` with the written denominator.
double effective_base(const WrittenRope& rope) {
  if (rope.denominator == 0) return rope.base;
  const auto width = static_cast<double>(2 * pairs_of(rope));
  return std::pow(rope.base, width / static_cast<double>(rope.denominator));
}

struct TurnTable {
  Matrix<double> cos;  ///< [N, pairs], times a
  Matrix<double> sin;
};

TurnTable turn_table(const WrittenRope& rope, const RowPlaces& places, Index head) {
  const std::vector<double> theta = frequencies_of(rope);
  const std::vector<std::size_t> axes =
      axes_of(rope, static_cast<std::size_t>(places.positions.cols()));
  const auto rows = static_cast<Index>(places.rows.size());
  const auto pairs = static_cast<Index>(theta.size());
  const double a = amplitude_of(rope);
  TurnTable table{Matrix<double>(rows, pairs), Matrix<double>(rows, pairs)};
  for (Index n = 0; n < rows; ++n)
    for (Index t = 0; t < pairs; ++t) {
      const auto i = static_cast<std::size_t>(t);
      const Position p = written_position(rope, places.positions(n, static_cast<Index>(axes[i])),
                                          places.rows[static_cast<std::size_t>(n)], head);
      const CosSin turn =
          rounded_rotation(rope.clockwise ? -p : p, theta[i] * places.unit, rope.rounding, a);
      table.cos(n, t) = turn.cos;
      table.sin(n, t) = turn.sin;
    }
  return table;
}

void turn_row(const WrittenRope& rope, const TurnTable& table, Index n, const double* x,
              double* y) {
  const Index pairs = pairs_of(rope);
  for (Index t = 0; t < pairs; ++t) {
    const WrittenPair at = pair_at(rope, t);
    const double a = x[at.a], b = x[at.b];
    const Index ta = table_pair(rope, t, at.a), tb = table_pair(rope, t, at.b);
    const bool misprinted = rope.wiring == Wiring::misprinted_last && t == pairs - 1;
    const double across_a = misprinted ? a : b, across_b = misprinted ? b : a;
    const double sign = rope.wiring == Wiring::no_negation ? 1.0 : -1.0;
    y[at.out_a] = a * table.cos(n, ta) + sign * across_a * table.sin(n, ta);
    y[at.out_b] = b * table.cos(n, tb) + across_b * table.sin(n, tb);
  }
}

/// Rows since the text of this row began.
Position row_of_text(const WrittenRope& rope, Index row, Index head) {
  if (!rope.paddings.empty()) {
    const auto last = static_cast<Index>(rope.paddings.size()) - 1;
    const Index sequence = std::min<Index>(head / rope.heads_of_sequence, last);
    const Index first = rope.paddings[static_cast<std::size_t>(sequence)];
    return row < first ? rope.padding : row - first;
  }
  const auto next = std::upper_bound(rope.starts.begin(), rope.starts.end(), row);
  return next == rope.starts.begin() ? rope.padding : row - *(next - 1);
}

bool needs_table_per_head(const WrittenRope& rope) {
  return rope.rule == PositionRule::head_index || !rope.paddings.empty();
}

}  // namespace

double size_of(AngleUnit unit) {
  constexpr double degrees_per_radian = 180 / std::numbers::pi;
  if (unit == AngleUnit::radians) return 1.0;
  if (unit == AngleUnit::turns) return 2 * std::numbers::pi;
  return unit == AngleUnit::degrees ? degrees_per_radian : 1 / degrees_per_radian;
}

namespace {

/// The section of each pair.
std::vector<std::size_t> sections_of(const WrittenRope& rope, std::size_t axes) {
  const auto pairs = static_cast<std::size_t>(pairs_of(rope));
  std::vector<std::size_t> found(pairs, 0);
  if (axes < 2 || rope.sections.empty()) return found;
  if (rope.design != AxisDesign::interleaved || rope.series != AxisSeries::designed) {
    std::vector<std::size_t> designed = axes_of_pairs(rope.design, rope.sections);
    designed.resize(pairs, 0);  // sections of another width leave pairs to the first axis
    return designed;
  }
  for (std::size_t t = 0; t < pairs; ++t) {
    const std::size_t axis = t % axes;
    const auto end = axes * static_cast<std::size_t>(rope.sections[axis]);
    if (rope.unbounded_stride || t < end) found[t] = axis;
  }
  return found;
}

/// One series for all axes, or one for each, in the order of pairs.
std::vector<double> frequencies_by_axis(const WrittenRope& rope) {
  const std::size_t axes = rope.sections.size();
  const Precision format = rope.rounding.format(Stage::inv_freq);
  const std::vector<double> common =
      scaled_frequencies(pairs_of(rope), effective_base(rope), rope.scaling, format);
  std::vector<std::vector<double>> own(axes);
  for (std::size_t axis = 0; axis < axes; ++axis)
    if (rope.sections[axis] > 0)
      own[axis] = scaled_frequencies(rope.sections[axis], rope.base, rope.scaling, format);
  std::vector<std::size_t> seen(axes, 0);
  std::vector<double> theta;
  for (const std::size_t axis : sections_of(rope, axes)) {
    const std::size_t j = seen[axis]++;
    const std::vector<double>& series = rope.series == AxisSeries::own ? own[axis] : common;
    const std::size_t place = rope.series == AxisSeries::own ? j : axes * j + axis;
    theta.push_back(place < series.size() ? series[place] : 0.0);
  }
  return theta;
}

}  // namespace

std::vector<double> frequencies_of(const WrittenRope& rope) {
  if (rope.series != AxisSeries::designed && !rope.sections.empty())
    return frequencies_by_axis(rope);
  auto convention = static_cast<const RopeConvention&>(rope);
  convention.base = effective_base(rope);
  std::vector<double> theta =
      orrery::frequencies_of(convention, rope.rounding.format(Stage::inv_freq));
  for (double& frequency : theta) {
    if (rope.inverted && frequency != 0) frequency = 1.0 / frequency;
    if (rope.unit != AngleUnit::radians) frequency *= size_of(rope.unit);
  }
  return theta;
}

std::vector<double> turning_frequencies(const WrittenRope& rope) {
  std::vector<double> theta = frequencies_of(rope);
  if (rope.clockwise)
    for (double& frequency : theta) frequency = -frequency;
  return theta;
}

double amplitude_of(const WrittenRope& rope) {
  return rope.amplitude ? *rope.amplitude : attention_factor(rope.scaling);
}

std::vector<std::size_t> axes_of(const WrittenRope& rope, std::size_t axes) {
  std::vector<std::size_t> found = sections_of(rope, axes);
  if (axes > 1 && !rope.axis_order.empty())
    for (std::size_t& section : found) section = rope.axis_order[section];
  return found;
}

Position written_position(const WrittenRope& rope, Position stated, Index row, Index head) {
  const Position p = stated + rope.offset;
  const bool later = row >= rope.from_row;
  switch (rope.rule) {
    case PositionRule::stated:
      return p;
    case PositionRule::doubled:
      return 2 * p;
    case PositionRule::zero_from:
      return later ? 0 : p;
    case PositionRule::next_from:
      return later ? p + 1 : p;
    case PositionRule::past_twice:
      return later ? p + rope.from_row : p;
    case PositionRule::head_index:
      return head;
    case PositionRule::none:
      return 0;
    case PositionRule::restarts:
      return row_of_text(rope, row, head);
    case PositionRule::row_number:
      return row + rope.offset;
  }
  return p;
}

AxisPositions turned_positions(const WrittenRope& rope, const RowPlaces& places) {
  AxisPositions turned = places.positions;
  const Index head = places.heads.empty() ? 0 : places.heads.front();
  for (Index n = 0; n < turned.rows(); ++n)
    for (Index axis = 0; axis < turned.cols(); ++axis)
      turned(n, axis) =
          written_position(rope, turned(n, axis), places.rows[static_cast<std::size_t>(n)], head);
  return turned;
}

WrittenPair pair_at(const WrittenRope& rope, Index t) {
  const bool is_half = (rope.pairing == RopePairing::half_split) != rope.reordered;
  const ChannelPair in = channels_of(rope, t);
  const ChannelPair out =
      channels_of(rope, t, is_half ? RopePairing::half_split : RopePairing::interleaved);
  return {in.a, in.b, out.a, out.b};
}

Index table_pair(const WrittenRope& rope, Index t, Index channel) {
  if (rope.wiring != Wiring::other_table) return t;
  const Index place = channel - first_channel(rope);
  return rope.pairing == RopePairing::half_split ? place / 2 : place % pairs_of(rope);
}

Matrix<double> apply_written(const WrittenRope& rope, const RowPlaces& places,
                             const Eigen::Ref<const Matrix<double>, 0, Eigen::OuterStride<>>& x) {
  const auto rows = static_cast<Index>(places.rows.size());
  const auto heads = static_cast<Index>(places.heads.size());
  if (x.rows() != heads * rows || x.cols() != rope.d_head || places.positions.rows() != rows)
    throw UsageError(
        fmt::format("a tensor of {} rows and {} channels", x.rows(), x.cols()),
        fmt::format("this rope turns {} rows of {} channels", heads * rows, rope.d_head),
        "give as many rows and channels");
  Matrix<double> y = x;
  if (rope.reach == FactorReach::all) y *= amplitude_of(rope);
  if (rope.rule == PositionRule::none && amplitude_of(rope) == 1 && !rope.reordered) return y;
  TurnTable table = turn_table(rope, places, places.heads.empty() ? 0 : places.heads.front());
  for (Index h = 0; h < heads; ++h) {
    if (h > 0 && needs_table_per_head(rope))
      table = turn_table(rope, places, places.heads[static_cast<std::size_t>(h)]);
    for (Index n = 0; n < rows; ++n)
      turn_row(rope, table, n, x.row(h * rows + n).data(), y.row(h * rows + n).data());
  }
  return y;
}

namespace {

bool has_other_channels(const WrittenRope& rope) {
  return rope.partial == RopePartial::truncated && rope.rotary_dims < rope.d_head;
}

/// The same rope without what changes nothing. Twice the positions are left to frequencies.
WrittenRope reduced(const WrittenRope& rope) {
  WrittenRope same = rope;
  if (amplitude_of(rope) == 1 || !has_other_channels(rope)) same.reach = FactorReach::rotated;
  if (rope.rule == PositionRule::doubled) {
    same.rule = PositionRule::stated;
    same.offset *= 2;
  }
  if (rope.rule == PositionRule::head_index || rope.rule == PositionRule::restarts) same.offset = 0;
  if (rope.rule != PositionRule::none || rope.reordered) return same;
  WrittenRope still{{.d_head = rope.d_head,
                     .begin = rope.begin,
                     .rotary_dims = rope.rotary_dims,
                     .partial = rope.partial}};
  still.amplitude = amplitude_of(rope);
  still.reach = same.reach;
  still.rule = PositionRule::none;
  return still;
}

double frequencies_times(const WrittenRope& rope) {
  return rope.rule == PositionRule::doubled ? 2.0 : 1.0;
}

/// The axis of each pair, where rows have several positions at all.
std::vector<std::size_t> axes_by_pair(const WrittenRope& rope) {
  const bool one = rope.rule == PositionRule::head_index || rope.rule == PositionRule::none ||
                   rope.rule == PositionRule::restarts || rope.rule == PositionRule::row_number;
  return one || rope.sections.empty() ? std::vector<std::size_t>{}
                                      : axes_of(rope, rope.sections.size());
}

}  // namespace

bool computes_same(const WrittenRope& written_a, const WrittenRope& written_b) {
  const WrittenRope a = reduced(written_a), b = reduced(written_b);
  if (a.rule == PositionRule::none && b.rule == PositionRule::none && !a.reordered &&
      !b.reordered && amplitude_of(a) == 1 && amplitude_of(b) == 1)
    return a.d_head == b.d_head;
  const auto key = [](const WrittenRope& rope) {
    return std::make_tuple(rope.d_head, first_channel(rope), pairs_of(rope), rope.pairing,
                           rope.wiring, rope.clockwise, rope.reordered, rope.reach, rope.rule,
                           rope.offset, rope.from_row, rope.starts, rope.padding, rope.paddings,
                           rope.heads_of_sequence, axes_by_pair(rope));
  };
  if (key(a) != key(b)) return false;
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin})
    if (a.rounding.format(stage) != b.rounding.format(stage)) return false;
  constexpr double same = 1e-9;
  const auto close = [](double u, double v) { return std::abs(u - v) <= same * std::abs(v); };
  if (!close(amplitude_of(a), amplitude_of(b))) return false;
  std::vector<double> of_a = frequencies_of(a), of_b = frequencies_of(b);
  for (double& theta : of_a) theta *= frequencies_times(written_a);
  for (double& theta : of_b) theta *= frequencies_times(written_b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), close);
}

bool same_but_for_precision(const WrittenRope& a, const WrittenRope& b) {
  WrittenRope same = a;
  same.rounding = b.rounding;
  return computes_same(same, b);
}

}  // namespace orrery
