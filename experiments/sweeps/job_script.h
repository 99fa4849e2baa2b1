#pragma once

#include <string>

#include "experiments/model/layers.h"

namespace orrery::sweeps {

/// The parts of a job script.
struct EmitOptions {
  std::string program{"orrery"};  ///< path of the command-line program
  std::string folder{};           ///< working folder of the script
  std::string sweep{};  ///< the quoted words after `orrery sweep`: file or experiment, overrides
  std::string name{};   ///< name of the job
  std::string out{};    ///< folder of the merged sweep; shards are in OUT.shards
  int shards{1};
};

/// A bash script for Slurm: `bash SCRIPT` submits an array job with one task per shard and a job
/// that merges their results afterwards; `sbatch SCRIPT` submits the array alone. Source:
/// sbatch(1), --array,
/// --dependency=afterok.
std::string slurm_script(const EmitOptions& options);

/// A bash script that runs the shards with GNU parallel, one per core at a time, and then merges
/// them.
std::string parallel_script(const EmitOptions& options);

}  // namespace orrery::sweeps
