#!/usr/bin/env bash
# The version is set in CMakeLists.txt alone; whatever states it agrees.
#   version_test.sh TREE BUILD VERSION
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"
orrery=$2/experiments/orrery
export ORRERY_ASSETS=$1/assets

holds "it is semantic" eval "[[ $3 =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]"
equals "orrery --version says it" "orrery $3" "$("$orrery" --version | cut -d' ' -f1-2)"
"$orrery" run rotation -q --format none --out "$scratch/turns" >/dev/null
equals "manifests record it" "\"version\": \"$3\"" "$(grep -o '"version": "[^"]*"' "$scratch/turns/manifest.json" | head -1)"
equals "every man page shows it" "" "$(grep -L "orrery $3" "$2"/man/*.[17])"
equals "orrery.h has its numbers" "$3" \
  "$(sed -n 's/^#define ORRERY_VERSION_[A-Z]* //p' "$1/experiments/c/orrery.h" | paste -sd.)"
equals "CITATION.cff cites it" "version: $3" "$(grep '^version:' "$1/CITATION.cff")"
equals "CHANGELOG.md has it as the newest release" "$3" \
  "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$1/CHANGELOG.md" | head -1)"
finish
