#include "core/encodings/axis_rope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/encodings/axis_layout.h"
#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"

namespace orrery {
namespace {

RopeConvention with_sections(RopeConvention convention) {
  convention = completed(std::move(convention));
  Index pairs = 0;
  for (const Index section : convention.sections) {
    if (section < 0)
      throw UsageError(fmt::format("a section of {} pairs", section), "must not be negative",
                       "give an axis without pairs 0");
    pairs += section;
  }
  if (pairs == pairs_of(convention)) return convention;
  throw UsageError(fmt::format("sections {} of {} channels that turn",
                               fmt::join(convention.sections, "+"), 2 * pairs_of(convention)),
                   "must sum to their pairs, half of the channels", "Qwen2-VL has 16+24+24 of 128");
}

}  // namespace

template <class T>
AxisRope<T>::AxisRope(RopeConvention convention, AxisRopeOptions options)
    : convention_(with_sections(std::move(convention))),
      options_(std::move(options)),
      axes_(axes_of_pairs(convention_.design, convention_.sections)),
      theta_(turning_of(convention_, options_.rounding.format(Stage::inv_freq))),
      attention_factor_(orrery::attention_factor(convention_.scaling)),
      by_axis_(convention_.sections.size()) {
  for (std::size_t axis = 0; axis < by_axis_.size(); ++axis) {
    std::vector<std::size_t> pairs;
    std::vector<double> theta;
    for (std::size_t t = 0; t < axes_.size(); ++t) {
      if (axes_[t] != axis) continue;
      pairs.push_back(t);
      theta.push_back(theta_[t]);
    }
    if (!pairs.empty())
      by_axis_[axis].emplace(AxisPairs{std::move(pairs), RotationTable(theta, attention_factor_)});
  }
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo AxisRope<T>::info() {
  std::vector<ParamSpec> params = rope_params(true);
  const auto append = [&](std::vector<ParamSpec> more) {
    for (ParamSpec& spec : more) params.push_back(std::move(spec));
  };
  append(axis_design_params());
  append(axis_layout_params());
  std::vector<TableSpec> tables = rope_tables();
  tables.push_back(axis_positions_table());
  return {
      .name = "axis_rope",
      .label = "Multi-axis RoPE",
      .title = "Multi-axis RoPE: M-RoPE, VideoRoPE, HoPE, MHRoPE, axial",
      .statement =
          "Rotates each pair of channels by one of a token's positions in time, row and "
          "column.",
      .source = "Wang et al. 2024 (Qwen2-VL) §2.1; arXiv 2510.23095",
      .formulas =
          {{R"(\mathbf{q}_m = \mathbf{R}_{\Theta,\mathbf{p}(m)} \mathbf{W}_q \mathbf{x}_m, \quad \varphi_t = p_{a(t)}(m)\theta_t)",
            "Wang et al. 2024"},
           frequency_formula},
      .score_formulas =
          {{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathrm{Re} \sum_{t=0}^{d/2-1} h_t e^{\mathrm{i}(p_{a(t)}(m)-p_{a(t)}(n))\theta_t})",
            "Wang et al. 2024"}},
      .symbols = {frequency_meaning,
                  {"φ_t", "angle by which pair $t$ is rotated, in rad"},
                  {"p", "position of a token in time, row and column"},
                  {"a", "axis by which a pair turns"},
                  {"h_t", "product of the query's and the key's pair $t$, as complex numbers"}},
      .params = std::move(params),
      .tables = std::move(tables),
      .decay = {.param = "base"},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::rotated_qk},
      .cost = {.mean_logit = 100},
      .same_heads = true};
}

template <class T>
std::unique_ptr<AxisRope<T>> AxisRope<T>::make(const EncodingSettings& s) {
  RopeConvention convention = rope_convention_of(s);
  convention.design = axis_design_of(s.params);
  convention.sections = axis_sections_of(s.params, pairs_of(convention));
  return std::make_unique<AxisRope>(
      std::move(convention), AxisRopeOptions{.layout = axis_layout_of(s), .rounding = s.rounding});
}

