#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/multi_head.h"
#include "core/encodings/settings.h"
#include "experiments/evaluate/attend_inputs.h"

namespace orrery::evaluate {

// How attend reads its arrays, for either kernel.

/// Where heads, widths and positions come from, whichever way the inputs were given.
struct AttendLayer {
  int heads{1};
  int first_head{0};   ///< > 0 when one head of a layer was given alone
  int layer_heads{1};  ///< what the encoding is made for
  std::size_t batches{1};
  bool has_batch_axis{false};  ///< the inputs had one, and so have the outputs
  bool has_head_axis{false};   ///< even of one head: q, k and v had both axes
  Index d_model{};
  Index d_head{};
  Positions m, n;
  std::vector<std::vector<std::int32_t>> segments{};  ///< [N_k] of each batch entry, or of all
};

/// Throws UsageError and DataError for arrays that are no layer.
AttendLayer attend_layer(const ParamSet& params, const AttendInputs& in, const Tables& tables);

/// The segments of one batch entry's keys, and of its queries, which are the last of them; empty
/// where none are given. It points into the layout.
SegmentsIn segments_of(const AttendLayer& layout, std::size_t batch);

/// Contents x of one batch entry, as they are.
template <class T>
Matrix<T> contents_of(const AttendInputs& in, std::size_t batch);

/// q, k, v of one batch entry, as they are; k for an absent v.
template <class T>
LayerInputs<T> layer_of_qkv(const AttendInputs& in, const AttendLayer& layout, std::size_t batch);

/// @param d_head  channels that it acts on
template <class T>
std::unique_ptr<Encoding> encoding_of(const ParamSet& params, const AttendLayer& layout,
                                      Index d_head, const Tables& tables);

/// Rows below each other, head after head and batch entry after batch entry.
template <class T>
class Stack {
 public:
  explicit Stack(const AttendLayer& layout)
      : rows_(layout.m.size()),
        all_rows_(rows_ * static_cast<std::size_t>(layout.heads) * layout.batches) {}

  /// Some rows of a head.
  void add(const Matrix<T>& values) {
    columns_ = static_cast<std::size_t>(values.cols());
    if (values_.empty()) values_.reserve(all_rows_ * columns_);
    values_.insert(values_.end(), values.data(), values.data() + values.size());
  }
  /// [N, M] of one head, with an axis for several heads and one for batch entries where the inputs
  /// had one; without M where there is no column axis.
  std::shared_ptr<const Array> of_heads(std::string name, const char* column_axis,
                                        const AttendLayer& layout) && {
    Array array = rows_and_columns(std::move(name), column_axis);
    if (layout.has_head_axis || layout.heads > 1)
      put_in_front(array, "head", static_cast<std::size_t>(layout.heads));
    return finish(std::move(array), layout);
  }
  /// The same of a layer as a whole, without an axis of heads.
  std::shared_ptr<const Array> of_layer(std::string name, const char* column_axis,
                                        const AttendLayer& layout) && {
    return finish(rows_and_columns(std::move(name), column_axis), layout);
  }

 private:
  Array rows_and_columns(std::string name, const char* column_axis) const {
    Array array{.name = std::move(name), .shape = {rows_}, .axes = {"query"}};
    if (column_axis) {
      array.shape.push_back(columns_);
      array.axes.push_back(column_axis);
    }
    return array;
  }
  static void put_in_front(Array& array, const char* axis, std::size_t size) {
    array.shape.insert(array.shape.begin(), size);
    array.axes.insert(array.axes.begin(), axis);
  }
  std::shared_ptr<const Array> finish(Array array, const AttendLayer& layout) {
    if (layout.has_batch_axis) put_in_front(array, "batch", layout.batches);
    array.values = std::move(values_);
    return std::make_shared<const Array>(std::move(array));
  }

  std::vector<T> values_;
  std::size_t rows_, all_rows_;
  std::size_t columns_{0};
};

/// Results head by head within each batch entry; the batch entries in order.
template <class Output>
using Batches = std::vector<std::vector<Output>>;

}  // namespace orrery::evaluate
