#include "experiments/setup/searched_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/setup/common_axes.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_style.h"

namespace orrery {

SearchedTensor planted_tensor(const WrittenRope& rope, Random& random, Index heads,
                              AxisPositions positions) {
  const StageRounding bf16(Precision::bf16, {Stage::qk});
  const Index rows = positions.rows();
  SearchedTensor tensor{.heads = heads,
                        .before = normal_matrix<double>(random, heads * rows, rope.d_head),
                        .positions = std::move(positions)};
  bf16.apply<double>(Stage::qk, tensor.before);
  RowPlaces places{.positions = tensor.positions};
  for (Index h = 0; h < heads; ++h) places.heads.push_back(h);
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  tensor.after = apply_written(rope, places, tensor.before);
  bf16.apply<double>(Stage::qk, tensor.after);
  return tensor;
}

bool is_among(const std::vector<WrittenRope>& ropes, const WrittenRope& rope) {
  return std::any_of(ropes.begin(), ropes.end(),
                     [&](const WrittenRope& other) { return same_but_for_precision(other, rope); });
}

std::string place_text(std::size_t i, bool tied) {
  return fmt::format("{}{}", i + 1, tied && i > 0 ? " (tied)" : "");
}

Heatmap residual_heatmap(const WrittenRope& rope, const RotationSample& sample,
                         const std::string& name, std::string quantity) {
  return {
      .values = to_array<double>(residual_map(rope, sample), name,
                                 "residual in roundings, by channel and row", {"channel", "row"}),
      .x = {.label = "row", .symbol = "$n$"},
      .y = channel_axis(),
      .quantity = std::move(quantity),
      .meaning = Meaning::sequential};
}

Series residual_series(const WrittenRope& rope, const RotationSample& sample, std::string name) {
  const Matrix<double> residual = residual_map(rope, sample);
  Series series{.name = std::move(name), .color = encoding_color("rope")};
  for (Index n = 0; n < residual.cols(); ++n) {
    series.x.push_back(static_cast<double>(sample.places.positions(n, 0)));
    series.y.push_back(
        std::sqrt(residual.col(n).squaredNorm() / static_cast<double>(residual.rows())));
  }
  return series;
}

Axis residual_axis(std::string label) {
  return {.label = std::move(label),
          .unit = "roundings",
          .scale = AxisScale::symlog,
          .symlog_threshold = 1.0};
}

}  // namespace orrery
