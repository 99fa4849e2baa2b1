#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/multi_head.h"
#include "core/encodings/settings.h"
#include "experiments/attend.h"

namespace orrery {

// What attend makes of the arrays it is given, for either kernel.

/// Where heads, widths and positions come from, whichever way the inputs were given.
struct AttendLayer {
  int heads{1};
  int first_head{0};   ///< > 0 when one head of a layer was given alone
  int layer_heads{1};  ///< what the encoding is made for
  Index d_model{};
  Index d_head{};
  Positions m, n;
};

/// Throws UsageError and DataError for arrays that are no layer.
AttendLayer attend_layer(const ParamSet& params, const AttendInputs& in, const Tables& tables);

/// causal, window and mask.
Sight sight_of(const ParamSet& params, const AttendInputs& in);

/// W_q, W_k, W_v of the tables, the identity where one is not given. Throws UsageError for shapes
/// that do not fit.
template <class T>
LayerProjections<T> projections_of(const Tables& tables, const AttendLayer& layout);

/// Contents x, as they are.
template <class T>
Matrix<T> contents_of(const AttendInputs& in);

/// q, k, v, as they are; k for an absent v.
template <class T>
LayerInputs<T> layer_of_qkv(const AttendInputs& in, const AttendLayer& layout);

/// @param d_head  channels that it acts on
template <class T>
std::unique_ptr<Encoding> encoding_of(const ParamSet& params, const AttendLayer& layout,
                                      Index d_head, const Tables& tables);

/// Heads below each other: [N, M] for one, [H, N, M] for several; without M where there is no
/// column axis.
template <class T>
class Stack {
 public:
  void add(const Matrix<T>& values) {
    values_.insert(values_.end(), values.data(), values.data() + values.size());
    rows_ = static_cast<std::size_t>(values.rows());
    columns_ = static_cast<std::size_t>(values.cols());
    ++heads_;
  }
  std::shared_ptr<const Array> finish(std::string name, const char* column_axis) && {
    Array array{.name = std::move(name), .shape = {rows_}, .axes = {"query"}};
    if (column_axis) {
      array.shape.push_back(columns_);
      array.axes.push_back(column_axis);
    }
    if (heads_ > 1) {
      array.shape.insert(array.shape.begin(), heads_);
      array.axes.insert(array.axes.begin(), "head");
    }
    array.values = std::move(values_);
    return std::make_shared<const Array>(std::move(array));
  }

 private:
  std::vector<T> values_;
  std::size_t heads_{0}, rows_{0}, columns_{0};
};

/// Throws UsageError unless W_o has `rows` rows.
void check_output_projection(const Matrix<double>& W_o, Index rows);

/// The heads' outputs side by side through W_o, where it is given.
template <class T, class Output>
void add_layer_output(const Tables& tables, const std::vector<Output>& heads,
                      AttendResult& result) {
  const auto found = tables.find("W_o");
  if (found == tables.end()) return;
  const Matrix<T> all = concatenated<T>(heads);
  check_output_projection(found->second, all.cols());
  Stack<T> output;
  output.add(all * found->second.template cast<T>());
  result.arrays.push_back(std::move(output).finish("layer_output", "channel"));
}

}  // namespace orrery
