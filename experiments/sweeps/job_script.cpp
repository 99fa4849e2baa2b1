#include "experiments/sweeps/job_script.h"

#include <fmt/format.h>

#include "experiments/text/shell_quote.h"

namespace orrery::sweeps {
namespace {

/// A path that no program takes for an option.
std::string path_word(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

/// Slurm's lists and file names of others show it: letters, digits and "._-" alone.
std::string plain_name(const std::string& name) {
  constexpr std::size_t longest = 64;
  std::string plain = name.substr(0, longest);
  for (char& c : plain) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
    if (!kept) c = '_';
  }
  return plain;
}

/// The only lines that hold words of the user, each quoted; all others name these variables.
std::string assignments(const EmitOptions& o) {
  return fmt::format("folder={}\nprogram={}\nout={}\nsweep=({})\nplugins=({})\n",
                     shell_quoted(o.folder), shell_quoted(o.program),
                     shell_quoted(path_word(o.out)), shell_line(o.sweep), shell_line(o.plugins));
}

std::string needs_of(const EmitOptions& o) {
  std::string lines;
  if (o.minutes > 0) lines += fmt::format("#SBATCH --time={}\n", o.minutes);
  if (o.mebibytes > 0) lines += fmt::format("#SBATCH --mem={}M\n", o.mebibytes);
  return lines;
}

// Slurm reads % and \ in a log's folder too: there its own file is /dev/null, and jobs write their
// logs themselves. The job that merges is a script on standard input, which names nothing but what
// `declare` quotes.
constexpr std::string_view submission = R"(logs=$out.shards/logs
[[ $logs == /* ]] || logs=$folder/$logs
mkdir -p -- "$logs"
plain=true
[[ $logs != *[%\\]* ]] || plain=false
if [[ -z ${SLURM_ARRAY_TASK_ID:-} ]]; then
  script=$(readlink -f -- "${BASH_SOURCE[0]}")
  shard_log=(--chdir="$logs" --output=%A_%a.log)
  merge_log=(--chdir="$logs" --output=merge-%j.log)
  $plain || shard_log=(--chdir=/ --output=/dev/null) merge_log=(--chdir=/ --output=/dev/null)
  shards=$(sbatch --parsable --job-name="$name" "${shard_log[@]}" "$@" "$script")
  sbatch --job-name="$name-merge" "${merge_log[@]}" --dependency=afterany:"${shards%%;*}" "$@" <<EOF
#!/bin/bash
$(declare -p folder program out logs plain plugins)
\$plain || exec >"\$logs/merge-\$SLURM_JOB_ID.log" 2>&1
cd -- "\$folder" && exec "\$program" merge "\$out" "\${plugins[@]}"
EOF
  exit
fi
$plain || exec >"$logs/${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.log" 2>&1
)";

}  // namespace

std::string slurm_script(const EmitOptions& o) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name=orrery
#SBATCH --array=1-{0}
#SBATCH --cpus-per-task=1
{1}#SBATCH --output=orrery-%A_%a.log
#SBATCH --requeue
# Made by: orrery plan --emit slurm. Run it with bash: it submits {0} shards as an array, and then
# a job that merges their results. Options are passed to sbatch, as in: --account=NAME --time=60.
# A requeued shard continues where it stopped.
set -euo pipefail
{2}name={3}
{4}cd -- "$folder"
if ! "$program" --version >/dev/null; then
  echo "$program does not run on $(hostname). If it was built for a newer processor, build it with" \
    "cmake -D ORRERY_CPU_LEVEL=none" >&2
  exit 1
fi
exec "$program" sweep "${{sweep[@]}}" "${{plugins[@]}}" --shard "$SLURM_ARRAY_TASK_ID/{0}" \
  --threads "${{SLURM_CPUS_PER_TASK:-1}}" --out "$out"
)",
      o.shards, needs_of(o), assignments(o), shell_quoted(plain_name(o.name)), submission);
}

// parallel reads the shards' commands as its input: it replaces {}, {#} and {= Perl =} wherever
// they stand in a command of its own, in quotes too, and nowhere in its input.
std::string parallel_script(const EmitOptions& o) {
  return fmt::format(R"(#!/bin/bash
# Made by: orrery plan --emit parallel. Runs {0} shards with GNU parallel, as many at once as there are
# cores, and merges their results. Options are passed to parallel, as in: -j 4 --joblog jobs.log.
# Run it again to continue where it stopped.
set -euo pipefail
{1}export PARALLEL_SHELL=$BASH
cd -- "$folder"
for ((shard = 1; shard <= {0}; ++shard)); do
  printf 'cd -- %q && exec' "$folder"
  printf ' %q' "$program" sweep "${{sweep[@]}}" "${{plugins[@]}}" --shard "$shard/{0}" --threads 1 --out "$out"
  echo
done | parallel --will-cite "$@"
exec "$program" merge "$out" "${{plugins[@]}}"
)",
                     o.shards, assignments(o));
}

}  // namespace orrery::sweeps
