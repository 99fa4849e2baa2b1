#pragma once

#include <string>
#include <vector>

#include "core/random.h"
#include "experiments/identify/rotation_sample.h"
#include "experiments/identify/written_rope.h"
#include "experiments/model/experiment.h"
#include "experiments/model/figure.h"

namespace orrery {

/// A tensor whose rope is searched, before and after it turned, whole.
struct SearchedTensor {
  Index heads{};
  Matrix<double> before{};    ///< [heads·N, d]
  Matrix<double> after{};     ///< [heads·N, d]
  AxisPositions positions{};  ///< [N, 1]
  Precision format{Precision::bf16};

  RotatedTensor view() const {
    return {
        .heads = heads, .before = before, .after = after, .positions = positions, .format = format};
  }
};

/// Random vectors in bf16, turned by the rope and rounded to bf16.
SearchedTensor planted_tensor(const WrittenRope& rope, Random& random, Index heads,
                              AxisPositions positions);

/// Whether one of them differs from the rope in no more than the precision of its stages.
bool is_among(const std::vector<WrittenRope>& ropes, const WrittenRope& rope);

/// "1", "2 (tied)": the place of a hypothesis in a table.
std::string place_text(std::size_t i, bool tied);

/// What the rope leaves by channel and row, in roundings, as an array of that name.
Heatmap residual_heatmap(const WrittenRope& rope, const RotationSample& sample,
                         const std::string& name, std::string quantity);

/// The root mean square of what the rope leaves, by position.
Series residual_series(const WrittenRope& rope, const RotationSample& sample, std::string name);
/// Its axis, whose quantity is `label`.
Axis residual_axis(std::string label);

/// "defect" and the parameters of the sound rope it is a defect of: dim, base, pairing, fraction,
/// scaling, factor and L₀. The default defect is `defect`, "none" allowed where `may_be_sound`.
std::vector<ParamSpec> written_rope_params(const std::string& defect, bool may_be_sound);

/// The rope without its defect.
WrittenRope sound_rope_of(const ParamSet& params);

/// The rope with the parameter "defect", for tensors of so many rows. Throws UsageError where it
/// cannot be made in the sound one.
WrittenRope defective_rope_of(const ParamSet& params, Index rows);

}  // namespace orrery
