#!/usr/bin/env bash
# What ./orrery does and, above all, does not do, in a project whose apt, sudo, cmake and programs are
# stand-ins that write down how they were called.
#   script_test.sh TREE
set -euo pipefail
shopt -s extglob
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

readonly tree=$1
readonly project="$scratch/a tree with spaces"
readonly tools="$scratch/tools"
readonly calls="$scratch/calls"

# Puts BODY on the stand-ins' path as NAME.
stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

# shellcheck disable=SC2016  # stand-ins expand their own variables
# The only tools in reach: true ones that change nothing but files of the project, and stand-ins.
lay_out_tools() {
  mkdir -p "$tools"
  local tool
  for tool in awk bash cat chmod env find flock grep mkdir mv nproc readlink rm sleep tail; do
    ln -sf "$(command -v "$tool")" "$tools/$tool"
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
      for ((step = 1; step <= 40; ++step)); do echo "[$step/40] the compiler speaks"; done
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
((!\${SHOW_ASSETS:-0})) || echo "assets \$ORRERY_ASSETS"
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

make_project() {
  rm -rf "$project"
  mkdir -p "$project"/{core,experiments,app,cmake,docs,tests}
  touch "$project"/{CMakeLists.txt,CMakePresets.json,README.md,core/a.cpp}
  cp "$tree/orrery" "$project/orrery"
}

as_whom=()  # a command that runs another as somebody else
# call_script [NAME=VALUE...] -- ARGUMENTS: calls ./orrery; leaves $out, $err, $status and $called.
call_script() {
  local environment=()
  while [[ $1 != -- ]]; do
    environment+=("$1")
    shift
  done
  shift
  : >"$calls"
  status=0
  "${as_whom[@]}" env -i PATH="$tools" CALLS="$calls" "${environment[@]}" "${script:-$project/orrery}" "$@" \
    >"$scratch/out" 2>"$scratch/err" <<<"the input" || status=$?
  out=$(<"$scratch/out")
  err=$(<"$scratch/err")
  called=$(<"$calls")
}

without_job_count() { echo "${1// --parallel +([0-9])/}"; }

lay_out_tools
cd "$scratch"

make_project
call_script -- --help
equals "--help succeeds before anything is built" 0 "$status"
equals "--help sets nothing up" "" "$called"
holds "--help names the script's own verbs" contains "$out" "./orrery bench"
holds "--help says that the command line is not built yet" contains "$out" "not built yet"
call_script -- test --help
equals "test --help runs no test" "" "$called"

call_script READ_INPUT=1 -- list "two words" "" "*" 'a"b'
equals "arguments, the folder and standard input arrive as given, on the very first call" \
  "command-line in $scratch"$'\n<list>\n<two words>\n<>\n<*>\n<a"b>\nthe input' "$out"
equals "the first call configures without tests and builds the command line only" \
  "dpkg-query
cmake --preset release -D ORRERY_TESTS=OFF -D ORRERY_BENCH=OFF
cmake --build $project/build/release --target orrery" \
  "$(without_job_count "$called")"
holds "the build's talk is in the log" grep -q "the compiler speaks" "$project/build/setup.log"
holds "and not on the screen" fails contains "$err" "the compiler speaks"
holds "the first build says that it takes minutes" contains "$err" "The first build takes some minutes"
equals "off a terminal, the build shows the second step and a line per tenth" 11 "$(grep -c ' of 40 steps after ' <<<"$err")"
holds "with the minutes that are left" grep -q '^2 of 40 steps after [0-9]* s, about [0-9]* min left$' <<<"$err"

call_script PROGRAM_STATUS=7 -- run x
equals "the exit status is the program's" 7 "$status"
equals "a second call sets nothing up" "" "$called"
equals "and says nothing of its own" "" "$err"
call_script -- --help
holds "--help goes on with the command line's" contains "$out" $'command-line in '"$scratch"$'\n<--help>'

mkdir -p "$scratch/bin/deep"
ln -s "../../a tree with spaces/orrery" "$scratch/bin/deep/link"
ln -s deep/link "$scratch/bin/orrery"
cd "$scratch/bin"
script=./orrery call_script -- list
equals "it finds its project through links, and stays in the caller's folder" \
  "command-line in $scratch/bin"$'\n<list>' "$out"
equals "and a link is not another project" "" "$called"
cd "$scratch"

touch "$project/core/a.cpp"
call_script -- list
holds "an edited source is built" contains "$called" "cmake --build"
touch "$project/core/b.cpp"
call_script -- list
holds "a new source is built" contains "$called" "cmake --build"
rm "$project/core/b.cpp"
call_script -- list
holds "a removed source is noticed" contains "$called" "cmake --build"
touch "$project/tests/a_test.cpp"
call_script -- list
equals "an edited test concerns no program" "" "$called"

mkdir -p "$project/.git/logs"
touch "$project/.git/logs/HEAD"
call_script -- list
holds "a commit, which results name, is noticed" contains "$called" "cmake --build"

touch "$project/core/a.cpp"
call_script BUILD_STATUS=1 -- list
equals "a failed build ends with 1" 1 "$status"
holds "shows the end of the log" contains "$err" "the compiler speaks"
holds "and starts nothing" fails contains "$out" "command-line"
call_script -- list
holds "the next call tries again" contains "$called" "cmake --build"

for words in 'open decay' 'lesson play decay' 'lesson render decay'; do
  rm -f "$project"/build/release/set-up-for-*
  read -ra given <<<"$words"
  call_script -- "${given[@]}"
  holds "$words builds the desktop" contains "$called" "--target orrery orrery-desktop"
done
call_script -- list
equals "the command line is ready after that" "" "$called"
rm -f "$project"/build/release/set-up-for-*
call_script -- lesson list
holds "lesson list does not" grep -q -- '--target orrery$' <<<"$(without_job_count "$called")"
call_script --
holds "and the desktop is built when it is asked for" contains "$called" "--target orrery orrery-desktop"
call_script --
equals "once" "" "$called"
equals "without a display every view is drawn to the caller's folder" \
  "desktop in $scratch"$'\n<--render>\n<'"$scratch/orrery-views>" "$(head -n 3 <<<"$out")"
holds "it says where they are" contains "$(tail -n 2 <<<"$out")" "$scratch/orrery-views"
holds "and what to use instead" contains "$(tail -n 1 <<<"$out")" "./orrery run"
call_script PROGRAM_STATUS=3 --
equals "a drawing that fails is a failure" 3 "$status"
call_script DISPLAY=:7 --
equals "with a display the desktop opens" "desktop in $scratch" "$out"
call_script WAYLAND_DISPLAY=wayland-0 --
equals "Wayland is a display" "desktop in $scratch" "$out"

call_script CTEST_STATUS=8 -- test -R "two words"
equals "a failed test is a failure" 8 "$status"
equals "test turns tests on, builds all of it and hands its arguments to ctest" \
  "dpkg-query
cmake --preset release -D ORRERY_TESTS=ON -D ORRERY_BENCH=AUTO
cmake --build $project/build/release --target all
ctest --test-dir $project/build/release --output-on-failure -R two words" \
  "$(without_job_count "$called")"
holds "it says that long tests are sampled" contains "$err" "./orrery test --all"
stand_in ctest 'echo "ctest $* ${ORRERY_SEVENTH:-}" >>"$CALLS"'
call_script -- test --all -R rope
equals "test --all has all of it tried" \
  "ctest --test-dir $project/build/release --output-on-failure -R rope all" "$(without_job_count "$called")"
equals "without another word" "" "$err"
lay_out_tools
call_script -- test
equals "a second test only runs tests" 1 "$(grep -c . <<<"$called")"
call_script -- list
equals "the programs are still ready after test" "" "$called"
touch "$project/tests/a_test.cpp"
call_script -- test
holds "an edited test is built" contains "$called" "cmake --build"
printf '#!/bin/bash\necho "changed $*" >>"$CALLS"\necho "one test"\nexit "${CHANGED_STATUS:-0}"\n' >"$project/tests/changed"
chmod +x "$project/tests/changed"
call_script -- test
call_script -- test --changed=HEAD~2 -R rope
equals "test --changed runs what the change since a commit can touch" \
  "changed $project/build/release HEAD~2
ctest --test-dir $project/build/release/changed --output-on-failure -R rope" "$(without_job_count "$called")"
holds "after it said what that is" contains "$err" "one test"
call_script -- test --changed
equals "or the change that is not committed" "changed $project/build/release" "$(head -n 1 <<<"$called")"
call_script CHANGED_STATUS=1 -- test --changed=nowhere
equals "a commit that is none ends with its status" 1 "$status"
holds "and runs no test" fails contains "$called" "ctest"
call_script -- bench --benchmark_filter=rope
equals "bench builds and runs the benchmarks" "benchmarks in $scratch"$'\n<--benchmark_filter=rope>' "$out"
holds "bench turns benchmarks on" contains "$called" "ORRERY_BENCH=ON"
call_script -- list
equals "the programs are still ready after bench" "" "$called"

mv "$project" "$scratch/moved"
mv "$scratch/moved" "$project 2"
script="$project 2/orrery" call_script SHOW_ASSETS=1 -- list
equals "a project that moved is not built anew" "" "$called"
holds "but says so" contains "$err" "Orrery was moved"
equals "and works, with its own assets" "command-line in $scratch"$'\n<list>\nassets '"$project 2/assets" "$out"
touch "$project 2/core/a.cpp"
script="$project 2/orrery" call_script -- list
holds "until a source is edited" contains "$called" "--preset release -D ORRERY_TESTS=OFF"
equals "which works as well" 0 "$status"
script="$project 2/orrery" call_script -- list
equals "and is built once" "" "$called$err"
mv "$project 2" "$project 3"
rm "$project 3/build/release/app/orrery-desktop"
script="$project 3/orrery" call_script -- open decay
holds "a moved project without a program that is asked for is built anew" contains "$called" "--preset release"
mv "$project 3" "$project 4"
printf '#!/bin/bash\nexit 127\n' >"$project 4/build/release/experiments/orrery"
script="$project 4/orrery" call_script -- list
holds "and so is one whose programs do not run" contains "$called" "--preset release"
rm -rf "$project 4"

make_project
touch "$project/build"
call_script -- list
equals "a folder in which nothing can be built: status 4" 4 "$status"
holds "it says where it builds" contains "$err" "builds into $project/build"
holds "and what to do" contains "$err" "ORRERY_BUILD=DIR ./orrery"
equals "nothing is set up" "" "$called"
rm "$project/build"

call_script -- list
# Root may write everywhere.
if [[ $(id -u) == 0 ]]; then as_whom=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
if "${as_whom[@]}" true 2>/dev/null; then
  chmod a+rx "$scratch"
  chmod a+w "$calls"
  mv "$project" "$project 2"
  chmod -R a-w "$project 2"
  touch -d tomorrow "$project 2/core/a.cpp"
  script="$project 2/orrery" call_script SHOW_ASSETS=1 -- list
  equals "where nothing may be written, the programs that are there run, with the assets beside them" \
    "command-line in $scratch"$'\n<list>\nassets '"$project 2/assets" "$out"
  holds "it says so" contains "$err" "cannot be written: using the programs that were built there"
  equals "and sets nothing up" "" "$called"
  script="$project 2/orrery" call_script -- test
  equals "tests need a folder of their own: status 4" 4 "$status"
  holds "and it says how to get one" contains "$err" "copy the folder to where you may"
  chmod -R u+w "$project 2"
  rm -rf "$project 2"
else
  echo "SKIPPED: setpriv cannot make another user of root"
fi
as_whom=()

make_project
BUILD_TIME=1 call_script BUILD_TIME=1 -- list &
sleep 0.3
env -i PATH="$tools" CALLS="$scratch/calls of the second" "$project/orrery" list \
  >"$scratch/second out" 2>"$scratch/second err"
wait
equals "of two calls at once the second waits and builds nothing" "" \
  "$(cat "$scratch/calls of the second" 2>/dev/null)"
holds "it says why it waits" grep -q "waiting" "$scratch/second err"
equals "and then does its work" "command-line in $scratch"$'\n<list>' "$(<"$scratch/second out")"

make_project
call_script FAKE_UID=1000 MISSING="cmake libfmt-dev" -- list
equals "packages are missing, there is neither root nor sudo: status 2" 2 "$status"
equals "one command is printed" \
  "apt-get update && apt-get install --yes --no-install-recommends cmake libfmt-dev" "$(tail -n 1 <<<"$err")"
equals "and nothing else is done" "dpkg-query" "$called"

call_script MISSING="cmake libfmt-dev" -- list
equals "root installs what is missing and nothing else" \
  "apt-get update
apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 cmake libfmt-dev" \
  "$(grep apt-get <<<"$called")"
equals "and goes on" 0 "$status"

make_project
call_script MISSING=cmake APT_STATUS=100 -- list
equals "packages that cannot be installed: status 2" 2 "$status"
holds "what apt said is shown" contains "$err" "E: the mirror is away"
holds "and what to do" contains "$err" "Then run ./orrery again"

call_script FAKE_UID=1000 -- list
equals "nobody needs root when nothing is missing" 0 "$status"

add_sudo
make_project
call_script FAKE_UID=1000 MISSING=cmake -- list
equals "sudo installs for others" \
  "sudo apt-get update
apt-get update
sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 cmake" \
  "$(grep -e sudo -e update <<<"$called")"
make_project
call_script FAKE_UID=1000 MISSING=cmake SUDO_STATUS=1 -- list
equals "a sudo that asks for a password nobody can type: status 2" 2 "$status"
equals "and the command has its sudo" \
  "sudo apt-get update && sudo apt-get install --yes --no-install-recommends cmake" "$(tail -n 1 <<<"$err")"

rm "$tools/apt-get"
make_project
call_script -- list
holds "without apt it names the packages by their Debian names" contains "$err" "libeigen3-dev"
equals "and builds with what is there" 0 "$status"

make_project
mkdir -p "$scratch/other/"{experiments,app}
printf '#!/bin/bash\necho other "$@"\n' | tee "$scratch/other/experiments/orrery" >"$scratch/other/app/orrery-desktop"
chmod +x "$scratch"/other/*/*
call_script ORRERY_BUILD=other -- list
equals "ORRERY_BUILD names the programs to use" "other list" "$out"
call_script ORRERY_BUILD="$scratch/other" --
holds "the desktop too" contains "$out" "other --render $scratch/orrery-views"
equals "and nothing is set up" "" "$called$(compgen -G "$project/build*" || true)"
call_script ORRERY_BUILD=nowhere -- list
equals "a build that is not there is a mistake of the caller: status 2" 2 "$status"

finish
