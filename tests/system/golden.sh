#!/usr/bin/env bash
# Every golden file has a row in the README beside it, and the row a generator that is there.
#   golden.sh FOLDER    prints what is missing, fails when anything is
# A row starts with | `file` | `generator` |; file may be a pattern: `npy/*.npy`.
set -euo pipefail
cd "$1"
broken=0

missing() {
  echo "$1"
  broken=1
}

# What a row says, "pattern generator", one row per line.
rows=$(sed -nE 's/^\| `([^`]+)` \| `([^`]+)` \|.*/\1 \2/p' README.md)

generator_of() {
  local pattern generator
  while read -r pattern generator; do
    # shellcheck disable=SC2053  # a pattern is meant
    if [[ $1 == $pattern ]]; then
      echo "$generator"
      return
    fi
  done <<<"$rows"
}

check_data() {
  local generator
  generator=$(generator_of "$1")
  if [[ -z $generator ]]; then
    missing "$1 has no row in README.md"
  elif [[ ! -f $generator ]]; then
    missing "$1 is said to come from $generator, which is not there"
  elif [[ $1 == *.json && $1 != */config.json && $1 != *.index.json ]]; then  # those are files of models
    if ! grep -q "\"generator\": *\"tests/golden/$generator\"" "$1"; then missing "$1 does not name $generator"; fi
    if ! grep -q '"versions": *{' "$1"; then missing "$1 names no versions"; fi
  fi
}

check_generator() {
  if ! grep -q " $1\$" <<<"$rows"; then missing "$1 writes nothing that README.md has a row for"; fi
}

check_row() {
  if ! compgen -G "$1" >/dev/null; then missing "README.md has a row for $1, which is not there"; fi
}

while IFS= read -r file; do
  file=${file#./}
  case $file in
    README.md) ;;
    compare_*.py) ;;  # compares with what it draws, and writes nothing
    *.py) check_generator "$file" ;;
    *) check_data "$file" ;;
  esac
done < <(find . -type f ! -path '*/__pycache__/*' | sort)
while read -r pattern _; do check_row "$pattern"; done <<<"$rows"
exit $broken
