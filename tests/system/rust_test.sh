#!/usr/bin/env bash
# docs/examples/identify.rs, built by rustc against the shared library, names the mistake it makes.
#   rust_test.sh TREE LIBRARY    exits with 77, aloud, where there is no rustc
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"
if ! rustc --version >/dev/null 2>&1; then
  echo "SKIPPED: there is no rustc, so that the example in Rust is not built (apt install rustc)"
  exit 77
fi

folder=$(dirname "$2")
holds "it is built without a warning" rustc --edition 2021 -D warnings -L "$folder" -l orrery -o "$scratch/identify" \
  "$1/docs/examples/identify.rs"
found=$(LD_LIBRARY_PATH=$folder ORRERY_ASSETS=$1/assets "$scratch/identify")
equals "it names the mistake" "halves: as expected true, half_split pairs; base 10000; precision exact
neighbours: as expected false, interleaved pairs; base 10000; precision exact" "$(head -2 <<<"$found")"
holds "and what is refused, with its remedy" contains "$(tail -1 <<<"$found")" "did you mean encoding=rope?"
finish
