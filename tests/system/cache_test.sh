#!/usr/bin/env bash
# A second clone, in a folder of another name, finds in the compiler cache what the first one compiled: precompiled
# headers, united sources, a test of Catch2's, and objects under sanitizers. CMake is called as ./orrery and .ci/run do.
#   cache_test.sh TREE
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

# shellcheck source=tests/system/sampled.sh
source "$here/sampled.sh"
readonly tree=$1
if ! is_tried 2; then
  echo "as long as a hundred others: ORRERY_SEVENTH=2, or ./orrery test --all"
  exit 77
fi
if ! command -v ccache >/dev/null; then
  echo "ccache is not installed: ./orrery installs it"
  exit 77
fi
unset "${!CCACHE_@}"
export CCACHE_DIR=$scratch/cache CCACHE_STATSLOG=$scratch/results

# build FOLDER PRESET OPTIONS... -- TARGETS...: a copy of the tree there, unless one is; leaves what ccache found.
build() {
  local folder=$scratch/$1 preset=$2 options=()
  shift 2
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  shift
  if [[ ! -d $folder ]]; then
    mkdir "$folder"
    cp -r "$tree"/{app,assets,cmake,core,docs,experiments,python,tests,CMakeLists.txt,CMakePresets.json,LICENSE,README.md} "$folder"
  fi
  rm -f "$CCACHE_STATSLOG"
  (cd "$folder" && cmake --preset "$preset" "${options[@]}" && cmake --build "build/$preset" --target "$@") \
    >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; fail "the copy in '$folder' builds"; }
}
count() { grep -cx "$1" "$CCACHE_STATSLOG" || true; }

# The two builds that share a cache: what people run, and what CI has looked at by sanitizers.
readonly object=tests/threads/CMakeFiles/test_threads_sweeps.dir/Unity/unity_0_cxx.cxx.o
release=(release -- orrery_params orrery_text "$object")
build one "${release[@]}"
compiled=$(count cache_miss)
holds "the first clone compiles ($compiled objects)" test "$compiled" -ge 8
build "the other one" "${release[@]}"
equals "the second compiles nothing" 0 "$(count cache_miss)"
equals "and finds all of it" "$compiled" "$(count ".*_cache_hit")"
equals "messages of tests name files from the root of the source" 1 \
  "$(grep -c 'tests/threads/sweeps/sweep_threads_test.cpp' "$scratch/the other one/build/release/$object")"
equals "and no folder" 0 "$(grep -c "$scratch" "$scratch/the other one/build/release/$object")"

# A cache that cannot be written: ccache would compile nothing.
(cd "$scratch/one" && CCACHE_DIR=/proc/none cmake --preset release -B build/uncached) >"$scratch/log" 2>&1 ||
  fail "the copy is configured without a cache: $(tail -n 3 "$scratch/log")"
holds "where the cache cannot be written it is not used" grep -q "Compiling without ccache" "$scratch/log"
equals "by any object" 0 "$(grep -c "CCACHE_BASEDIR" "$scratch/one/build/uncached/build.ninja")"

if command -v clang++-14 >/dev/null; then
  sanitized=(asan -D CMAKE_CXX_COMPILER=clang++-14 -- orrery_params harness_values)
  build one "${sanitized[@]}"
  compiled=$(count cache_miss)
  holds "the first clone compiles for sanitizers ($compiled objects)" test "$compiled" -ge 6
  build "the other one" "${sanitized[@]}"
  equals "the second compiles nothing for sanitizers" 0 "$(count cache_miss)"
  equals "and finds all of that" "$compiled" "$(count ".*_cache_hit")"
fi
finish
