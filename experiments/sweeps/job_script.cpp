#include "experiments/sweeps/job_script.h"

#include <fmt/format.h>

#include "experiments/text/shell_quote.h"

namespace orrery::sweeps {
namespace {

std::string shard_words(const EmitOptions& o, std::string_view index, std::string_view threads) {
  return fmt::format("sweep {} --shard {}/{} --threads {} --out {}", o.sweep, index, o.shards,
                     threads, shell_quoted(o.out));
}

std::string merge_command(const EmitOptions& o) {
  return fmt::format("{} merge {}", shell_quoted(o.program), shell_quoted(o.out));
}

std::string needs_of(const EmitOptions& o) {
  std::string lines;
  if (o.minutes > 0) lines += fmt::format("#SBATCH --time={}\n", o.minutes);
  if (o.mebibytes > 0) lines += fmt::format("#SBATCH --mem={}M\n", o.mebibytes);
  return lines;
}

std::string submission(const EmitOptions& o) {
  const std::string logs = shell_quoted(o.out + ".shards/logs");
  const std::string merge =
      shell_quoted(fmt::format("cd {} && {}", shell_quoted(o.folder), merge_command(o)));
  return fmt::format(
      R"(if [[ -z ${{SLURM_ARRAY_TASK_ID:-}} ]]; then
  script=$(readlink -f -- "${{BASH_SOURCE[0]}}")
  cd {0}
  mkdir -p {1}
  shards=$(sbatch --parsable --output={1}/%A_%a.log "$@" "$script")
  sbatch --job-name={2}-merge --output={1}/merge-%j.log \
    --dependency=afterany:"${{shards%%;*}}" "$@" --wrap={3}
  exit
fi
)",
      shell_quoted(o.folder), logs, shell_quoted(o.name), merge);
}

}  // namespace

std::string slurm_script(const EmitOptions& o) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name={0}
#SBATCH --array=1-{1}
#SBATCH --cpus-per-task=1
{2}#SBATCH --output={0}-%A_%a.log
#SBATCH --requeue
# Made by: orrery plan --emit slurm. Run it with bash: it submits {1} shards as an array, and then
# a job that merges their results. Options are passed to sbatch, as in: --account=NAME --time=60.
# A requeued shard continues where it stopped.
set -euo pipefail
{3}cd {4}
program={5}
if ! "$program" --version >/dev/null; then
  echo "$program does not run on $(hostname). If it was built for a newer processor, build it with" \
    "cmake -D ORRERY_CPU_LEVEL=none" >&2
  exit 1
fi
exec "$program" {6}
)",
      shell_quoted(o.name), o.shards, needs_of(o), submission(o), shell_quoted(o.folder),
      shell_quoted(o.program),
      shard_words(o, "\"$SLURM_ARRAY_TASK_ID\"", "\"${SLURM_CPUS_PER_TASK:-1}\""));
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
                     o.shards, shell_quoted(o.folder),
                     shell_quoted(shell_quoted(o.program) + " " + shard_words(o, "{}", "1")),
                     merge_command(o));
}

}  // namespace orrery::sweeps
