#!/usr/bin/env bash
# The scripts that `orrery plan --emit` prints, run for real: GNU parallel, Open MPI, Snakemake, and a Slurm
# of one machine on the loopback. What is not installed is skipped, and said.
# Usage: scripts_test.sh CLI ASSETS
set -euo pipefail
cli=$1
export ORRERY_ASSETS=$2
work=$(mktemp -d)
daemons=()
trap 'for pid in "${daemons[@]:-}"; do [[ -z $pid ]] || kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$work"' EXIT
cd "$work"

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

readonly sweep=(long_term_decay dim=4,8 base=100,1000 max_distance=8 --format svg)

same_as_undivided() {
  diff -r --exclude=manifest.json --exclude=.lock whole "$1" || fail "$1 differs from the undivided sweep"
}

"$cli" sweep "${sweep[@]}" --out whole --quiet

# The parallel of moreutils has the same name and other options.
if parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
  "$cli" plan "${sweep[@]}" --out by_parallel --emit parallel --shards 3 >parallel.sh
  bash parallel.sh || fail "the script for GNU parallel"
  same_as_undivided by_parallel
  bash parallel.sh || fail "the script for GNU parallel, called again"
  # Another host: ssh is a stand-in whose user has a plain shell and another folder.
  cat >far_ssh <<SSH
#!/bin/sh
shift; [ "\$1" != -- ] || shift
cd / && ORRERY_ASSETS='$ORRERY_ASSETS' exec sh -c "\$*"
SSH
  chmod +x far_ssh
  "$cli" plan "${sweep[@]}" --out "$work/by hosts" --emit parallel --shards 3 >hosts.sh
  bash hosts.sh --sshlogin "2/$work/far_ssh far" --joblog jobs.log --bar >hosts.txt 2>&1 ||
    { cat hosts.txt; fail "the script for GNU parallel, with a host"; }
  same_as_undivided "by hosts"
  (($(grep -c $'\tfar\t\|far_ssh far' jobs.log) == 3)) || { cat jobs.log; fail "jobs of another host in --joblog"; }
  grep -q '100%' hosts.txt || { cat hosts.txt; fail "the progress of GNU parallel"; }
  echo "GNU parallel: 3 shards, here and on another host, are the undivided sweep"
else
  echo "SKIPPED: GNU parallel is not installed"
fi

readonly as_root=(--allow-run-as-root --oversubscribe)
"$cli" plan "${sweep[@]}" --out by_mpi --emit mpi --shards 3 >mpi.sh
if mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
  bash mpi.sh "${as_root[@]}" -n 2 || fail "the script for MPI"
  same_as_undivided by_mpi
  bash mpi.sh "${as_root[@]}" -n 4 || fail "the script for MPI, called again with more ranks than shards"
  same_as_undivided by_mpi
  "$cli" plan "${sweep[@]}" --out by_ranks --emit mpi --shards 3 >ranks.sh
  mpirun "${as_root[@]}" -n 2 bash ranks.sh || fail "the script for MPI, as its ranks"
  [[ ! -e by_ranks ]] || fail "a rank has merged"
  bash ranks.sh merge || fail "merging what ranks have computed"
  same_as_undivided by_ranks
  echo "Open MPI: 3 shards in ranks are the undivided sweep"
else
  echo "SKIPPED: Open MPI is not installed"
fi

if command -v snakemake >/dev/null; then
  "$cli" plan "${sweep[@]}" --out by_snakemake --emit snakemake --shards 3 >job.smk
  snakemake --snakefile job.smk --cores 2 >snakemake.txt 2>&1 || { cat snakemake.txt; fail "the Snakefile"; }
  same_as_undivided by_snakemake
  snakemake --snakefile job.smk --cores 2 >snakemake.txt 2>&1 || { cat snakemake.txt; fail "the Snakefile, called again"; }
  grep -q 'Nothing to be done' snakemake.txt || fail "Snakemake computes again what is there"
  echo "Snakemake: 3 shards are the undivided sweep"
else
  echo "SKIPPED: Snakemake is not installed"
fi

"$cli" plan "${sweep[@]}" --out by_slurm --emit slurm --shards 3 >slurm.sh
bash -n slurm.sh || fail "the Slurm script is no bash"

