#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/cli/figure_words.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_spec.h"

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

/// Of sweep and plan. A zero, -1 or an empty word is: as in the file.
struct SweepOptions {
  std::string name{}, out{}, sampling{};
  std::string shard{};  ///< "2/4"
  Words words{};
  Words zips{};  ///< "dim,base"
  int repeats{0}, draws{0};
  std::int64_t seed{-1};
  bool unpaired{false};
  FigureOptions figures{default_figures()};
  ComputeOptions compute{};
};

/// What describes a sweep and its figures.
std::vector<Option> sweep_options(SweepOptions& options);

/// The sweep described by the options; the command line overrides the file, which overrides its
/// presets.
SweepSpec spec_of(const SweepOptions& options);
/// Its plan; what a large one takes is said before.
Plan planned(const SweepSpec& spec, const FigureOptions& figures);
/// The sweep's folder, all shards together: the one that is named, or orrery-results/NAME-ID.
std::string folder_of(const SweepSpec& spec, const Plan& plan);

}  // namespace orrery
