#!/usr/bin/env bash
# What ./orrery does and, above all, does not do, in a house whose apt, sudo, cmake and programs are
# stand-ins that write down how they were called.
#   script_test.sh TREE
set -euo pipefail
shopt -s extglob
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/door/check.sh
source "$here/check.sh"

readonly tree=$1
readonly house="$scratch/a house with spaces"
readonly tools="$scratch/tools"
readonly calls="$scratch/calls"

# Puts BODY on the stand-ins' path as NAME.
stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

# shellcheck disable=SC2016  # stand-ins expand their own variables
# The only tools in reach: true ones that change nothing but files of the house, and stand-ins.
lay_out_tools() {
  mkdir -p "$tools"
  local tool
  for tool in awk bash cat chmod env find flock grep mkdir mv nproc readlink rm sleep tail; do
    ln -s "$(command -v "$tool")" "$tools/$tool"
  done
  stand_in id '[[ $1 == -u ]] && echo "${FAKE_UID:-0}" || echo somebody'
  stand_in dpkg-query 'echo "dpkg-query" >>"$CALLS"
    for name; do
      [[ $name == --* || $name == *"{"* || " ${MISSING:-} " == *" $name "* ]] || echo "$name installed"
    done'
  stand_in apt-get 'echo "apt-get $*" >>"$CALLS"
    echo "E: the mirror is away"
    exit "${APT_STATUS:-0}"'
  stand_in ctest 'echo "ctest $*" >>"$CALLS"
    exit "${CTEST_STATUS:-0}"'
  stand_in cmake 'echo "cmake $*" >>"$CALLS"
    if [[ $1 == --preset ]]; then
      mkdir -p "build/$2"
      echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$2/CMakeCache.txt"
    else
      sleep "${BUILD_TIME:-0}"
      echo "[1/1] the compiler speaks"
      ((!${BUILD_STATUS:-0})) || exit "$BUILD_STATUS"
      mkdir -p "$2"/{experiments,app,tests}
      cp_program "$2/experiments/orrery" command-line
      cp_program "$2/app/orrery-desktop" desktop
      cp_program "$2/tests/orrery_bench" benchmarks
    fi'
  stand_in cp_program 'cat >"$1" <<PROGRAM
#!/bin/bash
echo "$2 in \$PWD"
((!\$#)) || printf "<%s>\\n" "\$@"
((!\${READ_INPUT:-0})) || cat
exit \${PROGRAM_STATUS:-0}
PROGRAM
    chmod +x "$1"'
}

# shellcheck disable=SC2016
add_sudo() {
  stand_in sudo 'if [[ $1 == -n || $1 == -v ]]; then exit "${SUDO_STATUS:-0}"; fi
    echo "sudo $*" >>"$CALLS"
    exec "$@"'
}

build_house() {
  rm -rf "$house"
  mkdir -p "$house"/{core,experiments,app,cmake,tests}
  touch "$house"/{CMakeLists.txt,CMakePresets.json,README.md,core/a.cpp}
  cp "$tree/orrery" "$house/orrery"
}

# door [NAME=VALUE...] -- ARGUMENTS: calls ./orrery; leaves $out, $err, $status and $called.
door() {
  local environment=()
  while [[ $1 != -- ]]; do
    environment+=("$1")
    shift
  done
  shift
  : >"$calls"
  status=0
  env -i PATH="$tools" CALLS="$calls" "${environment[@]}" "${entrance:-$house/orrery}" "$@" \
    >"$scratch/out" 2>"$scratch/err" <<<"the input" || status=$?
  out=$(<"$scratch/out")
  err=$(<"$scratch/err")
  called=$(<"$calls")
}

without_job_count() { echo "${1// --parallel +([0-9])/}"; }

lay_out_tools
cd "$scratch"

build_house
door -- --help
equals "--help succeeds before anything is built" 0 "$status"
equals "--help sets nothing up" "" "$called"
holds "--help names the script's own verbs" contains "$out" "./orrery bench"
holds "--help says that the command line is not built yet" contains "$out" "not built yet"
door -- test --help
equals "test --help runs no test" "" "$called"

door READ_INPUT=1 -- list "two words" "" "*" 'a"b'
equals "arguments, the folder and standard input arrive as given, on the very first call" \
  "command-line in $scratch"$'\n<list>\n<two words>\n<>\n<*>\n<a"b>\nthe input' "$out"
equals "the first call configures without tests and builds the programs only" \
  "dpkg-query
cmake --preset release -D ORRERY_TESTS=OFF -D ORRERY_BENCH=OFF
cmake --build $house/build/release --target orrery orrery-desktop" \
  "$(without_job_count "$called")"
holds "the build's talk is in the log" grep -q "the compiler speaks" "$house/build/setup.log"
holds "and not on the screen" fails contains "$err" "the compiler speaks"

door PROGRAM_STATUS=7 -- run x
equals "the exit status is the program's" 7 "$status"
equals "a second call sets nothing up" "" "$called"
equals "and says nothing of its own" "" "$err"
door -- --help
holds "--help goes on with the command line's" contains "$out" $'command-line in '"$scratch"$'\n<--help>'

mkdir -p "$scratch/bin/deep"
ln -s "../../a house with spaces/orrery" "$scratch/bin/deep/door"
ln -s deep/door "$scratch/bin/orrery"
cd "$scratch/bin"
entrance=./orrery door -- list
equals "it finds its house through links, and stays in the caller's folder" \
  "command-line in $scratch/bin"$'\n<list>' "$out"
equals "and a link is no other house" "" "$called"
cd "$scratch"

touch "$house/core/a.cpp"
door -- list
holds "an edited source is built" contains "$called" "cmake --build"
touch "$house/core/b.cpp"
door -- list
holds "a new source is built" contains "$called" "cmake --build"
rm "$house/core/b.cpp"
door -- list
holds "a removed source is noticed" contains "$called" "cmake --build"
touch "$house/tests/a_test.cpp"
door -- list
equals "an edited test concerns no program" "" "$called"

mkdir -p "$house/.git/logs"
touch "$house/.git/logs/HEAD"
door -- list
holds "a commit, which results name, is noticed" contains "$called" "cmake --build"

touch "$house/core/a.cpp"
door BUILD_STATUS=1 -- list
equals "a failed build ends with 1" 1 "$status"
holds "shows the end of the log" contains "$err" "the compiler speaks"
holds "and starts nothing" fails contains "$out" "command-line"
door -- list
holds "the next call tries again" contains "$called" "cmake --build"

door --
equals "without a display every view is drawn to the caller's folder" \
  "desktop in $scratch"$'\n<--render>\n<'"$scratch/orrery-views>" "$(head -n 3 <<<"$out")"
holds "it says where they are" contains "$(tail -n 2 <<<"$out")" "$scratch/orrery-views"
holds "and what to use instead" contains "$(tail -n 1 <<<"$out")" "./orrery run"
door PROGRAM_STATUS=3 --
equals "a drawing that fails is a failure" 3 "$status"
door DISPLAY=:7 --
equals "with a display the desktop opens" "desktop in $scratch" "$out"
door WAYLAND_DISPLAY=wayland-0 --
equals "Wayland is a display" "desktop in $scratch" "$out"

door CTEST_STATUS=8 -- test -R "two words"
equals "a failed test is a failure" 8 "$status"
equals "test turns tests on, builds all of it and hands its arguments to ctest" \
  "dpkg-query
cmake --preset release -D ORRERY_TESTS=ON
cmake --build $house/build/release --target all
ctest --test-dir $house/build/release --output-on-failure -R two words" \
  "$(without_job_count "$called")"
door -- test
equals "a second test only runs tests" 1 "$(grep -c . <<<"$called")"
door -- list
equals "the programs are still ready after test" "" "$called"
touch "$house/tests/a_test.cpp"
door -- test
holds "an edited test is built" contains "$called" "cmake --build"
door -- bench --benchmark_filter=rope
equals "bench builds and runs the benchmarks" "benchmarks in $scratch"$'\n<--benchmark_filter=rope>' "$out"
holds "bench turns benchmarks on" contains "$called" "ORRERY_BENCH=ON"
door -- list
equals "the programs are still ready after bench" "" "$called"

mv "$house" "$scratch/moved"
mv "$scratch/moved" "$house 2"
entrance="$house 2/orrery" door -- list
holds "a house that moved is built anew" contains "$called" "--preset release -D ORRERY_TESTS=OFF"
equals "and works" 0 "$status"
rm -rf "$house 2"

build_house
BUILD_TIME=1 door BUILD_TIME=1 -- list &
sleep 0.3
env -i PATH="$tools" CALLS="$scratch/calls of the second" "$house/orrery" list \
  >"$scratch/second out" 2>"$scratch/second err"
wait
equals "of two calls at once the second waits and builds nothing" "" \
  "$(cat "$scratch/calls of the second" 2>/dev/null)"
holds "it says why it waits" grep -q "waiting" "$scratch/second err"
equals "and then does its work" "command-line in $scratch"$'\n<list>' "$(<"$scratch/second out")"

build_house
door FAKE_UID=1000 MISSING="cmake libfmt-dev" -- list
equals "packages are missing, there is neither root nor sudo: status 2" 2 "$status"
equals "one command is printed" \
  "apt-get update && apt-get install --yes --no-install-recommends cmake libfmt-dev" "$(tail -n 1 <<<"$err")"
equals "and nothing else is done" "dpkg-query" "$called"

door MISSING="cmake libfmt-dev" -- list
equals "root installs what is missing and nothing else" \
  "apt-get update
apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 cmake libfmt-dev" \
  "$(grep apt-get <<<"$called")"
equals "and goes on" 0 "$status"

build_house
door MISSING=cmake APT_STATUS=100 -- list
equals "packages that cannot be installed: status 2" 2 "$status"
holds "what apt said is shown" contains "$err" "E: the mirror is away"
holds "and what to do" contains "$err" "Then run ./orrery again"

door FAKE_UID=1000 -- list
equals "nobody needs root when nothing is missing" 0 "$status"

add_sudo
build_house
door FAKE_UID=1000 MISSING=cmake -- list
equals "sudo installs for others" \
  "sudo apt-get update
apt-get update
sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 cmake" \
  "$(grep -e sudo -e update <<<"$called")"
build_house
door FAKE_UID=1000 MISSING=cmake SUDO_STATUS=1 -- list
equals "a sudo that asks for a password nobody can type: status 2" 2 "$status"
equals "and the command has its sudo" \
  "sudo apt-get update && sudo apt-get install --yes --no-install-recommends cmake" "$(tail -n 1 <<<"$err")"

rm "$tools/apt-get"
build_house
door -- list
holds "without apt it names the packages by their Debian names" contains "$err" "libeigen3-dev"
equals "and builds with what is there" 0 "$status"

build_house
mkdir -p "$scratch/other/"{experiments,app}
printf '#!/bin/bash\necho other "$@"\n' | tee "$scratch/other/experiments/orrery" >"$scratch/other/app/orrery-desktop"
chmod +x "$scratch"/other/*/*
door ORRERY_BUILD=other -- list
equals "ORRERY_BUILD names the programs to use" "other list" "$out"
door ORRERY_BUILD="$scratch/other" --
holds "the desktop too" contains "$out" "other --render $scratch/orrery-views"
equals "and nothing is set up" "" "$called$(compgen -G "$house/build*" || true)"
door ORRERY_BUILD=nowhere -- list
equals "a build that is not there is a mistake of the caller: status 2" 2 "$status"

finish
