#!/usr/bin/env bash
# Two machines that share a disk run the same shard at once, and one of them dies in the middle. They are
# processes with network, host name and process numbers of their own; what flock does there is injected.
# Usage: two_machines_test.sh CLI ASSETS
set -euo pipefail
cli=$1
export ORRERY_ASSETS=$2
# shellcheck source=tests/system/check.sh
source "$(dirname "$0")/check.sh"
trap 'jobs -p | xargs -r kill -9 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT
cd "$scratch"

# machine NAME PROGRAM...: as on a machine of this name, which has a kernel of its own. It ends with this
# process, as when its power fails.
isolated=(unshare --net --uts --mount --pid --fork --kill-child=KILL)
machine() {
  # shellcheck disable=SC2016  # of the shell within
  exec "${isolated[@]}" bash -c 'hostname "$1" && echo "kernel-of-$1" >"$2/$1" &&
    mount --bind "$2/$1" /proc/sys/kernel/random/boot_id && shift 2 && exec "$@"' machine "$1" "$scratch" "${@:2}"
}

if ! strace -o /dev/null true 2>/dev/null; then
  echo "SKIPPED: strace is not installed, or this system lets nobody be traced"
  exit 0
fi
(machine trial true) 2>/dev/null || isolated=(unshare --map-root-user "${isolated[@]:1}")
if ! (machine trial true) 2>/dev/null; then
  echo "SKIPPED: this user may not make namespaces"
  exit 0
fi

sweep=(sweep long_term_decay dim=512 max_distance=500 "base=logspace(3,6,40)" --format none --quiet --threads 1)

# on MACHINE MODE OUT WORDS...: a shard there, which waits long for its disk. MODE is what locks are: working,
# missing, or each machine's own.
on() {
  local name=$1 mode=$2 out=$3
  shift 3
  local inject=(-e inject=fsync:delay_exit=250000)
  case $mode in
    missing) inject+=(-e inject=flock:error=ENOLCK) ;;
    own) inject+=(-e inject=flock:retval=0) ;;
  esac
  machine "$name" strace -f -qq --seccomp-bpf -o /dev/null -e trace=flock,fsync "${inject[@]}" \
    "$cli" "${sweep[@]}" --out "$out" "$@"
}

journal_lines() { if [[ -f $1/journal.jsonl ]]; then wc -l <"$1/journal.jsonl"; else echo 0; fi; }

await_points() {
  for _ in {1..600}; do
    (($(journal_lines "$1") >= $2)) && return 0
    sleep 0.05
  done
  fail "$1 has no $2 points"
}

same_as_undivided() {
  diff -r --exclude=manifest.json --exclude=.lock whole "$1" || fail "$1 differs from the undivided sweep"
  (($(cut -d, -f1 "$1/results.csv" | sort | uniq -d | wc -l) == 0)) || fail "$1 has rows twice"
  [[ $(sort "$1/results.jsonl" | uniq -d) == "" ]] || fail "$1 has lines twice"
}

# refused OUT: the shard that near has is refused to far, which says by whom.
refused() {
  local status=0
  (on far "$2" "$1" --shard 1/2) 2>"$1.refused" || status=$?
  ((status == 6)) || { cat "$1.refused"; fail "$2: the second ended with $status"; }
  grep -q "1-of-2: is being written by process [0-9]* on near" "$1.refused" ||
    { cat "$1.refused"; fail "$2: what the second says"; }
}

# killed MODE: near is killed in the middle, and far takes over.
killed() {
  local out=killed_$1 shard=killed_$1.shards/1-of-2 first status
  on near "$1" "$out" --shard 1/2 2>/dev/null &
  first=$!
  await_points "$shard" 2
  refused "$out" "$1"
  status=0
  "$cli" merge "$out" -q 2>"$out.merged" || status=$?
  if ((status != 6)) || ! grep -q "1-of-2 is being written by process [0-9]* on near: merge again" "$out.merged"; then
    cat "$out.merged"
    fail "$1: merging what is being written ended with $status"
  fi
  { kill -9 "$first" && wait "$first"; } 2>/dev/null || true
  local before
  before=$(journal_lines "$shard")
  ((before < 20)) || fail "$1: the first was not killed in the middle"
  (on far "$1" "$out" --shard 1/2) 2>"$out.taken" || { cat "$out.taken"; fail "$1: nobody took over"; }
  finish "$out"
  echo "locks $1: killed after $before of 20 points, and taken over"
}

finish() {
  "$cli" "${sweep[@]}" --out "$1" --shard 2/2
  "$cli" merge "$1" -q
  same_as_undivided "$1"
}

# stopped MODE: near stands still for longer than it is waited for, and finds its successor.
stopped() {
  local out=stopped_$1 shard=stopped_$1.shards/1-of-2 first status=0
  (on near "$1" "$out" --shard 1/2) 2>"$out.first" &
  first=$!
  await_points "$shard" 2
  signal_all "$first" STOP
  (on far "$1" "$out" --shard 1/2) 2>"$out.taken" &
  local second=$!
  for _ in {1..600}; do
    grep -q 'taken over from process [0-9]* on near' "$out.taken" 2>/dev/null && break
    sleep 0.1
  done
  await_points "$shard" "$(($(journal_lines "$shard") + 1))"
  signal_all "$first" CONT
  wait "$first" || status=$?
  ((status == 6)) || { cat "$out.first"; fail "$1: who was taken over ended with $status"; }
  grep -q "is being written by process [0-9]* on far" "$out.first" ||
    { cat "$out.first"; fail "$1: what is said to who was taken over"; }
  wait "$second" || { cat "$out.taken"; fail "$1: the successor"; }
  finish "$out"
  echo "locks $1: stood still, was taken over, and wrote no more"
}

# signal_all PID SIGNAL: to the program itself, below shells, namespace and tracer.
signal_all() {
  local pid=$1 child
  while child=$(pgrep -P "$pid" | head -n 1) && [[ -n $child ]]; do pid=$child; done
  kill -s "$2" "$pid"
}

"$cli" "${sweep[@]}" --out whole
pids=()
for test in "killed working" "killed missing" "killed own" "stopped missing" "stopped own"; do
  # shellcheck disable=SC2086  # a function and its word
  (trap - EXIT; $test) &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "see above"; done
