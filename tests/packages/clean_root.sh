#!/usr/bin/env bash
# Packages on systems that have nothing: debootstrap makes a minimal root, in which each package of a folder is
# installed, tried and removed. Not a test of ctest's: it needs root, a package mirror and some minutes.
#   clean_root.sh SUITE FOLDER     bookworm, trixie, or noble; FOLDER as cmake/packages/make fills it
# Packages of Debian are tried where their version is that of the suite, the archive and the wheel anywhere.
# Variables: tests/system/debian_root.sh.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/debian_root.sh
source "$here/../system/debian_root.sh"

tools=''
readonly suite=${1:-}

# What the archive expects of the system, README of docs/install.md: fonts, and OpenGL for the desktop.
readonly expected=(libstdc++6 fontconfig-config fonts-dejavu-core libegl1 libgl1 libopengl0 libgl1-mesa-dri)

main() {
  folder=$(readlink -f "${2:?a folder of packages}")
  open_root
  mkdir "$root/srv/packages" "$root/srv/try"
  cp "$folder"/* "$root/srv/packages"
  cp "$here"/try_*.sh "$root/srv/try"
  cp -r "$here/../golden/tokenizers" "$root/srv/try"
  run 'apt-get update --quiet=2'
  try_archive
  try_debian_packages
  try_wheel
  say "all of it holds"
}

# A command line in the root.
run() { in_root '' "bash -c '$1'"; }

apt_install() {
  run "DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends $* >/tmp/apt.log 2>&1" || {
    tail -n 20 "$root/tmp/apt.log"
    fail "apt-get could not install $*"
  }
}

# Nothing of a package is left behind, what was installed for others aside.
leftovers() {
  find "$root" -xdev -iname '*orrery*' -not -path "$root/srv/*" -not -path "$root/var/cache/*" \
    -not -path "$root/var/log/*" -not -path "$root/tmp/*"
}

try_archive() {
  local archive
  archive=$(compgen -G "$folder/orrery-*.tar.*" | grep -v sha256) || return 0
  say "the archive"
  apt_install xz-utils "${expected[@]}"
  run "mkdir -p \"/opt/a folder\" && tar -x -f /srv/packages/${archive##*/} -C \"/opt/a folder\""
  run "mv \"/opt/a folder\"/orrery-* /opt/moved && rmdir \"/opt/a folder\""
  run "/srv/try/try_programs.sh /opt/moved/bin /opt/moved/share" | tee "$root/srv/archive.txt"
  rm -rf "$root/opt/moved"
}

try_debian_packages() {
  local release packages=()
  # shellcheck disable=SC1091  # of the root
  release=$(. "$root/etc/os-release" && echo "${ID/debian/deb}$VERSION_ID")
  mapfile -t packages < <(find "$folder" -name "orrery*~${release}_*.deb" -printf '/srv/packages/%f\n')
  if ((${#packages[@]} == 0)); then
    say "no packages of Debian for $release"
    return
  fi
  say "${packages[@]##*/}"
  apt_install "${packages[@]}" libegl-mesa0 libgl1-mesa-dri shared-mime-info
  run "/srv/try/try_programs.sh /usr/bin /usr/share" | tee "$root/srv/debian.txt"
  if [[ -e $root/srv/archive.txt ]]; then
    # The archive comes from the oldest system, and so from another compiler.
    diff <(sed '1s/, GNU [^,]*//' "$root/srv/archive.txt") <(sed '1s/, GNU [^,]*//' "$root/srv/debian.txt") >&2 ||
      fail "the archive finds something else"
  fi
  run "/srv/try/try_installed.sh"
  say "removing them"
  run "DEBIAN_FRONTEND=noninteractive apt-get purge --quiet=2 --yes orrery orrery-dev orrery-python >/dev/null"
  [[ -z $(leftovers) ]] || fail "left behind: $(leftovers)"
}

try_wheel() {
  local wheel
  wheel=$(compgen -G "$folder/pyorrery-*.whl") || return 0
  say "the wheel"
  apt_install python3-venv python3-numpy fontconfig-config fonts-dejavu-core
  run "python3 -m venv --system-site-packages /opt/venv && /opt/venv/bin/pip install --quiet --no-index /srv/packages/${wheel##*/}"
  run "/srv/try/try_python.sh /opt/venv/bin/python"
}

main "$@"
