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

/// A script that computes the shards of a sweep and merges them: the engine's in assets/jobs, whose
/// README.md says how each is run, filled in. Words of the user stand in assignments, quoted, and
/// reach programs as arguments: never in a comment, a directive, a pattern or a template.
/// Throws IoError: no script of that engine.
/// @param engine  "slurm", "parallel", "mpi" or "snakemake"
std::string job_script(const std::string& engine, const EmitOptions& options);

}  // namespace orrery
