#pragma once

#include "experiments/studies/linear_attention/variants.h"

namespace orrery::studies {

/// All that was computed.
struct LinearFindings {
  const LinearInputs& in;
  const Matrix<double>& softmax;  ///< weights of softmax attention with RoPE
  const std::vector<Family>& families;
  const FavorSweep& sweep;
};

/// Weights by distance, row sums, negative part, error of FAVOR+, cost, and the maps of the first
/// family; every map as an array.
void add_linear_figures(const ParamSet& params, const LinearFindings& found, Result& result);

/// Variants, error of FAVOR+ and cost as numbers.
void add_linear_tables(const ParamSet& params, const LinearFindings& found, Result& result);

}  // namespace orrery::studies
