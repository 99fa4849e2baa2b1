#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/sweeps/plan.h"

namespace orrery {

/// The estimated cost of a plan, from a sample of its points.
struct Estimate {
  std::size_t samples{};    ///< points that were computed; 0 when all failed
  double partial{};         ///< fraction of one more point at which the time was up, or 0
  double seconds{};         ///< time on one thread for all remaining points
  std::uintmax_t bytes{};   ///< size of their folders
  std::uintmax_t memory{};  ///< peak of a process with one thread
  std::string failure{};    ///< error of the first sample that failed
};

/// Seconds since some moment; tests have a clock of their own.
using Clock = std::function<double()>;
double steady_seconds();

/// Computes up to `most` evenly spread points in a temporary folder. After `seconds` it stops, even
/// in the middle of a point, whose progress then gives the time that a whole one would take. Throws
/// IoError when that cannot be written, and Stopped.
Estimate estimate_cost(const Plan& plan, const std::vector<const PlanPoint*>& left,
                       std::size_t most, double seconds, Progress& progress,
                       const Clock& clock = steady_seconds);

/// What merging the shards of a sweep takes.
struct MergeCost {
  double seconds{};
  double bytes{};  ///< of memory
};

/// By the number of points alone: measured with 400 and 4,000 points of 27 files each, on a busy
/// disk.
MergeCost merge_cost(std::size_t points);

}  // namespace orrery
