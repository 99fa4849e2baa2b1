#!/usr/bin/env bash
# liborrery shows the functions of orrery.h and nothing else, and needs no library of a desktop.
#   exports_test.sh TREE LIBRARY
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

declared=$(grep -o 'ORRERY_API.*' "$1/experiments/c/orrery.h" | grep -o 'orrery_[a-z_]*(' | tr -d '(' | sort)
equals "it exports what orrery.h declares" "$declared" \
  "$(nm -D --defined-only "$2" | awk '$2 != "A" { print $3 }' | sort)"
equals "its name has the version of the interface" \
  "liborrery.so.$(sed -n 's/^#define ORRERY_ABI_VERSION //p' "$1/experiments/c/orrery.h")" \
  "$(readelf -d "$2" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
equals "it needs neither OpenGL nor a window" "" "$(readelf -d "$2" | grep NEEDED | grep -E 'GL|glfw|imgui' || true)"
finish
