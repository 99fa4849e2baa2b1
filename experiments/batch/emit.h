#pragma once

#include <string>

namespace orrery {

/// How a script calls this program, and with what.
struct EmitOptions {
  std::string program{"orrery"};  ///< path of the command-line program
  std::string folder{};           ///< where the script changes to before anything else
  std::string sweep{};            ///< the words that name the sweep: file or experiment, overrides
  std::string name{};             ///< of the job
  std::string out{};              ///< folder of the merged sweep; shards lie in OUT.shards
  int shards{1};
};

/// A bash script for Slurm: `bash SCRIPT` submits an array job, one task a shard, and a job behind
/// it that merges what they wrote; `sbatch SCRIPT` the array alone. Source: sbatch(1), --array,
/// --dependency=afterok.
std::string slurm_script(const EmitOptions& options);

/// A bash script that runs the shards side by side with GNU parallel, as many as there are cores,
/// and then merges them.
std::string parallel_script(const EmitOptions& options);

/// The word as a POSIX shell reads it back.
std::string shell_quoted(std::string_view word);

}  // namespace orrery
