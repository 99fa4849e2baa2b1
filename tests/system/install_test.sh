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
enable_language(C)
add_executable(stranger_c c.c)
target_link_libraries(stranger_c PRIVATE orrery::c)
CMAKE
cat >main.cpp <<'CPP'
#include <iostream>

#include <orrery/all.h>
#include <orrery/core/encodings/catalogue.h>

#if ORRERY_VERSION < ORRERY_VERSION_NUMBER(0, 1, 0)
#error "version.h counts wrongly"
#endif

int main() {
  using namespace orrery;
  // Matrices cross the border in both directions, and are freed on the other side.
  for (int i = 0; i < 100; ++i) {
    const Matrix<float> q = Matrix<float>::Random(5, 64);
    const Positions at = consecutive_positions(5, 1000);
    const Rope<float> rope({.d_head = 64, .pairing = RopePairing::half_split, .base = 10000.0});
    const auto out = attention_from_qkv<float>(rope, {q, q, q, at, at}, Mask::causal(at, at));
    if (out.weights.rows() != 5) return 1;
  }
  std::cout << find_encoding("rope").info.name << '\n';
}
CPP
cat >c.c <<'C'
#include <orrery.h>
#include <stdio.h>

int main(void) { return puts(orrery_version()) < 0; }
C

stranger_builds() {
  cmake -G Ninja -B build -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$scratch/prefix" \
    >"$scratch/log" 2>&1 && cmake --build build >>"$scratch/log" 2>&1 || ! cat "$scratch/log"
}
holds "a stranger builds upon it with find_package(orrery) and orrery::core" stranger_builds
equals "and the program works" rope "$(build/stranger)"
holds "our warnings stay with us" fails grep -q Wconversion build/build.ninja
holds "and so does the CPU level" fails grep -q -- -march build/build.ninja
version=$(build/stranger_c)
holds "a program in C links orrery::c" eval '[[ $version =~ ^[0-9]+[.][0-9]+[.][0-9]+$ ]]'
# Through a link without spaces, which pkg-config would mark with backslashes.
ln -s "$scratch/prefix" prefix
folder=$(dirname "$(find prefix/ -name orrery.pc)")
read -ra flags <<<"$(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs orrery)"
holds "and finds it through pkg-config" cc -std=c11 c.c -o with_pkg "${flags[@]}"
equals "and runs" "$version" "$(LD_LIBRARY_PATH=$folder/.. ./with_pkg)"

# An encoding of somebody's own, as the page on plug-ins has it.
cp -r "$tree/docs/examples/encoding" rhythm
plugin_builds() {
  cmake -G Ninja -S rhythm -B rhythm/build -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER="$compiler" \
    -D CMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" 2>&1 &&
    cmake --build rhythm/build >>"$scratch/log" 2>&1 || ! cat "$scratch/log"
}
holds "the example of a plug-in is built upon orrery::plugin" plugin_builds
plugin=$(readlink -f rhythm/build/rhythm.so)
orrery=$scratch/prefix/bin/orrery
head -c 4096 "$plugin" >cut.so
holds "cut off it is refused" eval '"$orrery" list --plugin "$PWD/cut.so" 2>why; (($? == 3)) && grep -q "cut off" why'
holds "its encoding is listed" grep -q '^  rhythm ' <("$orrery" list encodings --plugin "$plugin")
holds "and described" grep -q '^  rhythm.period ' <(ORRERY_PLUGINS=$plugin "$orrery" describe rhythm)
holds "and obeys the laws" eval '"$orrery" verify --draws 1 --only rhythm --plugin "$plugin" >laws'
equals "seven of them, five in both precisions" 12 \
  "$("$orrery" verify --draws 1 --only rhythm --json --plugin "$plugin" | grep -c '"holds": true')"
holds "and runs" "$orrery" run attention_map encoding=rope+rhythm --out run -q --plugin "$plugin"
holds "which the manifest records" grep -q "$(sha256sum <"$plugin" | cut -d' ' -f1)" run/manifest.json
holds "by which it is computed again" "$orrery" run --from run --out again -q --plugin "$plugin"
holds "and not without it" fails "$orrery" run --from run --out never -q
holds "and trains in a sweep" "$orrery" sweep training encoding=rhythm steps=10 rhythm.period=3,5 --out sweep -q \
  --plugin "$plugin"
holds "whose points are drawn again" "$orrery" redraw sweep -q --plugin "$plugin"
"$orrery" plan training encoding=rhythm steps=10 rhythm.period=3,5 --emit parallel --out planned --plugin "$plugin" >script
holds "and whose script names it" grep -qxF "plugins=(--plugin $(printf "'%s'" "$plugin"))" script
holds "the desktop has it" "$scratch/prefix/bin/orrery-desktop" --render shots --view score_decomposition \
  encoding=rhythm --plugin "$plugin"
equals "twice is once" "" "$("$orrery" describe rhythm -q --plugin "$plugin" --plugin rhythm/build/rhythm.so 2>&1 >/dev/null)"
holds "nobody else does" fails "$orrery" run attention_map encoding=rhythm -q
equals "what is no plug-in is refused" "$(basename "$folder"/../liborrery.so.*.*.*): is a shared library, but no plug-in" \
  "$("$orrery" list --plugin "$folder"/../liborrery.so 2>&1 | sed 's,.*/,,; s/;.*//')"
sed 's/^ORRERY_PLUGIN(/#undef ORRERY_PLUGIN_ABI\n#define ORRERY_PLUGIN_ABI "0.0.9"\n&/' -i rhythm/rhythm.cpp
holds "another build of it" cmake --build rhythm/build --target all -- -k 0 >"$scratch/log"
said=$("$orrery" list --plugin "$plugin" 2>&1) && status=0 || status=$?
holds "one that was built for another Orrery is refused" eval \
  '[[ $status == 3 && $said == *"was built for Orrery 0.0.9, and this is 0."* ]]'
holds "help is there all the same" env ORRERY_PLUGINS="$plugin" "$orrery" help plugins >"$scratch/log"
equals "and who named it is told" "ORRERY_PLUGINS /none.so: No such file or directory" \
  "$(ORRERY_PLUGINS=/none.so "$orrery" list 2>&1 | sed 's/^orrery: //; s/;.*//')"
sed '/ORRERY_PLUGIN_ABI/d; s/cos(2 /sin(2 /' -i rhythm/rhythm.cpp
holds "a third build" cmake --build rhythm/build >"$scratch/log"
holds "does not go on with a sweep of the first" fails "$orrery" resume sweep -q --plugin "$plugin"
if [[ -x /usr/bin/python3 ]] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  equals "Python has it, too" True "$(PYTHONPATH=$tree/python ORRERY_LIBRARY=$(readlink -f "$folder/../liborrery.so") \
    /usr/bin/python3 -B -c 'import sys, pyorrery as orr
orr.load_plugin(sys.argv[1])
print(abs(orr.bias("rhythm", 8, rhythm__gain=3)[0, 7, 0]) < 1e-9)' "$plugin")"
fi
finish
