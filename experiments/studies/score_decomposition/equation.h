#pragma once

#include <string>
#include <vector>

#include "core/analysis/diagonals.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/studies/score_decomposition/decompose.h"

namespace orrery {

/// Settings that all figures of a run share.
struct Frame {
  const ParamSet& params;
  std::vector<std::string> labels;
  const Positions& positions;
  const Mask& mask;
  ArrayPtr masked;
  std::string caption;
  Index d_head;

  bool shows(const char* what) const { return names(params, "show", what); }
};

/// The map of one part of the logits, or of all.
Heatmap logit_map(const Frame& frame, const ArrayPtr& values, std::string quantity);

/// The arrays of an encoding.
struct Maps {
  std::vector<ArrayPtr> terms;
  ArrayPtr logits;
};

/// What the equation of an encoding is made of.
struct EquationInputs {
  const Frame& frame;
  const std::string& encoding;
  const Maps& maps;
  const std::vector<DiagonalProfile>& profiles;  ///< of the terms, then of the logits
};

/// Adds the profiles as arrays and, where it is shown, the figure "logits = sum of the terms".
/// Terms without content of an encoding that claims to be relative are checked to be.
template <class T>
void add_equation(const EquationInputs& in, const Decomposition<T>& d, Result& result);

}  // namespace orrery
