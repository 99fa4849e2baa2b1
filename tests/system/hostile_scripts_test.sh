#!/usr/bin/env bash
# The scripts that `orrery plan --emit` prints, run for real with names that somebody else chose: of the
# folder they start in, of the sweep's file, of a text it reads, and of --out. Each has to end with the
# right folders and with nothing else, above all without the file CANARY, which the names ask for.
# sbatch is a stand-in that does what Slurm's does with directives, arguments, patterns and standard
# input; GNU parallel, Open MPI and Snakemake are the real ones, where they are installed.
# Of the names, a seventh (sampled.sh).
# Usage: hostile_scripts_test.sh CLI ASSETS
set -uo pipefail
cli=$1
# shellcheck source=tests/system/sampled.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/sampled.sh"
export ORRERY_ASSETS=$2
work=$(mktemp -d)
trap 'wait; rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_MCA_orte_tmpdir_base=$work  # two tests that begin in one moment make one folder in /tmp

long=$(printf 'long%.0s' {1..40})
names=(
  plain 'two words' ' leading space' 'trailing space ' $'tab\tbed' $'line\nbreak' $'decay\ntouch CANARY\n#'
  $'#\n#SBATCH --wrap=touch CANARY' '#comment' "it's" '"double"' "'single'" "a'; touch CANARY; '" '"; touch CANARY; "'
  '$(touch CANARY)' '`touch CANARY`' '${IFS}touch${IFS}CANARY' '$HOME' '{}' '{#}' '{%}' '{.}' '{1}' '{= system(q(touch CANARY)) =}'
  '{=touch=}' 'x{}y' '%j' '%A_%a' '%%' '%x%j%N' '-leading' '--wrap=touch CANARY' '-n' ';touch CANARY' '|touch CANARY'
  '&touch CANARY' '>CANARY' '*' '?' '[a-z]' '~' '~root' '!!' '\' 'back\slash' '\n' 'über 中 θ' $'e\u0301' $'\u202Egnp'
  $'\e[2Jclear' $'\e]0;title\a' $'bell\a' $'\x7fdel' $'bad\xff\xfeutf' 'EOF' $'EOF\ntouch CANARY' '(a b)' '<(touch CANARY)' 'a=b' "$long"
)

mkdir bin
cat >bin/sbatch <<'SBATCH'
#!/usr/bin/env bash
# Directives are comments before the first command; arguments win over them.
set -euo pipefail
array='' chdir=$PWD output='' script=''
scan() {
  case $1 in
    --array=*) array=${1#*=} ;;
    --chdir=*) chdir=${1#*=} ;;
    --output=*) output=${1#*=} ;;
    --wrap=*) echo "--wrap is not expected" >&2; exit 1 ;;
  esac
}
spool=$(mktemp -p "$SPOOL")
options=()
for word; do [[ $word == -* && -z $script ]] && options+=("$word") || script=$word; done
if [[ -n $script ]]; then cat -- "$script" >"$spool"; else cat >"$spool"; fi
while IFS= read -r line && [[ $line == '#'* || -z $line ]]; do
  [[ $line != '#SBATCH '* ]] || scan "${line#'#SBATCH '}"
