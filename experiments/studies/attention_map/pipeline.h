#pragma once

#include <string>
#include <vector>

#include "experiments/setup/map_equation.h"
#include "experiments/studies/attention_map/kept_map.h"

namespace orrery {

/// A named term of the logits.
struct TermMap {
  std::string name{};
  GivenMap given{};
};

/// The maps of one encoding on the way from scores to weights.
struct PipelineMaps {
  std::string encoding{};
  std::vector<TermMap> terms{};
  GivenMap logits{};
  GivenMap weights{};
  bool masked{};               ///< whether queries see some keys only
  double relative_rounding{};  ///< bound of a spread that rounding alone makes, per largest value
};

/// "terms → mask → softmax = weights" as maps, each above its profile by distance.
Figure pipeline_figure(PipelineMaps maps, const MapFrame& frame);

}  // namespace orrery
