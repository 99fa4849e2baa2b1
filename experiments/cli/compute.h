#pragma once

#include <filesystem>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/sweeps/plan.h"

namespace orrery {

/// Of the commands that compute points.
struct ComputeOptions {
  int threads{0};  ///< 0: all cores
  bool fail_fast{false}, json{false};
  Words argv{};
};

/// --threads, --fail-fast and --json.
std::vector<Option> compute_options(ComputeOptions& options);

/// Computes what a folder lacks of a plan, and says how that went. Returns the exit status.
int compute(const Plan& plan, const std::filesystem::path& folder, const ComputeOptions& options);

}  // namespace orrery
