#pragma once

#include <string>
#include <vector>

#include "experiments/model/layers.h"

namespace orrery::sweeps {

/// The parts of a job script.
struct EmitOptions {
  std::string program{"orrery"};       ///< path of the command-line program
  std::string folder{};                ///< working folder of the script
  std::vector<std::string> sweep{};    ///< the words after `orrery sweep`
  std::vector<std::string> plugins{};  ///< words that load them
  std::string name{};                  ///< name of the job, of which Slurm gets what is plain
  std::string out{};                   ///< folder of the merged sweep; shards are in OUT.shards
  int shards{1};
  // What one shard needs, with a margin; 0: not known.
  int minutes{0};
  int mebibytes{0};
};

// Words of the user stand in assignments, quoted, and reach programs as arguments: never in a
// comment, a directive, a pattern or a template.

/// A bash script for Slurm: `bash SCRIPT [OPTIONS OF SBATCH]` submits an array job with one task
/// per shard, and a job that merges what they computed once all have ended, in whatever way;
/// `sbatch SCRIPT` submits the array alone. Logs go to OUT.shards/logs. Source: sbatch(1), --array,
/// --dependency=afterany.
std::string slurm_script(const EmitOptions& options);

/// A bash script that runs the shards with GNU parallel, one per core at a time, and then merges
/// them: `bash SCRIPT [OPTIONS OF PARALLEL]`.
std::string parallel_script(const EmitOptions& options);

}  // namespace orrery::sweeps
