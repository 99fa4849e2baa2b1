#include "experiments/evaluate/attend_overflow.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "experiments/evaluate/finite_rows.h"

namespace orrery::evaluate {
namespace {

const Array* find(const AttendResult& result, std::string_view name) {
  for (const auto& array : result.arrays)
    if (array->name == name) return array.get();
  return nullptr;
}

/// All rows are finite where the array is not there.
std::vector<bool> finite_rows_of(const AttendResult& result, std::string_view name,
                                 std::size_t rows) {
  const Array* array = find(result, name);
  return array ? finite_rows(*array) : std::vector<bool>(rows, true);
}

void count_normalizers(const Array& normalizers, AttendResult& result) {
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) {
          if (std::isnan(value)) ++result.nan_normalizers;
          if (std::isinf(value)) ++result.infinite_normalizers;
        }
      },
      normalizers.values);
}

void count_layer_rows(const AttendLayer& layout, const std::vector<bool>& outputs,
                      const std::vector<bool>& layer_outputs, AttendResult& result) {
  const std::size_t heads = static_cast<std::size_t>(layout.heads), queries = layout.m.size();
  for (std::size_t row = 0; row < layer_outputs.size(); ++row) {
    const std::size_t first = row / queries * heads * queries + row % queries;
    bool heads_are_finite = true;
    for (std::size_t h = 0; h < heads; ++h)
      heads_are_finite = heads_are_finite && outputs[first + h * queries];
    if (heads_are_finite && !layer_outputs[row]) ++result.overflowed_layer_rows;
  }
}

}  // namespace

void count_overflow(const AttendLayer& layout, AttendResult& result) {
  const std::vector<bool> outputs = finite_rows(*find(result, "output"));
  const std::vector<bool> weights = finite_rows_of(result, "weights", outputs.size());
  const std::vector<bool> numerators = finite_rows_of(result, "numerators", outputs.size());
  const Array* normalizers = find(result, "normalizers");
  if (normalizers) count_normalizers(*normalizers, result);
  const bool softmax_without_map = !normalizers && !find(result, "weights");
  for (std::size_t row = 0; row < outputs.size(); ++row) {
    // Queries of softmax with NaN weights are counted as nan_rows.
    const bool overflowed = normalizers ? !outputs[row] || !weights[row] || !numerators[row]
                                        : !outputs[row] && weights[row];
    if (overflowed) ++result.overflowed_rows;
  }
  // Every NaN weight makes its output NaN.
  if (softmax_without_map)
    result.overflowed_rows -= std::min<std::size_t>(result.overflowed_rows, result.nan_rows);
  if (const Array* layer_output = find(result, "layer_output"))
    count_layer_rows(layout, outputs, finite_rows(*layer_output), result);
}

}  // namespace orrery::evaluate
