#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/evaluate/attend_layer.h"

namespace orrery::evaluate {

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

/// y [N, heads·d_v] W_o + b_o. Throws UsageError for shapes that do not fit.
template <class T>
Matrix<T> layer_output(const ParamSet& params, const Tables& tables, const Matrix<T>& y);

/// The heads' outputs side by side through W_o, where it is given.
template <class T, class Output>
void add_layer_output(const ParamSet& params, const Tables& tables, const Batches<Output>& batches,
                      const AttendLayer& layout, AttendResult& result) {
  if (tables.count("W_o") == 0) return;
  // Of the layer as a whole: as many rows as one head has.
  Stack<T> output(layout);
  for (const auto& heads : batches)
    output.add(layer_output<T>(params, tables, concatenated<T>(heads)));
  result.arrays.push_back(std::move(output).of_layer("layer_output", "channel", layout));
}

}  // namespace orrery::evaluate
