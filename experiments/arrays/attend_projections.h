#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/arrays/attend_arrays.h"
#include "experiments/arrays/attend_layer.h"

namespace orrery {

// W_q, W_k, W_v, W_o and b_q, b_k, b_v, b_o of attend, and how these and the projections that an
// encoding has of its own are stored.

/// weights: how the matrices are stored.
ParamSpec weights_param();

/// The names of them that are read: with contents x all eight, otherwise those of the output.
std::vector<std::string> projection_names(bool contents);

/// The tables with W_q, W_k, W_v, W_o and the encoding's projections of positions as they are
/// applied from the right, x·W: with weights=torch_linear they are transposed. Throws UsageError
/// where one is given without saying how it is stored, and the other way round, and for a b_o
/// without W_o.
Tables applied_from_the_right(const ParamSet& params, Tables tables);

/// The projections of contents x: W_q, W_k, W_v, the identity where one is not given, with their
/// biases. Nothing when q, k and v are given. Throws UsageError for shapes that do not fit, and
/// says so when the other way of storing would fit.
template <class T>
std::optional<LayerProjections<T>> projections_of(const ParamSet& params, const AttendInputs& in,
                                                  const Tables& tables, const AttendLayer& layout);

/// The heads' outputs side by side through W_o, y [N, heads·d_v] W_o + b_o, where it is given.
template <class T>
class LayerOutput {
 public:
  LayerOutput(const ParamSet& params, const Tables& tables, const AttendLayer& layout)
      : params_(params), tables_(tables), layout_(layout), given_(tables.count("W_o") > 0) {}

  /// Throws UsageError for shapes that do not fit.
  void add_to(AttendArrays<T>& arrays, Index d_v);
  /// The output of some queries of a head. Nothing is held where W_o is not given.
  void take(int head, Index first, const Matrix<T>& output);
  /// Once per batch entry, after all of its heads. Returns how many positions have NaN or an
  /// infinity although the outputs of all heads are finite.
  std::size_t finish_batch(AttendArrays<T>& arrays, const FiniteRows& heads);

 private:
  const ParamSet& params_;
  const Tables& tables_;
  const AttendLayer& layout_;
  bool given_;
  Matrix<T> heads_{};  ///< [N_q, heads·d_v] of a batch entry
};

}  // namespace orrery
