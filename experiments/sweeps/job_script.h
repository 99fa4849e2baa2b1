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
  // What one shard needs, with a margin; 0: not known.
  int minutes{0};
  int mebibytes{0};
};

/// A bash script for Slurm: `bash SCRIPT [OPTIONS OF SBATCH]` submits an array job with one task
/// per shard, and a job that merges what they computed once all have ended, in whatever way;
/// `sbatch SCRIPT` submits the array alone. Logs go to OUT.shards/logs. Source: sbatch(1), --array,
/// --dependency=afterany.
std::string slurm_script(const EmitOptions& options);

/// A bash script that runs the shards with GNU parallel, one per core at a time, and then merges
/// them.
std::string parallel_script(const EmitOptions& options);

}  // namespace orrery::sweeps
