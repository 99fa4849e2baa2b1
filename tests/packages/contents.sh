#!/usr/bin/env bash
# What lies in packages is complete, moves to other machines, and is small.
#   contents.sh TREE FOLDER...    folders with .deb packages, an archive, a wheel, or some of these
# ORRERY_FIND_SOURCE=ON stands for programs that were built to find the assets of TREE, and name that folder.
# shellcheck disable=SC2012,SC2016  # file names of ours, and $ORIGIN
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/../system/check.sh"

tree=$(readlink -f "$1")
readonly most_bytes=25000000
version=$(sed -nE 's/^project\(orrery VERSION (\S+).*/\1/p' "$tree/CMakeLists.txt")

main() {
  local folder package
  for folder in "${@:2}"; do
    for package in "$folder"/*; do
      case $package in
        *.deb | *.tar.xz | *.whl) check_package "$package" ;;
      esac
    done
  done
  finish
}

# check_package FILE: what all of them have in common, then what is of its kind.
check_package() {
  name=${1##*/}
  content="$scratch/${name%%[_-][0-9]*}.${name##*.}"
  mkdir "$content"
  holds "$name has at most 25 MB" test "$(stat -c %s "$1")" -le $most_bytes
  holds "$name is of version $version" contains "$name" "$version"
  case $name in
    orrery_*) unpack_debian "$1" && check_programs usr ;;
    orrery-dev_*) unpack_debian "$1" && check_development usr ;;
    orrery-python_*) unpack_debian "$1" && check_debian_python ;;
    *.tar.xz) tar -x -f "$1" -C "$content" --strip-components 1 && check_programs . && check_archive ;;
    *.whl) python3 -m zipfile -e "$1" "$content" && check_wheel ;;
  esac
  equals "$name names no folder of the machine that built it" "" "$(named_folders)"
}

unpack_debian() {
  dpkg-deb --extract "$1" "$content"
  control=$(dpkg-deb --field "$1")
  holds "$name says whom to ask" contains "$control" "Maintainer: The Orrery authors"
  local doc=$content/usr/share/doc/${name%%_*}
  holds "$name has its licence and its changes" test -s "$doc/copyright" -a -s "$doc/changelog.gz" -a -s "$doc/changelog.Debian.gz"
  equals "$name changes nothing but /usr" usr "$(ls "$content")"
}

depends_on() { grep -Eq "^Depends:.*\b$1\b" <<<"$control"; }

has() {
  local file
  for file; do holds "$name has $file" test -s "$content/$file"; done
}

# check_programs PREFIX
check_programs() {
  local share=$1/share library
  has "$1"/bin/{orrery,orrery-desktop} "$share"/applications/orrery.desktop "$share"/mime/packages/orrery.xml \
    "$share"/icons/hicolor/{scalable/apps/orrery.svg,48x48/apps/orrery.png,128x128/apps/orrery.png} \
    "$share"/bash-completion/completions/orrery "$share"/fish/vendor_completions.d/orrery.fish \
    "$share"/orrery/presets/decay_over_bases.toml
  equals "$name has every page of the manual" "$(cd "$tree/docs" && printf 'orrery-%s.7\n' *.md | sed 's/\.md//')" \
    "$(ls "$content/$share/man/man7" | sed 's/\.gz$//')"
  library=$(find "$content" -name 'liborrery.so.1.*')
  equals "$name has liborrery as its interface counts" "liborrery.so.1" "$(soname "$library")"
  if [[ $name != *.deb ]]; then return; fi
  has usr/share/man/man1/orrery.1.gz usr/share/zsh/vendor-completions/_orrery
  holds "$name depends on what it loads" depends_on libcairo2
  holds "and on the fonts that it draws with" depends_on fonts-dejavu-core
  equals "its programs look for libraries where the system does" "" "$(rpaths)"
}

soname() { readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'; }
rpaths() { elf_files | xargs -d '\n' readelf -d | grep -E '\((RUNPATH|RPATH)\)' || true; }
elf_files() { find "$content" -type f \( -path '*/bin/*' -o -name '*.so*' \); }

check_development() {
  has "$1"/include/orrery.h "$1"/include/orrery/{all,version}.h
  holds "$name has the library in C++" test -n "$(find "$content" -name liborrery_core.a)"
  holds "$name finds both by CMake and pkg-config" test -n "$(find "$content" -name orrery-config.cmake)" -a \
    -n "$(find "$content" -name orrery.pc)"
  holds "$name depends on the library of its version" contains "$control" "orrery (= $version-"
}

check_debian_python() {
  local packages=usr/lib/python3/dist-packages
  has $packages/pyorrery/__init__.py $packages/pyorrery-"$version".dist-info/METADATA
  holds "$name has its types" test -e "$content/$packages/pyorrery/py.typed"
  holds "$name depends on NumPy" depends_on python3-numpy
  holds "$name depends on the library of its version" contains "$control" "orrery (= $version-"
  holds "$name is for every architecture" contains "$control" "Architecture: all"
}

# What an ELF file needs that is not in the folder.
needed_outside() {
  elf_files | while read -r file; do readelf -d "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'; done | sort -u |
    while read -r library; do
      if [[ -z $(find "$content" -name "$library") ]]; then echo "$library"; fi
    done
}
of_the_system='^(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.'

check_archive() {
  equals "$name expects OpenGL and the compiler's libraries of the system" "" \
    "$(needed_outside | grep -Ev "$of_the_system|^lib(EGL|OpenGL|GLX)\.")"
  equals "$name finds libraries where it lies" "" "$(rpaths | grep -v '\[\$ORIGIN/')"
  holds "$name has the terms of each library it brings" test "$(ls "$content/share/doc/orrery/libraries" | wc -l)" -gt 15
}

check_wheel() {
  holds "$name is for any Python 3" contains "$name" "-py3-none-"
  equals "$name needs NumPy alone" "Requires-Dist: numpy>=1.22" \
    "$(grep '^Requires-Dist' "$content"/*.dist-info/METADATA | grep -v extra | tr -d '() ' | sed 's/:/: /')"
  has pyorrery/{__init__.py,lib/liborrery.so.1,share/orrery/presets/decay_over_bases.toml}
  equals "$name has no OpenGL in it and asks for none" "" \
    "$({ find "$content" -name '*GL*' -o -name '*glfw*'; elf_files | xargs -d '\n' readelf -d | grep -E 'NEEDED.*(GL|glfw)'; } || true)"
  if [[ $name == *manylinux* ]]; then
    equals "$name brings what it loads" "" "$(needed_outside | grep -Ev "$of_the_system")"
  fi
}

# Paths of the checkout and of a home in what is not text for people.
named_folders() {
  local allowed='^$'
  if [[ ${ORRERY_FIND_SOURCE:-} == ON ]]; then allowed=$tree/assets; fi
  find "$content" -type f -not -path '*/doc/*' -print0 | xargs -0 strings -n 8 |
    grep -F -e "$tree/" -e /home/ | grep -vxF -- "$allowed" | sort -u | head
}

main "$@"
