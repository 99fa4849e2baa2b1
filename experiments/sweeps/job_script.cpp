#include "experiments/sweeps/job_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "experiments/text/shell_quote.h"

namespace orrery {
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

std::string directives(const JobNeeds& needs) {
  std::string lines;
  if (needs.minutes > 0) lines += fmt::format("#SBATCH --time={}\n", needs.minutes);
  if (needs.mebibytes > 0) lines += fmt::format("#SBATCH --mem={}M\n", needs.mebibytes);
  return lines;
}

/// Before the submission, as sbatch would only say that an array is not valid; and the options of
/// the job that merges, which is no array.
constexpr std::string_view options_of_merge = R"(  merge=() chosen=false value=false
  for option; do
    if $value; then value=false
    elif [[ $option == --ar*=* || $option == -a?* ]]; then chosen=true
    elif [[ $option == --ar* || $option == -a ]]; then chosen=true value=true
    else merge+=("$option"); fi
  done
  most=$(scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize *= *//p') || most=''
  if ! $chosen && [[ $most =~ ^[0-9]+$ ]] && ((tasks >= most)); then
    echo "arrays of this cluster end at $((most - 1)) (MaxArraySize), and this one has $tasks tasks;" \
      "plan it with --shards $((most - 1)) or fewer" >&2
    exit 1
  fi
)";

// Slurm reads % and \ in a log's folder too: there its own file is /dev/null, and jobs write their
// logs themselves. The job that merges is a script on standard input, which names nothing but what
// `declare` quotes.
std::string submission(const EmitOptions& o) {
  return fmt::format(R"(logs=$out.shards/logs
[[ $logs == /* ]] || logs=$folder/$logs
mkdir -p -- "$logs"
plain=true
[[ $logs != *[%\\]* ]] || plain=false
if [[ -z ${{SLURM_ARRAY_TASK_ID:-}} ]]; then
{1}  script=$(readlink -f -- "${{BASH_SOURCE[0]}}")
  shard_log=(--chdir="$logs" --output=%A_%a.log)
  merge_log=(--chdir="$logs" --output=merge-%j.log)
  $plain || shard_log=(--chdir=/ --output=/dev/null) merge_log=(--chdir=/ --output=/dev/null)
  shards=$(sbatch --parsable --job-name="$name" "${{shard_log[@]}}" "$@" "$script")
  sbatch --job-name="$name-merge" "${{merge_log[@]}}" "${{merge[@]}}" --dependency=afterany:"${{shards%%;*}}" <<EOF
#!/bin/bash
#SBATCH --cpus-per-task=1
{0}#SBATCH --requeue
$(declare -p folder program out logs plain plugins)
\$plain || exec >"\$logs/merge-\$SLURM_JOB_ID.log" 2>&1
cd -- "\$folder" && exec "\$program" merge "\$out" "\${{plugins[@]}}"
EOF
  exit
fi
$plain || exec >"$logs/${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID.log" 2>&1
)",
                     directives(o.merge), options_of_merge);
}

/// A literal of Python's bytes, which are any name that the system has.
std::string python_bytes(std::string_view word) {
  std::string literal = "b\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte > '~')
      literal += fmt::format("\\x{:02x}", byte);
    else if (c == '"' || c == '\\')
      literal += {'\\', c};
    else
      literal += c;
  }
  return literal + "\"";
}

std::string python_list(const std::vector<std::string>& words) {
  std::vector<std::string> literals;
  literals.reserve(words.size());
  for (const std::string& word : words) literals.push_back(python_bytes(word));
  return fmt::format("[{}]", fmt::join(literals, ", "));
}

/// As a rule of Snakemake has them, whose megabytes are of 10⁶ bytes.
std::string resources(const JobNeeds& needs) {
  constexpr double megabytes = 1.048576;  // of a mebibyte
  std::vector<std::string> all;
  if (needs.mebibytes > 0)
    all.push_back(fmt::format("mem_mb={:.0f}", std::ceil(needs.mebibytes * megabytes)));
  if (needs.minutes > 0) all.push_back(fmt::format("runtime={}", needs.minutes));
  return all.empty() ? "" : fmt::format("    resources: {}\n", fmt::join(all, ", "));
}

}  // namespace

int tasks_of(int shards) {
  constexpr int most_tasks = 1000;
  return std::min(shards, most_tasks);
}

std::string slurm_script(const EmitOptions& o) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name=orrery
#SBATCH --array=1-{5}
#SBATCH --cpus-per-task=1
{1}#SBATCH --output=orrery-%A_%a.log
#SBATCH --requeue
# Made by: orrery plan --emit slurm. Run it with bash: it submits {0} shards as an array of {5} tasks,
# and then a job that merges their results. Options are passed to sbatch, as in: --account=NAME --time=60
# With --array=1-{5}%8 eight tasks run at once. A requeued task continues where it stopped.
set -euo pipefail
{2}name={3}
tasks={5}
{4}cd -- "$folder"
if ! "$program" --version >/dev/null; then
  echo "$program does not run on $(hostname). If it was built for a newer processor, build it with" \
    "cmake -D ORRERY_CPU_LEVEL=none" >&2
  exit 1
fi
status=0
for ((shard = SLURM_ARRAY_TASK_ID; shard <= {0}; shard += tasks)); do
  "$program" sweep "${{sweep[@]}}" "${{plugins[@]}}" --shard "$shard/{0}" \
    --threads "${{SLURM_CPUS_PER_TASK:-1}}" --out "$out" || status=$?
done
exit "$status"
)",
      o.shards, directives(o.task), assignments(o), shell_quoted(plain_name(o.name)), submission(o),
      tasks_of(o.shards));
}

// parallel reads the shards' commands as its input: it replaces {}, {#} and {= Perl =} wherever
// they stand in a command of its own, in quotes too, and nowhere in its input. Another host runs
// them by whatever shell its user has, and that runs bash.
std::string parallel_script(const EmitOptions& o) {
  return fmt::format(R"(#!/bin/bash
# Made by: orrery plan --emit parallel. Runs {0} shards with GNU parallel, as many at once as there are
# cores, and merges their results. Options are passed to parallel, as in: -j 4 --joblog jobs.log --bar
# With hosts, as in -S host1,host2, each needs this program and these folders at the same paths.
# Run it again to continue where it stopped.
set -euo pipefail
{1}export PARALLEL_SHELL=$BASH
cd -- "$folder"
for ((shard = 1; shard <= {0}; ++shard)); do
  printf -v line ' %q' "$program" sweep "${{sweep[@]}}" "${{plugins[@]}}" --shard "$shard/{0}" --threads 1 --out "$out"
  printf -v line 'cd -- %q && exec%s' "$folder" "$line"
  printf 'exec bash -c %q\n' "$line"
done | parallel --will-cite "$@"
exec "$program" merge "$out" "${{plugins[@]}}"
)",
                     o.shards, assignments(o));
}

std::string mpi_script(const EmitOptions& o) {
  return fmt::format(R"(#!/bin/bash
# Made by: orrery plan --emit mpi. Runs {0} shards in ranks of MPI, and merges their results. Options
# are passed to mpirun, as in: -n 8 --hostfile hosts
# MPIRUN=srun starts the ranks by srun. Within an allocation: mpirun -n 8 bash FILE; bash FILE merge
# Each host needs this program and these folders at the same paths.
# Run it again to continue where it stopped.
set -euo pipefail
{1}script=$(readlink -f -- "${{BASH_SOURCE[0]}}")
cd -- "$folder"
rank=${{OMPI_COMM_WORLD_RANK:-${{PMI_RANK:-}}}}
size=${{OMPI_COMM_WORLD_SIZE:-${{PMI_SIZE:-}}}}
# The script of a batch job is a process of Slurm too, and no rank of a step.
[[ -n $rank || -z ${{SLURM_STEP_ID:-}} ]] || rank=${{SLURM_PROCID:-}} size=${{SLURM_NTASKS:-}}
role=${{1:-}}
[[ -n $role || -z $rank ]] || role=rank
if [[ $role != rank ]]; then
  [[ $role == merge ]] || "${{MPIRUN:-mpirun}}" "$@" bash "$script" rank || echo "the ranks ended with status $?" >&2
  exec "$program" merge "$out" "${{plugins[@]}}"
fi
if [[ ! $rank =~ ^[0-9]+$ || ! $size =~ ^[1-9][0-9]*$ ]]; then
  echo "neither OMPI_COMM_WORLD_RANK nor PMI_RANK nor SLURM_PROCID tells a rank: start it with mpirun or srun" >&2
  exit 2
fi
# mpirun would end all ranks with the first that fails; merge says what failed.
for ((shard = rank + 1; shard <= {0}; shard += size)); do
  "$program" sweep "${{sweep[@]}}" "${{plugins[@]}}" --shard "$shard/{0}" --threads 1 --out "$out" ||
    echo "shard $shard/{0} ended with status $?" >&2
done
)",
                     o.shards, assignments(o));
}

std::string snakemake_script(const EmitOptions& o) {
  return fmt::format(
      R"(# Made by: orrery plan --emit snakemake. Runs {0} shards and merges their results, with
# snakemake --snakefile FILE --cores 4, or with its options for a cluster.
# Run it again to continue where it stopped.
import os
import subprocess

folder = {1}
program = {2}
out = {3}
sweep = {4}
plugins = {5}


workdir: os.fsdecode(os.path.join(folder, out + b".shards"))


rule merge:
    input: expand("snakemake/{6}/{{shard}}", shard=range(1, {0} + 1))
    output: touch("snakemake/{6}/merged")
{7}    run:
        subprocess.run([program, "merge", out, *plugins], cwd=folder, check=True)


rule shard:
    output: touch("snakemake/{6}/{{shard}}")
    wildcard_constraints: shard="[0-9]+"
    threads: 1
{8}    run:
        part = ["--shard", wildcards.shard + "/{0}", "--threads", str(threads), "--out", out]
        subprocess.run([program, "sweep", *sweep, *plugins, *part], cwd=folder, check=True)
)",
      o.shards, python_bytes(o.folder), python_bytes(o.program), python_bytes(path_word(o.out)),
      python_list(o.sweep), python_list(o.plugins), o.plan, resources(o.merge), resources(o.task));
}

}  // namespace orrery
