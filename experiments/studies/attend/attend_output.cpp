#include "experiments/studies/attend/attend_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "core/product.h"
#include "experiments/studies/attend/attend_projections.h"

namespace orrery {
namespace {

template <class T>
Array described(const std::string& name, const AttendLayer& layout, const char* column_axis,
                Index columns) {
  Array array{
      .name = name, .shape = {layout.m.size()}, .axes = {"query"}, .values = std::vector<T>()};
  if (!column_axis) return array;
  array.shape.push_back(static_cast<std::size_t>(columns));
  array.axes.push_back(column_axis);
  return array;
}

void put_in_front(Array& array, const char* axis, std::size_t size) {
  array.shape.insert(array.shape.begin(), size);
  array.axes.insert(array.axes.begin(), axis);
}

}  // namespace

std::vector<Scalar> unusual_scalars(const UnusualRows& rows, bool linear) {
  const std::pair<std::size_t, Scalar> all[]{
      {rows.fully_masked_rows,
       {.name = "fully_masked_rows",
        .description = "queries have all keys masked: their weights are 0"}},
      {rows.nan_rows,
       {.name = "nan_rows",
        .description = "queries have NaN or +inf among their visible logits, or only -inf: their "
                       "weights are NaN, as in PyTorch"}},
      {rows.zero_normalizers,
       {.name = "zero_normalizers",
        .description = "queries have a normalizer of 0: their output is 0"}},
      {rows.infinite_normalizers,
       {.name = "infinite_normalizers",
        .description = "queries have an infinite normalizer: a feature, or the sum of them, is "
                       "beyond the range of its format"}},
      {rows.nan_normalizers,
       {.name = "nan_normalizers",
        .description = "queries have a NaN normalizer: a feature, or a product of two, is beyond "
                       "the range of its format"}},
      {rows.overflowed_rows,
       {.name = "overflowed_rows",
        .description = fmt::format(
            "queries have NaN or an infinity in their {}: a value, or a sum of them, is beyond the "
            "range of its format",
            linear ? "output, numerators or weights" : "output")}},
      {rows.overflowed_layer_rows,
       {.name = "overflowed_layer_rows",
        .description = "positions have NaN or an infinity in layer_output, although the outputs of "
                       "their heads are finite: a sum is beyond the range of its format"}}};
  std::vector<Scalar> found;
  for (const auto& [count, scalar] : all) {
    if (count == 0) continue;
    found.push_back(scalar);
    found.back().value = static_cast<double>(count);
  }
  return found;
}

template <class T>
void FiniteRows::see(int head, Index first, const Matrix<T>& rows) {
  const std::size_t begin = static_cast<std::size_t>(head) * queries_;
  for (Index i = 0; i < rows.rows(); ++i)
    if (!rows.row(i).allFinite()) finite_[begin + static_cast<std::size_t>(first + i)] = false;
}

bool FiniteRows::of_all_heads(Index query) const {
  for (auto at = static_cast<std::size_t>(query); at < finite_.size(); at += queries_)
    if (!finite_[at]) return false;
  return true;
}

std::size_t FiniteRows::others() const {
  return static_cast<std::size_t>(std::ranges::count(finite_, false));
}

template <class T>
AttendOutput<T>::AttendOutput(const ParamSet& params, const Tables& tables,
                              const AttendLayer& layout, ArraySink& sink, Progress& progress)
    : params_(params),
      tables_(tables),
      layout_(layout),
      sink_(sink),
      progress_(progress),
      finite_(layout) {}

template <class T>
void AttendOutput<T>::add(Array array) {
  if (layout_.has_batch_axis) put_in_front(array, "batch", layout_.batches);
  arrays_.push_back(std::move(array));
}

template <class T>
void AttendOutput<T>::begin(const std::vector<OfHeads>& arrays, Index d_v) {
  for (const OfHeads& one : arrays) {
    Array array = described<T>(one.name, layout_, one.column_axis, one.columns);
    if (layout_.has_head_axis || layout_.heads > 1)
      put_in_front(array, "head", static_cast<std::size_t>(layout_.heads));
    add(std::move(array));
  }
  if (tables_.count("W_o") > 0) {
    const Index width = d_v * layout_.heads;
    const Index channels = output_channels<T>(params_, tables_, width);
    add(described<T>("layer_output", layout_, "channel", channels));
    heads_.resize(static_cast<Index>(layout_.m.size()), width);
  }
  sink_.begin(arrays_);
}

template <class T>
void AttendOutput<T>::append(std::string_view name, const Matrix<T>& rows) {
  const auto found = std::ranges::find(arrays_, name, &Array::name);
  check_invariant(found != arrays_.end(), "attend gives the arrays that it began with");
  // char may alias any type.
  sink_.append(static_cast<std::size_t>(found - arrays_.begin()),
               {reinterpret_cast<const char*>(rows.data()),
                static_cast<std::size_t>(rows.size()) * sizeof(T)});
}

template <class T>
void AttendOutput<T>::append_output(int head, Index first, const Matrix<T>& output) {
  append("output", output);
  finite_.see(head, first, output);
  if (heads_.size() > 0)
    heads_.block(first, head * output.cols(), output.rows(), output.cols()) = output;
}

template <class T>
void AttendOutput<T>::append_layer_output() {
  Matrix<T> output = product<T>(heads_, tables_.at("W_o").template cast<T>());
  const Matrix<T> b = output_bias<T>(tables_, output.cols());
  if (b.size() > 0) output.rowwise() += b.row(0);
  append("layer_output", output);
  for (Index i = 0; i < output.rows(); ++i)
    if (finite_.of_all_heads(i) && !output.row(i).allFinite()) ++unusual.overflowed_layer_rows;
}

template <class T>
void AttendOutput<T>::finish_batch() {
  if (heads_.size() > 0) append_layer_output();
  finite_ = FiniteRows(layout_);
  ++batch_;
}

template <class T>
void AttendOutput<T>::check_progress(int head, Index first) {
  const double queries = static_cast<double>(layout_.m.size());
  const double heads = static_cast<double>(batch_) * layout_.heads + head;
  checkpoint(progress_,
             (heads + static_cast<double>(first) / queries) /
                 (static_cast<double>(layout_.batches) * layout_.heads),
             "attention");
}

template class AttendOutput<float>;
template class AttendOutput<double>;
template void FiniteRows::see(int, Index, const Matrix<float>&);
template void FiniteRows::see(int, Index, const Matrix<double>&);

}  // namespace orrery
