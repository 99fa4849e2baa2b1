#include "experiments/batch/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {
namespace {

std::string shard_command(const EmitOptions& o, std::string_view index, std::string_view threads) {
  return fmt::format("{} sweep {} --shard {}/{} --threads {} --out {}", shell_quoted(o.program),
                     o.sweep, index, o.shards, threads, shell_quoted(o.out));
}

std::string merge_command(const EmitOptions& o) {
  return fmt::format("{} merge {}", shell_quoted(o.program), shell_quoted(o.out));
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=,+:@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  return quoted + "'";
}

std::string slurm_script(const EmitOptions& o) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name={0}
#SBATCH --array=1-{1}
#SBATCH --cpus-per-task=1
#SBATCH --output={0}-%A_%a.log
#SBATCH --requeue
# Made by: orrery plan --emit slurm. Run it with bash: it submits {1} shards as an array, and a job
# behind them that merges their results. A shard that was requeued takes up where it stopped.
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
# cores, and merges their results. Run it again to take up where it stopped.
set -euo pipefail
cd {1}
seq 1 {0} | parallel --will-cite {2}
exec {3}
)",
                     o.shards, shell_quoted(o.folder), shell_quoted(shard_command(o, "{}", "1")),
                     merge_command(o));
}

}  // namespace orrery
