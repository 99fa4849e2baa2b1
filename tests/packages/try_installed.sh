#!/usr/bin/env bash
# What the packages of Debian bring beside the programs is where the system looks for it.
set -euo pipefail
cd /tmp
test -s /usr/share/man/man1/orrery.1.gz
test -s /usr/share/man/man7/orrery-sweeps.7.gz
test -s /usr/share/zsh/vendor-completions/_orrery
test -s /usr/share/fish/vendor_completions.d/orrery.fish
test -s /usr/share/icons/hicolor/scalable/apps/orrery.svg
grep -qx 'Exec=orrery-desktop %f' /usr/share/applications/orrery.desktop
for type in 'x-safetensors:\*.safetensors' 'x-orrery-sweep+toml:\*.sweep.toml'; do
  grep -q "application/$type" /usr/share/mime/globs2 || { echo "no MIME type $type" >&2; exit 1; }
done
ldconfig -p | grep -q liborrery.so.1
"$(dirname "$0")/try_python.sh" python3
echo "man pages, completions, menu, MIME types, library and Python are there"
