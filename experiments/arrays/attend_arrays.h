#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/arrays/attend_layer.h"
#include "experiments/data/array_sink.h"

namespace orrery {

/// The arrays that attend gives, passed on head after head within each batch entry, some queries at
/// a time.
template <class T>
class AttendArrays {
 public:
  AttendArrays(const AttendLayer& layout, ArraySink& sink) : layout_(layout), sink_(sink) {}

  /// Will be [N_q, columns] of one head, with an axis for several heads and one for batch entries
  /// where the inputs had one; without a column axis [N_q].
  void add_of_heads(const std::string& name, const char* column_axis, Index columns = 1);
  /// The same of a layer as a whole, without an axis of heads.
  void add_of_layer(const std::string& name, const char* column_axis, Index columns);
  /// Tells the sink, once all are added.
  void begin() { sink_.begin(arrays_); }
  /// The next queries of an array.
  void append(std::string_view name, const Matrix<T>& rows);

  /// Without values.
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  void add(Array array);

  const AttendLayer& layout_;
  ArraySink& sink_;
  std::vector<Array> arrays_{};
};

/// Which queries of one batch entry have finite numbers alone in what was seen of them.
class FiniteRows {
 public:
  explicit FiniteRows(const AttendLayer& layout)
      : queries_(layout.m.size()),
        finite_(queries_ * static_cast<std::size_t>(layout.heads), true) {}

  /// Numbers of the queries of a head, from the first on.
  template <class T>
  void see(int head, Index first, const Matrix<T>& rows);
  bool of_all_heads(Index query) const;
  /// Queries of all heads with other numbers.
  std::size_t others() const;

 private:
  std::size_t queries_;
  std::vector<bool> finite_;
};

}  // namespace orrery