start_slurm() {
  local host=orrery-node port
  port=$((20000 + RANDOM % 20000))
  mkdir -p state spool
  cat >slurm.conf <<CONF
ClusterName=orrery
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=300
MaxArraySize=4
NodeName=$host NodeHostname=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$work/slurm.conf
  # A host name of its own, without touching the machine's.
  unshare --uts bash -c "hostname $host && exec slurmctld -D" >/dev/null 2>&1 &
  daemons+=($!)
  unshare --uts bash -c "hostname $host && exec slurmd -D -N $host" >/dev/null 2>&1 &
  daemons+=($!)
  for _ in {1..60}; do
    [[ $(sinfo --noheader --format=%t 2>/dev/null) == idle ]] && return 0
    sleep 0.5
  done
  return 1
}

wait_for_jobs() {
  for _ in {1..240}; do
    [[ -z $(squeue --noheader 2>/dev/null) ]] && return 0
    sleep 0.5
  done
  squeue
  return 1
}

if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v sbatch >/dev/null; then
  echo "SKIPPED: slurmctld, slurmd and sbatch are not all installed"
elif [[ $(id -u) != 0 ]] || ! unshare --uts true 2>/dev/null; then
  echo "SKIPPED: Slurm's daemons need root and a host name of their own"
elif ! start_slurm; then
  echo "SKIPPED: this Slurm does not come up:"
  tail -n 5 slurmctld.log slurmd.log 2>/dev/null || true
else
  bash slurm.sh --array=1-3%1 || fail "submitting the Slurm script"
  # Of the job that merges; the tasks have the same, estimated from samples.
  squeue --noheader --format='%j %l %m %K' | grep -q 'merge 10:00 256M N/A' ||
    { squeue --format='%j %l %m %K'; fail "time and memory of the job that merges"; }
  wait_for_jobs || fail "the Slurm jobs do not end"
  [[ -f by_slurm/results.csv ]] || { cat by_slurm.shards/logs/*.log; fail "Slurm's jobs wrote no merged sweep"; }
  same_as_undivided by_slurm
  echo "Slurm: an array of 3 jobs and the job that merges them are the undivided sweep"
  "$cli" plan "${sweep[@]}" --out too_many --emit slurm --shards 4 --no-sample >many.sh
  if bash many.sh >many.txt 2>&1; then fail "an array that is longer than MaxArraySize was submitted"; fi
  grep -q -- '--shards 3 or fewer' many.txt || { cat many.txt; fail "what is said of MaxArraySize"; }
  (MPIRUN=srun bash mpi.sh -n 2 --overlap) || fail "the script for MPI, by srun"
  same_as_undivided by_mpi
  # A batch job that starts the ranks itself.
  "$cli" plan "${sweep[@]}" --out by_batch --emit mpi --shards 3 >batch.sh
  MPIRUN=srun sbatch --ntasks=2 --output=batch.txt --wrap "bash batch.sh" || fail "submitting the script for MPI"
  wait_for_jobs || fail "the batch job of MPI does not end"
  [[ -f by_batch/results.csv ]] || { cat batch.txt; fail "a batch job of MPI wrote no merged sweep"; }
  same_as_undivided by_batch
  echo "Slurm: ranks started by srun are the undivided sweep"
  # hostile_scripts_test.sh has many more names, for a stand-in of sbatch.
  hostile=('%j %A{}' 'back\slash %a' $'a\'"$(touch CANARY);\n#SBATCH --wrap=x\n' '-n' $'\u202Eü\e[2J')
  for name in "${hostile[@]}"; do
    (mkdir -- "./$name" && cd -- "./$name" &&
      "$cli" plan long_term_decay dim=4,8 max_distance=8 --format none --shards 2 --no-sample --out="$name" --emit slurm \
        >job.sh && bash job.sh) || fail "submitting a script of the folder $name"
  done
  wait_for_jobs || fail "the Slurm jobs with hostile names do not end"
  for name in "${hostile[@]}"; do
    [[ -f ./$name/$name/results.csv && -d ./$name/$name.shards/2-of-2 ]] ||
      { ls -R "./$name"; fail "no merged sweep in the folder $name"; }
    logs=("./$name/$name.shards/logs"/*_[12].log)
    ((${#logs[@]} == 2)) || fail "the logs of $name are not where they belong"
  done
  [[ -z $(find . -name CANARY) ]] || fail "a name was run as a command"
  echo "Slurm: ${#hostile[@]} hostile names of folders and sweeps are names"
fi