template <class T>
EncodingTraits AxisRope<T>::traits() const {
  const Index given = options_.layout.given.rows();
  const std::optional<Position> text = text_from(options_.layout);
  return {.relative = text == -max_position,
          .relative_from = text,
          .last_position = given > 0 ? given - 1 : max_position};
}

template <class T>
void AxisRope<T>::rotate_axis(const AxisPairs& axis, const Positions& positions,
                              MatrixOut<T> x) const {
  Matrix<T> side_by_side(x.rows(), 2 * static_cast<Index>(axis.pairs.size()));
  for (std::size_t i = 0; i < axis.pairs.size(); ++i) {
    const ChannelPair from = channels(axis.pairs[i]);
    side_by_side.col(2 * static_cast<Index>(i)) = x.col(from.a);
    side_by_side.col(2 * static_cast<Index>(i) + 1) = x.col(from.b);
  }
  axis.table.template rotate_interleaved<T>(positions, side_by_side);
  for (std::size_t i = 0; i < axis.pairs.size(); ++i) {
    const ChannelPair to = channels(axis.pairs[i]);
    x.col(to.a) = side_by_side.col(2 * static_cast<Index>(i));
    x.col(to.b) = side_by_side.col(2 * static_cast<Index>(i) + 1);
  }
}

template <class T>
void AxisRope<T>::rotate_rounded(const AxisPositions& positions, MatrixOut<T> x) const {
  for (Index i = 0; i < x.rows(); ++i)
    for (std::size_t t = 0; t < theta_.size(); ++t) {
      const CosSin turn = rounded_rotation(positions(i, static_cast<Index>(axes_[t])), theta_[t],
                                           options_.rounding, attention_factor_);
      const ChannelPair pair = channels(t);
      const auto a = static_cast<double>(x(i, pair.a)), b = static_cast<double>(x(i, pair.b));
      x(i, pair.a) = static_cast<T>(a * turn.cos - b * turn.sin);
      x(i, pair.b) = static_cast<T>(a * turn.sin + b * turn.cos);
    }
}

template <class T>
void AxisRope<T>::rotate_exactly(const AxisPositions& positions, MatrixOut<T> x) const {
  for (std::size_t axis = 0; axis < by_axis_.size(); ++axis) {
    if (!by_axis_[axis]) continue;
    Positions own(static_cast<std::size_t>(x.rows()));
    for (Index i = 0; i < x.rows(); ++i)
      own[static_cast<std::size_t>(i)] = positions(i, static_cast<Index>(axis));
    rotate_axis(*by_axis_[axis], own, x);
  }
}

template <class T>
void AxisRope<T>::check_shape(const AxisPositions& positions, const MatrixIn<T>& x) const {
  const auto axes = static_cast<Index>(convention_.sections.size());
  if (positions.rows() != x.rows() || positions.cols() != axes || x.cols() != convention_.d_head)
    throw UsageError(fmt::format("positions [{}, {}] for rows [{}, {}]", positions.rows(),
                                 positions.cols(), x.rows(), x.cols()),
                     fmt::format("must be [N, {}] for rows [N, {}]", axes, convention_.d_head),
                     "give each row a position on every axis");
  check_positions(PositionsIn(positions.data(), static_cast<std::size_t>(positions.size())));
}

template <class T>
void AxisRope<T>::rotate(const AxisPositions& positions, MatrixOut<T> x) const {
  check_shape(positions, x);
  if (rounds_rotation(options_.rounding))
    rotate_rounded(positions, x);
  else
    rotate_exactly(positions, x);
  options_.rounding.template apply<T>(
      Stage::rotated_qk, x.middleCols(first_channel(convention_), 2 * pairs_of(convention_)));
}

template <class T>
void AxisRope<T>::turn(PositionsIn positions, MatrixOut<T> x) const {
  check_positions(positions, x.rows());
  rotate(axis_positions(options_.layout, positions), x);
}

template <class T>
void AxisRope<T>::turn_back(PositionsIn positions, MatrixOut<T> d_x) const {
  check_positions(positions, d_x.rows());
  const AxisPositions at = axis_positions(options_.layout, positions);
  check_shape(at, d_x);
  rotate_exactly(-at, d_x);
}

template class AxisRope<float>;
template class AxisRope<double>;

}  // namespace orrery
