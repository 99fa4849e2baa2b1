#!/usr/bin/env bash
# Which tests ./orrery test --changed picks, in a small project of its own.
#   changed_test.sh TREE
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

readonly project=$scratch/project
git() { command git -C "$project" -c user.name=a -c user.email=a@b -c commit.gpgsign=false "$@"; }

# file PATH LINE...
file() {
  mkdir -p "$(dirname "$project/$1")"
  printf '%s\n' "${@:2}" >"$project/$1"
}

# changed FILE...: what is picked when these files differ, a test a line with the files of it.
changed() {
  local path
  for path; do echo "// changed" >>"$project/$path"; done
  "$project/tests/changed" "$project/build" >"$scratch/said" || fail "$(cat "$scratch/said")"
  git checkout --quiet .
  picked
}
picked() { sed -n 's/^add_test(\([a-z_]*\) \[==\[[^]]*\]==\]/\1/; T; s/ \[==\[-#\]==\]//; s/\[==\[\(.*\)\]==\]/\1/; s/)$//; p' \
  "$project/build/changed/CTestTestfile.cmake" | sort; }

file core/base.h 'int base();'
file core/base.cpp '#include "core/base.h"'
file core/rope.h '#include "core/base.h"'
file core/rope.cpp '#include "core/rope.h"' '#include "core/turn.h"'
file core/turn.h 'int turn();'
file core/turn.cpp '#include "core/turn.h"'
file core/registered.cpp '#include "core/base.h"' 'int turn_again();'
file core/declared.h 'int turn_again();'
file experiments/cli/main.cpp '#include "core/rope.h"'
file app/main.cpp '#include "core/base.h"'
file tests/core/base_test.cpp '#include "core/base.h"'
file tests/core/rope_test.cpp '#include "core/rope.h"'
file tests/core/declared_test.cpp '#include "core/declared.h"'
file tests/core/other_test.cpp '#include <vector>'
file tests/cli/cli_test.cpp '#include <string>'
file tests/cli/help_test.cpp '#include <string>'
file tests/golden/rope.json '{}'
file tests/seconds.txt 'test_core 20 30' 'test_cli 40 -' 'system_layering 2 -' 'system_readme 3 -' 'python 5 -'
echo 'const char* file = "rope.json";' >>"$project/tests/core/rope_test.cpp"
file README.md '# It'
file cmake/flags.cmake 'set(flags)'
cp "$1/tests/changed" "$project/tests/changed"
file build/CTestTestfile.cmake 'add_test(test_core /bin/true)' 'add_test(test_cli /bin/true)' \
  'add_test(system_layering /bin/true)' 'add_test(system_readme /bin/true)' 'add_test(python /bin/true)'
file .gitignore /build/
git init --quiet
git add . && git commit --quiet -m first

equals "of a program the files that reach a source through what declares it" \
  $'system_layering\ntest_core [#rope_test]' "$(changed core/turn.cpp)"
equals "programs that only link it are left to CI, by name" "Left to .ci/run, whose programs only link the change: test_cli system_readme (43 s)" \
  "$(grep Left "$scratch/said")"
equals "a header that many include" $'system_layering\ntest_core [#base_test],[#declared_test],[#rope_test]' \
  "$(changed core/base.h)"
equals "a source without a header of its own is reached through headers of its layer" \
  $'system_layering\ntest_core [#base_test],[#declared_test],[#rope_test]' "$(changed core/registered.cpp)"
equals "a program's own source" $'system_layering\nsystem_readme\ntest_cli' "$(changed experiments/cli/main.cpp)"
equals "a test of a program alone" $'system_layering\ntest_cli [#cli_test]' "$(changed tests/cli/cli_test.cpp)"
equals "a test alone" $'system_layering\ntest_core [#base_test]' "$(changed tests/core/base_test.cpp)"
all_of_it() { sed -n 's/^set_tests_properties(\([a-z_]*\) .*ORRERY_SEVENTH=all.*/\1/p' "$project/build/changed/CTestTestfile.cmake"; }
equals "which tries all items of its lists" test_core "$(all_of_it)"
changed core/turn.cpp >"$scratch/picked"
equals "as no other does" "" "$(all_of_it)"
equals "what a test reads" "test_core" "$(changed tests/golden/rope.json)"
equals "what is no source" "system_readme" "$(changed README.md)"
equals "what anything may depend on" $'python\nsystem_layering\nsystem_readme\ntest_cli\ntest_core' "$(changed cmake/flags.cmake)"
holds "the seconds are told" grep -q "test_cli, whole (40 s)" "$scratch/said"
echo '// new' >"$project/tests/core/new_test.cpp"
equals "a file that git does not know yet" $'system_layering\ntest_core [#new_test]' "$(changed)"
git add . && git commit --quiet -m second
equals "without a change, that of the last commit" $'system_layering\ntest_core [#new_test]' "$(changed)"
echo '# More' >>"$project/README.md"
git commit --quiet -a -m third
"$project/tests/changed" "$project/build" HEAD~2 >/dev/null
equals "or of all since a commit" $'system_layering\nsystem_readme\ntest_core [#new_test]' "$(picked)"
equals "ctest takes it" 0 "$(ctest --test-dir "$project/build/changed" >"$scratch/log" 2>&1; echo $?)"
holds "and runs no other" grep -q "out of 3" "$scratch/log"
status=0
"$project/tests/changed" "$project/build" nowhere 2>"$scratch/said" || status=$?
equals "a commit that is none is refused" 1 "$status"
holds "with what to do" grep -q -e "--changed=HEAD~3" "$scratch/said"
finish