done <"$spool"
for option in "${options[@]}"; do scan "$option"; done
[[ $output =~ ^([A-Za-z%_-]+\.log|/dev/null)$ ]] || { echo "the pattern $output has somebody's words" >&2; exit 1; }
[[ $output == /dev/null || $chdir != *[%\\]* ]] || { echo "Slurm reads % and \\ in $chdir" >&2; exit 1; }
[[ $output != /dev/null ]] || chdir=$(mktemp -d -p "$SPOOL")
echo 17
tasks=${array##*-}
for ((task = 1; task <= ${tasks:-0}; ++task)); do
  (cd -- "$chdir" && SLURM_ARRAY_JOB_ID=17 SLURM_ARRAY_TASK_ID=$task exec bash "$spool" >"task-$task.log" 2>&1)
done
[[ -n $array ]] || (cd -- "$chdir" && SLURM_JOB_ID=18 exec env -u SLURM_ARRAY_TASK_ID bash "$spool" >merge.log 2>&1)
SBATCH
chmod +x bin/sbatch
export PATH=$work/bin:$PATH SPOOL=$work/spool
mkdir spool
cat >sweep.toml <<'TOML'
experiment = "attention_map"
draws = 2
[params]
contents = "random"
dim = 4
max_tokens = 2
[sweep]
base = "uniform(10,20)"
TOML

engines=(slurm)
offer() { if "${@:3}" 2>/dev/null | grep -q "$2"; then engines+=("$1"); else echo "SKIPPED for $2, which is not installed"; fi; }
offer parallel 'GNU parallel' parallel --version
offer mpi 'Open MPI' mpirun --version
offer snakemake 'Snakemake' snakemake --help

# run_script ENGINE FILE: the caches of engines stay out of the folder of the name.
run_script() {
  case $1 in
    slurm) bash "$2" ;;
    parallel) bash "$2" --sshlogin "1/$work/bin/far_ssh far,:" ;;
    # Open MPI makes one folder in the temporary folder for all that run, and two at once may fail at that.
    mpi) TMPDIR=$(mktemp -d -p "$work") bash "$2" --allow-run-as-root --oversubscribe -n 2 ;;
    snakemake) (cd .. && snakemake --snakefile "${2##*/}" --cores 1) ;;
  esac
}
cat >bin/far_ssh <<SSH
#!/bin/sh
shift; [ "\$1" != -- ] || shift
cd / && ORRERY_ASSETS='$ORRERY_ASSETS' exec sh -c "\$*"
SSH
chmod +x bin/far_ssh

# In a folder of the name: prints what is wrong, and nothing where all is right.
try_name() {
  local name=$1 text=$1.txt how out wanted found
  mkdir -p -- "./$name" && cd -- "./$name" || return 0
  cp ../../sweep.toml "./$name.toml"
  # plan.json holds the text's name, and JSON is UTF-8.
  iconv -f utf-8 -t utf-8 <<<"$name" >/dev/null 2>&1 || text=text.txt
  echo 'a text' >"./$text"
  wanted=("$name.toml" "$text")
  for how in "${engines[@]}"; do
    out=$name.$how
    # Snakemake reads the path of its folder as a pattern, so plan prints no script for one with braces.
    if [[ $how == snakemake && $out == *[{}]* ]]; then
      "$cli" plan "./$name.toml" "text=$text" --no-sample --out="$out" --emit snakemake >../job.sh 2>../err.txt
      [[ $? == 2 && ! -s ../job.sh ]] || echo "snakemake: braces are not refused"
      continue
    fi
    wanted+=("$out" "$out.shards")
    "$cli" plan "./$name.toml" "text=$text" --format none --shards 2 --no-sample --out="$out" --emit "$how" \
      >../job.sh 2>../err.txt || { cat ../err.txt; continue; }
    grep -aqP '[\x00-\x08\x0b-\x1f\x7f]' ../job.sh && echo "$how: the script has control characters"
    grep '^#' ../job.sh | grep -vqE '^#(!/bin/bash|SBATCH --[a-z-]+(=[A-Za-z0-9%_.-]+)?| [A-Za-z].*)$' &&
      echo "$how: a comment has somebody's words"
    run_script "$how" ../job.sh >../err.txt 2>&1 || { echo "$how: the script failed"; cat ../err.txt; }
    [[ -f ./$out/results.csv && -d ./$out.shards/1-of-2 ]] || { echo "$how: no merged sweep"; tail -n 3 ./"$out.shards"/logs/*; }
  done
  shopt -s dotglob
  found=$(printf '%q\n' * | sort)
  wanted=$(printf '%q\n' "${wanted[@]}" | sort)
  [[ $found == "$wanted" ]] || printf 'wanted:\n%s\nfound:\n%s\n' "$wanted" "$found"
}

tried=0
for i in "${!names[@]}"; do
  is_tried "$i" || continue
  ((++tried))
  while (($(jobs -pr | wc -l) >= 2)); do wait -n; done
  { mkdir "$i" && cd "$i" && try_name "${names[i]}"; } >"said-$i" 2>&1 &
done
wait

failed=0
for i in "${!names[@]}"; do
  [[ ! -s said-$i ]] && continue
  printf 'FAILED: %q\n' "${names[i]}"
  cat "said-$i"
  failed=1
done
[[ -z $(find "$work" -name CANARY -print) ]] || { echo "FAILED: a name was run as a command"; failed=1; }
((!failed)) && echo "$tried of ${#names[@]} names, each in scripts for: ${engines[*]}"
exit "$failed"
