#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/batch/plan.h"

namespace orrery {

/// What a plan will cost, from points that were computed to see it.
struct Estimate {
  std::size_t samples{};    ///< points that were computed; 0 when none could be
  double seconds{};         ///< of one thread, for all points that are left
  std::uintmax_t bytes{};   ///< of their folders
  std::uintmax_t memory{};  ///< peak of one process with one thread
  std::string failure{};    ///< what the first sample that failed said
};

/// Computes up to `most` of the points, evenly spread, into a folder that is removed again, until
/// `seconds` have passed. Throws IoError when there is no folder to write to, and Stopped.
Estimate estimate_cost(const Plan& plan, const std::vector<const PlanPoint*>& left,
                       std::size_t most, double seconds, Progress& progress);

}  // namespace orrery
