#include "experiments/arrays/attend_arrays.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

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

template <class T>
void AttendArrays<T>::add_of_heads(const std::string& name, const char* column_axis,
                                   Index columns) {
  Array array = described<T>(name, layout_, column_axis, columns);
  if (layout_.has_head_axis || layout_.heads > 1)
    put_in_front(array, "head", static_cast<std::size_t>(layout_.heads));
  add(std::move(array));
}

template <class T>
void AttendArrays<T>::add_of_layer(const std::string& name, const char* column_axis,
                                   Index columns) {
  add(described<T>(name, layout_, column_axis, columns));
}

template <class T>
void AttendArrays<T>::add(Array array) {
  if (layout_.has_batch_axis) put_in_front(array, "batch", layout_.batches);
  arrays_.push_back(std::move(array));
}

template <class T>
void AttendArrays<T>::append(std::string_view name, const Matrix<T>& rows) {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [&](const Array& array) { return array.name == name; });
  check_invariant(found != arrays_.end(), "attend gives the arrays that it began with");
  // char may alias any type.
  sink_.append(static_cast<std::size_t>(found - arrays_.begin()),
               {reinterpret_cast<const char*>(rows.data()),
                static_cast<std::size_t>(rows.size()) * sizeof(T)});
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
  return static_cast<std::size_t>(std::count(finite_.begin(), finite_.end(), false));
}

template class AttendArrays<float>;
template class AttendArrays<double>;
template void FiniteRows::see(int, Index, const Matrix<float>&);
template void FiniteRows::see(int, Index, const Matrix<double>&);

}  // namespace orrery
