#!/usr/bin/env bash
# The packages of Debian that cpack makes of a build. Quickly compressed: those of cmake/packages/make are smaller.
#   packages_test.sh TREE BUILD FIND_SOURCE    exits with 77, aloud, where cpack lacks what it calls
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
for tool in dpkg-shlibdeps file; do
  if ! command -v $tool >/dev/null; then
    echo "SKIPPED: there is no $tool, so that no package of Debian is made (apt install dpkg-dev file)"
    exit 77
  fi
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/orrery packages.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# What others run calls scripts that are there.
for script in $(grep -ohE '(tests/packages/[a-z_]+\.sh|cmake/packages/make)\b' "$1/.github/workflows/packages.yml" "$1/cmake/packages/Dockerfile" |
  sort -u); do
  if [[ ! -x $1/$script ]]; then
    echo "FALSE the workflow or the Dockerfile calls $script, which is not there"
    exit 1
  fi
done
needed=" $("$1/cmake/packages/make" --needed) "
for package in g++ libcairo2-dev fonts-stix patchelf; do
  if [[ $needed != *" $package "* ]]; then
    echo "FALSE cmake/packages/make --install-needed leaves $package out"
    exit 1
  fi
done
cd "$2"
cpack -G DEB -B "$folder" -D CPACK_DEBIAN_COMPRESSION_TYPE=zstd >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
ORRERY_FIND_SOURCE=$3 "$here/contents.sh" "$1" "$folder"
