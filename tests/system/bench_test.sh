#!/usr/bin/env bash
# The table of ./orrery bench: what it prints and refuses. How long things take is nobody's failure.
set -uo pipefail
bench=$1
orrery=$2
source "$(dirname "$0")/check.sh"

status_of() {
  out=$("$@" 2>"$scratch/err")
  status=$?
  err=$(<"$scratch/err")
}

status_of "$bench" --only "RoPE with its tables, halves"
equals "a table of one row is printed" 0 "$status"
holds "it says on what" contains "$out" "One thread, kernels for "
holds "and names its columns" contains "$out" "share of the limit"
holds "the row has its time and the share of a copy" \
  grep -Eq '^RoPE with its tables, halves, \[4096, 128\] +[0-9]+\.[0-9]{3} copy +[0-9]+ % \([0-9]+ to [0-9]+\) *$' <<<"$out"
equals "no other row is printed" 1 "$(grep -c 'RoPE\|attention\|decay' <<<"$out")"

status_of "$bench" --only decay --peers "$scratch/no-python"
equals "peers that are not there are an error" 1 "$status"
holds "which says what was tried and needed" contains "$err" "no-python does not run"

cat >"$scratch/peer" <<'PEER'
#!/bin/bash
echo "PyTorch of a test"
while read -r operation; do
  [[ $operation == "rope 4096 128" ]] && echo 1.0 || echo none
done
PEER
chmod +x "$scratch/peer"
status_of "$bench" --only "RoPE with its tables, halves" --peers "$scratch/peer"
equals "a table with a peer is printed" 0 "$status"
holds "it names the peer" contains "$out" "in turns with PyTorch of a test"
holds "and how many times as fast" grep -Eq ' 1000\.000 +[0-9]+\.[0-9]{2} \([0-9.]+ to [0-9.]+\)' <<<"$out"

status_of "$bench" --only "RoPE with its tables, halves" --record "$scratch/record.json"
equals "what was measured is kept" 0 "$status"
holds "with the machine" grep -q '"cpu": "' "$scratch/record.json"
status_of "$bench" --only "RoPE with its tables" --against "$scratch/record.json"
holds "and compared with" contains "$out" "cost before over cost now"
holds "operation by operation" \
  grep -Eq '^RoPE with its tables, halves, \[4096, 128\]( +[0-9]+\.[0-9]{3}){3}( (SLOWER|faster))? *$' <<<"$out"
holds "one that is new alone" grep -Eq '^RoPE with its tables.* - +[0-9]+\.[0-9]{3} +- *$' <<<"$out"
tr -d "\n" <"$scratch/record.json" | sed 's/"costs": \[[^]]*\]/"costs": [1,1,1,1,1,1,1]/' >"$scratch/fast.json"
status_of "$bench" --only "RoPE with its tables, halves" --against "$scratch/fast.json"
equals "what has become slower is an error" 1 "$status"
holds "which is named" grep -Eq '^RoPE with its tables, halves.* SLOWER$' <<<"$out"
echo '{"schema": "another"}' >"$scratch/none.json"
status_of "$bench" --against "$scratch/none.json"
equals "what is no record is refused before anything is measured" 1 "$status"
holds "by its name" contains "$err" "none.json: is no record of a benchmark"

status_of "$bench" --levels --only "RoPE with its tables, halves"
equals "the levels of the kernels are compared" 0 "$status"
holds "from the lowest on" grep -Eq '^operation +baseline' <<<"$out"
holds "with a time of each" grep -Eq '^RoPE with its tables, halves, \[4096, 128\]( +[0-9]+\.[0-9]{3})+ ' <<<"$out"

status_of "$bench" --level baseline --only "RoPE with its tables, halves"
equals "one of them takes the place of the best" 0 "$status"
holds "and is named with the processor" grep -Eq '^One thread, kernels for baseline on .+, medians' <<<"$out"
status_of "$bench" --level none
equals "another is refused" 2 "$status"

status_of "$bench" --threads 3 --only "attention, causal, N = 1024"
equals "numbers of threads are compared" 0 "$status"
holds "one with the other" grep -Eq '^operation +one thread +3 threads' <<<"$out"
holds "with a time of each" grep -Eq '^attention, causal, N = 1024( +[0-9]+\.[0-9]{3}){2} ' <<<"$out"

status_of "$bench" --only growth --largest 512 --figure "$scratch/growth"
equals "the growth with N is printed" 0 "$status"
equals "one line per N" 2 "$(grep -Ec '^(256|512)( +[0-9]+\.[0-9]{2} +[0-9]+\.[0-9]){3}$' <<<"$out")"
holds "and drawn" test -s "$scratch/growth/figures/time.svg" -a -s "$scratch/growth/tables/growth.csv"
status_of "$orrery" redraw "$scratch/growth" --out "$scratch/again" --format pdf
equals "by what draws results" 0 "$status"
holds "which draws it again" test -s "$scratch/again/memory.pdf"

status_of "$bench" --processes --only "attend, none"
equals "an attended head is timed" 0 "$status"
status_of "$bench" --processes --only "4096 distances"
equals "whole processes are timed" 0 "$status"
holds "with their time and memory" grep -Eq '^8 figures of the decay as PNG, 4096 distances +[0-9]+\.[0-9] +[0-9]+$' <<<"$out"

for wrong in "--levels --record x" "--largest 255" "--rounds 3" "--rounds x" "--threads 1" "--fast"; do
  # shellcheck disable=SC2086
  status_of "$bench" $wrong
  equals "$wrong is refused" 2 "$status"
done
finish
