#!/usr/bin/env bash
# assets/licenses.md has a row for each library that CMake looks for and that the programs load.
#   licenses_test.sh TREE PROGRAM...
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

tree=$1
shift
rows=$(grep '^|' "$tree/assets/licenses.md")
column() { cut -d '|' -f "$1" <<<"$rows" | tr ' ' '\n' | sed '/^$/d' | sort -u; }
found=$(column 3)
files=$(column 4)
names_row() { grep -qxF -- "$1" <<<"$2"; }

# What the programs are built with stands before what the tests are.
program_part=$(sed '/^if(ORRERY_TESTS)/,$d' "$tree/cmake/dependencies.cmake")
wanted=$(sed -nE 's/^ *find_package\(([A-Za-z0-9_]+).*/\1/p; s/^ *pkg_check_modules\([A-Z]+ REQUIRED IMPORTED_TARGET ([a-z0-9-]+).*/\1/p' \
  <<<"$program_part" | grep -vx PkgConfig)
holds "there are libraries to look for" test "$(wc -l <<<"$wanted")" -gt 12
for library in $wanted; do
  holds "$library has a row" names_row "$library" "$found"
done
for program in "$@"; do
  for file in $(readelf -d "$program" | sed -nE 's/.*\(NEEDED\).*\[([^]]+)\].*/\1/p'); do
    stem=$(sed -E 's/\.so.*//; s/-[0-9]+\.[0-9.]+$//' <<<"$file")
    holds "$file, which $(basename "$program") loads, has a row" names_row "$stem" "$files"
  done
done
empty=$(awk -F '|' 'NR > 2 && ($6 ~ /^ *$/ || $7 ~ /^ *$/)' <<<"$rows")
equals "each row has a licence and whose it is" "" "$empty"
finish
