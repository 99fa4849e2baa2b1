#pragma once

#include <string>

#include "core/params.h"
#include "experiments/model/layers.h"

namespace orrery::studies {

/// What a run of an experiment takes, roughly and rather too much, as measured: where its arrays
/// grow with what is asked for.
struct MemoryEstimate {
  double bytes{};        ///< 0 where it never takes much
  std::string remedy{};  ///< "lower max_distance"
};

MemoryEstimate memory_estimate(const std::string& experiment, const ParamSet& params);

}  // namespace orrery::studies
