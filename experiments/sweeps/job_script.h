#pragma once

#include <string>
#include <vector>

namespace orrery {

/// What a job asks of a cluster, with a margin; 0: not known.
struct JobNeeds {
  int minutes{0};
  int mebibytes{0};
};

/// The parts of a job script.
struct EmitOptions {
  std::string program{"orrery"};       ///< path of the command-line program
  std::string folder{};                ///< working folder of the script
  std::vector<std::string> sweep{};    ///< the words after `orrery sweep`
  std::vector<std::string> plugins{};  ///< words that load them
  std::string name{};                  ///< name of the job, of which Slurm gets what is plain
  std::string out{};                   ///< folder of the merged sweep; shards are in OUT.shards
  std::string plan{};                  ///< plan_id
  int shards{1};
  JobNeeds task{};  ///< of what computes one shard, or several one after the other
  JobNeeds merge{};
};

/// The tasks of a Slurm array: one per shard, or as many as MaxArraySize has room for where a
/// cluster does not set it. Source: slurm.conf(5), 1001.
int tasks_of(int shards);

// Words of the user stand in assignments, quoted, and reach programs as arguments: never in a
// comment, a directive, a pattern or a template.

/// A bash script for Slurm: `bash SCRIPT [OPTIONS OF SBATCH]` submits an array job whose tasks
/// compute the shards, and a job that merges what they computed once all have ended, in whatever
/// way; `sbatch SCRIPT` submits the array alone. --array is of the array job alone. Logs go to
/// OUT.shards/logs. Source: sbatch(1), --array, --dependency=afterany.
std::string slurm_script(const EmitOptions& options);

/// A bash script that runs the shards with GNU parallel, one per core at a time, and then merges
/// them: `bash SCRIPT [OPTIONS OF PARALLEL]`.
std::string parallel_script(const EmitOptions& options);

/// A bash script that runs the shards in ranks of MPI, rank r of n every n-th one from r + 1, and
/// then merges them: `bash SCRIPT [OPTIONS OF MPIRUN]`. Rank and size are environment variables of
/// Open MPI, of MPICH and of srun.
std::string mpi_script(const EmitOptions& options);

/// A Snakefile with a rule for the shards and one that merges them.
std::string snakemake_script(const EmitOptions& options);

}  // namespace orrery
