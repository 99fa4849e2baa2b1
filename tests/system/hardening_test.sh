#!/usr/bin/env bash
# The programs are hardened as cmake/hardening.cmake means it.
#   hardening_test.sh PROGRAM...
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

for program in "$@"; do
  name=$(basename "$program")
  header=$(readelf -hW "$program")
  segments=$(readelf -lW "$program")
  dynamic=$(readelf -dW "$program")
  symbols=$(readelf --dyn-syms -W "$program")
  holds "$name lies anywhere in memory (PIE)" grep -qE 'Type: +DYN' <<<"$header"
  holds "$name protects what the loader wrote (RELRO)" grep -q GNU_RELRO <<<"$segments"
  holds "$name binds every function at its start (full RELRO)" grep -qE 'BIND_NOW|Flags:.* NOW' <<<"$dynamic"
  holds "$name has a stack that is not executed" grep -qE 'GNU_STACK .* RW +0x' <<<"$segments"
  holds "$name notices a stack that is written over" grep -q __stack_chk_fail <<<"$symbols"
  holds "$name checks the sizes of buffers (FORTIFY)" grep -qE ' __[a-z0-9_]+_chk@' <<<"$symbols"
done
finish
