#!/usr/bin/env bash
# 200 shards of one sweep as an engine may run them: in any order, some twice at once, some killed, and those
# again. Merged they are the undivided sweep.
# Usage: many_shards_test.sh CLI ASSETS
set -euo pipefail
cli=$1
export ORRERY_ASSETS=$2
# shellcheck source=tests/system/check.sh
source "$(dirname "$0")/check.sh"
cd "$scratch"

readonly shards=200
sweep=(sweep rotation "distance=range(0,$((3 * shards - 1)),1)" --format none --quiet --threads 1)
"$cli" "${sweep[@]}" --out whole

# Every shard in an order that is always the same; each fifth stands there three times, so that it runs at once.
order() {
  seq $shards | shuf --random-source="$cli" | awk '{ print; if ($1 % 5 == 1) { print; print } }'
}

# One of four is killed within the time that it takes.
run_shard() {
  local shard=$1 status=0 within=()
  ((shard % 4)) || within=(timeout --signal=KILL "0.0$((RANDOM % 90 + 10))")
  "${within[@]}" "${@:2}" --shard "$shard/200" 2>"said.$$" || status=$?
  case $status in
    0) echo computed ;;
    6) if grep -q "is being written by " "said.$$"; then echo refused; else cat "said.$$"; fi ;;
    137) echo killed ;;
    *) echo "status $status" && cat "said.$$" ;;
  esac
}
export -f run_shard

order | xargs -P 6 -I{} bash -c 'run_shard "$@" 2>/dev/null' run {} "$cli" "${sweep[@]}" --out parts >outcomes
# A shard waits a moment for its folder, and most are done by then: one is halted somewhere, until it holds up another.
for _ in {1..200}; do
  if grep -q -x refused outcomes; then break; fi
  "$cli" "${sweep[@]}" --out parts --shard 1/$shards 2>/dev/null &
  sleep "$(printf '0.%03d' $((RANDOM % 40)))"
  kill -STOP $! 2>/dev/null || true
  run_shard 1 "$cli" "${sweep[@]}" --out parts >>outcomes
  kill -CONT $! 2>/dev/null || true
  wait $! || true
done
sort outcomes | uniq -c
if grep -v -x -e computed -e refused -e killed outcomes; then fail "a shard ended otherwise"; fi
for outcome in computed refused killed; do grep -q -x "$outcome" outcomes || fail "no shard was $outcome"; done

"$cli" merge parts --quiet 2>/dev/null || true # what there is, and once more with the rest
seq $shards | xargs -P 2 -I{} "$cli" "${sweep[@]}" --out parts --shard {}/$shards || fail "shards, run again"
"$cli" merge parts --quiet || fail "merging the shards"
diff -r --exclude=manifest.json --exclude=.lock whole parts || fail "the merged sweep differs from the undivided one"
echo "$shards shards, some refused and some killed, are the undivided sweep"
