#!/usr/bin/env bash
# The archive and the wheel compute on the first CPU of x86-64, which qemu-user stands for: an instruction of a later
# one ends the program.
#   oldest_cpu.sh FOLDER     as cmake/packages/make fills it; exits with 77, aloud, where there is no qemu-x86_64
# shellcheck disable=SC2016  # for eval
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/../system/check.sh"
if ! command -v qemu-x86_64 >/dev/null; then
  echo "SKIPPED: there is no qemu-x86_64, so that no older CPU is tried (apt install qemu-user)"
  exit 77
fi
readonly python=${PYTHON:-/usr/bin/python3}
oldest() { qemu-x86_64 -cpu Opteron_G1 "$@"; }

archive=$(find "$1" -name 'orrery-*.tar.xz')
mkdir "$scratch/archive"
tar -x -f "$archive" -C "$scratch/archive" --strip-components 1
orrery=$scratch/archive/bin/orrery
holds "the program turns vectors" eval 'oldest "$orrery" apply encoding=rope dim=8 --positions 0..4 >"$scratch/old.txt"'
equals "as it does on this CPU" "$("$orrery" apply encoding=rope dim=8 --positions 0..4)" "$(<"$scratch/old.txt")"
holds "it runs experiments and draws them" oldest "$orrery" run long_term_decay dim=32 max_distance=20 \
  --out "$scratch/decay" --quiet
holds "it attends" oldest "$orrery" verify --only ALiBi --draws 1 --quiet

wheel=$(find "$1" -name 'pyorrery-*.whl')
if "$python" -c 'import numpy' 2>/dev/null; then
  "$python" -m zipfile -e "$wheel" "$scratch/wheel"
  holds "liborrery computes from Python" env PYTHONPATH="$scratch/wheel" OPENBLAS_CORETYPE=Prescott \
    qemu-x86_64 -cpu Opteron_G1 "$python" -c '
import numpy, pyorrery
x = numpy.ones((3, 8), numpy.float32)
assert numpy.isfinite(pyorrery.attend(x, x, x, "rope").output).all()
assert pyorrery.check_rope(lambda x, at: pyorrery.apply(x, "rope", at), "rope")'
else
  echo "SKIPPED: $python has no numpy, so that the wheel is not tried"
fi
finish
