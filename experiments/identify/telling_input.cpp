#include "experiments/identify/telling_input.h"

#include <cmath>

#include "core/random.h"

namespace orrery {
namespace {

/// Rules by the number of the row do not depend on the position: where both have the same one, the
/// ropes differ as they do at stated positions.
WrittenRope at_stated(WrittenRope rope) {
  rope.rule = PositionRule::stated;
  return rope;
}

bool same_rows(const WrittenRope& a, const WrittenRope& b) {
  const bool by_row = a.rule == PositionRule::restarts || a.rule == PositionRule::row_number;
  return by_row && a.rule == b.rule && a.starts == b.starts && a.padding == b.padding &&
         a.paddings == b.paddings;
}

/// Random vectors at one position, turned by both.
double difference_at(const WrittenRope& a, const WrittenRope& b, Position position,
                     const RotatedTensor& tensor) {
  constexpr Index draws = 4;
  Random random(1, "vectors that tell ropes apart");
  RowPlaces places;
  places.heads = {0, 1};
  places.rows = {tensor.rows(), tensor.rows() + 1};  // behind the rows at which rules begin
  places.positions = AxisPositions::Constant(2, tensor.positions.cols(), position);
  for (Index axis = 1; axis < places.positions.cols(); ++axis)
    places.positions.col(axis).array() += 3 * axis;
  const Matrix<double> x = normal_matrix<double>(random, draws, a.d_head);
  const Matrix<double> gap = apply_written(a, places, x) - apply_written(b, places, x);
  return std::sqrt(gap.squaredNorm() / x.squaredNorm()) / unit_roundoff(tensor.format);
}

}  // namespace

TellingInput telling_input(const WrittenRope& a, const WrittenRope& b,
                           const RotatedTensor& tensor) {
  constexpr double telling = 8.0;  // units of rounding
  if (same_rows(a, b)) return telling_input(at_stated(a), at_stated(b), tensor);
  const Position last = tensor.positions.maxCoeff();
  for (Position position = 0; position <= Position{1} << 22;
       position = position < 4 ? position + 1 : position * 2 - position % 2) {
    const double difference = difference_at(a, b, position, tensor);
    if (difference > telling) return {true, position, position <= last, difference};
  }
  return {};
}

}  // namespace orrery
