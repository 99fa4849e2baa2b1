#pragma once

#include <string>

#include "core/types.h"
#include "experiments/identify/identify_options.h"
#include "experiments/identify/tensor_report.h"
#include "experiments/model/inputs.h"

namespace orrery {

/// What vectors show beside frequencies: tables of cosines and sines show less.
struct Shown {
  bool wiring{true};
  bool pairing{true};
};

/// "[4, 128, 64]".
std::string shape_words(const Tensor& tensor);

/// Which rope turned vectors into others, [heads·N, d] each, of as many sequences. Throws as
/// identify_tensors does.
TensorReport identify_matrix(const MatrixIn<double>& before, const MatrixIn<double>& after,
                             Index heads, const IdentifyOptions& options, Shown shown = {},
                             Index sequences = 1);

}  // namespace orrery
