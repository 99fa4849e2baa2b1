#!/usr/bin/env bash
# What is installed is complete: the programs, the data, and a core that a stranger can build upon.
#   install_test.sh TREE BUILD COMPILER
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

tree=$1
compiler=$3
files_of() { (cd "$1" 2>/dev/null && find . -type f | sort) || true; }

cmake --install "$2" --prefix "$scratch/prefix" >"$scratch/log" || cat "$scratch/log"
holds "the command line is installed" test -x "$scratch/prefix/bin/orrery"
holds "the desktop is installed" test -x "$scratch/prefix/bin/orrery-desktop"
holds "its man page is installed" test -f "$scratch/prefix/share/man/man1/orrery.1"
equals "and one for each page of the manual" "$(cd "$tree/docs" && printf 'orrery-%s.7\n' *.md | sed 's/\.md//')" \
  "$(ls "$scratch/prefix/share/man/man7")"
equals "which the installed program shows, too" "$(sed -n '1s/^# //p' "$tree/docs/sweeps.md")" \
  "$(cd / && "$scratch/prefix/bin/orrery" help sweeps | head -1)"
equals "every asset is installed" "$(files_of "$tree/assets")" "$(files_of "$scratch/prefix/share/orrery")"
holds "the licence is installed" cmp -s "$tree/LICENSE" "$scratch/prefix/share/doc/orrery/LICENSE"
holds "and those of what is linked" cmp -s "$tree/assets/licenses.md" "$scratch/prefix/share/doc/orrery/licenses.md"

mkdir "$scratch/stranger"
cd "$scratch/stranger"
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES CXX)
find_package(orrery 0.1 REQUIRED)
add_executable(stranger main.cpp)
target_link_libraries(stranger PRIVATE orrery::core)
CMAKE
cat >main.cpp <<'CPP'
#include <iostream>

#include "core/encodings/catalogue.h"

int main() { std::cout << orrery::find_encoding("rope").info.name << '\n'; }
CPP

stranger_builds() {
  cmake -G Ninja -B build -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$scratch/prefix" \
    >"$scratch/log" 2>&1 && cmake --build build >>"$scratch/log" 2>&1 || ! cat "$scratch/log"
}
holds "a stranger builds upon it with find_package(orrery) and orrery::core" stranger_builds
equals "and the program works" rope "$(build/stranger)"
holds "our warnings stay with us" fails grep -q Wconversion build/build.ninja
finish
