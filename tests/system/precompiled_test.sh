#!/usr/bin/env bash
# The second column of cmake/compiled.txt: precompiled.py finds nothing that it lacks, and would.
#   precompiled_test.sh TREE
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

holds "each target's precompiled header has what a third of its sources reach" "$here/precompiled.py" "$1"

tree=$scratch/tree
mkdir -p "$tree"/{cmake,core/words,experiments/some,app,tests}
row() { echo "experiments/some $1 8 O1" >"$tree/cmake/compiled.txt"; }
printf '#include <nlohmann/json.hpp>\n' >"$tree/core/words/json.h"
printf '#include "core/words/json.h"\n' >"$tree/core/words/more.h"
for source in a b c d; do echo '#include <vector>' >"$tree/experiments/some/$source.cpp"; done
row -
echo '#include "core/words/more.h"' >"$tree/experiments/some/a.cpp"
holds "one source of four gains nothing" "$here/precompiled.py" "$tree"
echo '#include "core/words/json.h"' >"$tree/experiments/some/b.cpp"
equals "two are told, however indirect" \
  "experiments/some: 2 of 4 sources reach json, which its precompiled header lacks" "$("$here/precompiled.py" "$tree" || true)"
holds "and fail" fails "$here/precompiled.py" "$tree"
row eigen+json
holds "until the header has it" "$here/precompiled.py" "$tree"
finish
