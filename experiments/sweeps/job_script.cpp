#include "experiments/sweeps/job_script.h"

#include <fmt/format.h>

#include "experiments/text/shell_quote.h"

namespace orrery::sweeps {
namespace {

std::string shard_command(const EmitOptions& o, std::string_view index, std::string_view threads) {
  return fmt::format("{} sweep {} --shard {}/{} --threads {} --out {}", shell_quoted(o.program),
                     o.sweep, index, o.shards, threads, shell_quoted(o.out));
}

std::string merge_command(const EmitOptions& o) {
  return fmt::format("{} merge {}", shell_quoted(o.program), shell_quoted(o.out));
}

}  // namespace

std::string slurm_script(const EmitOptions& o) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name={0}
#SBATCH --array=1-{1}
#SBATCH --cpus-per-task=1
#SBATCH --output={0}-%A_%a.log
#SBATCH --requeue
# Made by: orrery plan --emit slurm. Run it with bash: it submits {1} shards as an array, and then
# a job that merges their results. A requeued shard continues where it stopped.
set -euo pipefail
cd {2}
if [[ -z ${{SLURM_ARRAY_TASK_ID:-}} ]]; then
  shards=$(sbatch --parsable "${{BASH_SOURCE[0]}}")
  sbatch --job-name={0}-merge --output={0}-merge-%j.log \
    --dependency=afterok:"${{shards%%;*}}" --wrap={3}
  exit
fi
exec {4}
)",
      shell_quoted(o.name), o.shards, shell_quoted(o.folder),
      shell_quoted(fmt::format("cd {} && {}", shell_quoted(o.folder), merge_command(o))),
      shard_command(o, "\"$SLURM_ARRAY_TASK_ID\"", "\"${SLURM_CPUS_PER_TASK:-1}\""));
}

std::string parallel_script(const EmitOptions& o) {
  return fmt::format(R"(#!/bin/bash
# Made by: orrery plan --emit parallel. Runs {0} shards with GNU parallel, as many at once as there are
# cores, and merges their results. Run it again to continue where it stopped.
set -euo pipefail
cd {1}
seq 1 {0} | parallel --will-cite {2}
exec {3}
)",
                     o.shards, shell_quoted(o.folder), shell_quoted(shard_command(o, "{}", "1")),
                     merge_command(o));
}

}  // namespace orrery::sweeps
