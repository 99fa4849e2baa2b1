#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_sink.h"
#include "experiments/model/progress.h"
#include "experiments/model/result.h"
#include "experiments/studies/attend/attend_layer.h"

namespace orrery {

/// Queries whose numbers are not the usual ones.
struct UnusualRows {
  std::size_t fully_masked_rows{};     ///< queries that see no key: zero weights
  std::size_t nan_rows{};              ///< queries with NaN weights, see AttentionOutput
  std::size_t zero_normalizers{};      ///< queries of linear attention with output 0
  std::size_t infinite_normalizers{};  ///< as they are written, in fp64 or fp32
  std::size_t nan_normalizers{};
  /// Queries with NaN or an infinity in their output: of softmax attention those whose weights are
  /// finite, of linear attention all, and those with such numerators or weights.
  std::size_t overflowed_rows{};
  /// Positions with NaN or an infinity in layer_output, although the outputs of all heads are
  /// finite.
  std::size_t overflowed_layer_rows{};
};

/// A scalar, with the reason, of each kind that there is.
std::vector<Scalar> unusual_scalars(const UnusualRows& rows, bool linear);

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

/// The arrays that attend gives, of either kernel, passed on head after head within each batch
/// entry, some queries at a time.
template <class T>
class AttendOutput {
 public:
  AttendOutput(const ParamSet& params, const Tables& tables, const AttendLayer& layout,
               ArraySink& sink, Progress& progress);

  /// Where an array is [N_q, columns] of one head, with an axis for several heads and one for batch
  /// entries where the inputs had one; without a column axis [N_q].
  struct OfHeads {
    std::string name{};
    const char* column_axis{};
    Index columns{1};
  };
  /// Tells the sink which arrays there are, and layer_output beside them where W_o is given. Throws
  /// UsageError for a W_o or b_o that does not fit `d_v` channels of a head.
  void begin(const std::vector<OfHeads>& arrays, Index d_v);
  bool has_begun() const { return !arrays_.empty(); }
  /// The next queries of an array.
  void append(std::string_view name, const Matrix<T>& rows);
  /// The next queries of the array "output".
  void append_output(int head, Index first, const Matrix<T>& output);
  /// After all heads of a batch entry: layer_output, the heads' outputs y [N, heads·d_v] side by
  /// side, y W_o + b_o.
  void finish_batch();
  /// Tells how much is done before queries of a head. Throws Stopped.
  void check_progress(int head, Index first);

  const AttendLayer& layout() const { return layout_; }
  /// Without values.
  const std::vector<Array>& arrays() const { return arrays_; }

  UnusualRows unusual{};

 private:
  void add(Array array);
  void append_layer_output();

  const ParamSet& params_;
  const Tables& tables_;
  const AttendLayer& layout_;
  ArraySink& sink_;
  Progress& progress_;
  std::vector<Array> arrays_{};
  std::size_t batch_{0};
  FiniteRows finite_;  ///< outputs of the batch entry
  Matrix<T> heads_{};  ///< [N_q, heads·d_v] of a batch entry; empty without W_o
};

}  // namespace orrery
