#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {

/// The points of a folder by status, read without locking it.
struct Standing {
  std::vector<const PlanPoint*> done{};
  std::vector<const PlanPoint*> failed{};
  std::vector<const PlanPoint*> pending{};
  std::vector<std::pair<const PlanPoint*, std::string>> damaged{};  ///< pending again, and why
  JournalState journal{};
};

/// Reads every file of every finished point.
Standing standing_of(const Plan& plan, const std::filesystem::path& folder);

}  // namespace orrery
