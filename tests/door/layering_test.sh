#!/usr/bin/env bash
# The house keeps its layering, and the check that says so can fail.
#   layering_test.sh TREE BUILD
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/door/check.sh
source "$here/check.sh"

# A small house where every rule is kept, and where a few things look like a violation and are none.
build_good_house() {
  rm -rf "$scratch/house"
  mkdir -p "$scratch"/house/{core/analysis,experiments/cli,experiments/figure,app/views,tests,cmake}
  cd "$scratch/house"
  printf '#include <vector>\n// std::cout is for others.\n' >core/params.h
  printf '#include <Eigen/Dense>\n#include "core/params.h"\n' >core/types.h
  printf '#include "core/types.h"\n' >core/types.cpp
  printf '#include <string>\n#include "core/params.h"\n' >experiments/result.h
  printf '#include "core/types.h"\n#include "experiments/result.h"\nstd::snprintf(b, 4, "%%d", 1);\n' >experiments/result.cpp
  printf '#include <iostream>\n#include "experiments/result.h"\nint main() { std::cout << 1; }\n' >experiments/cli/main.cpp
  printf '#include <imgui.h>\n#include "experiments/result.h"\n' >app/views/decay.cpp
  printf 'auto count = std::min<Index>(a, b);  // not std::max(a, b)\n' >core/analysis/decay.cpp
  printf 'auto width = std::max(a, b);\n' >experiments/figure/layout.cpp
  printf '# never -march=native\nset(x 1)\n' >cmake/warnings.cmake
  cat >compile_commands.json <<JSON
[
{
  "directory": "/build",
  "command": "/usr/bin/c++ -isystem /usr/include/eigen3 -c core/types.cpp",
  "file": "$PWD/core/types.cpp"
},
{
  "directory": "/build",
  "command": "/usr/bin/c++ -I/usr/include/imgui -c app/views/decay.cpp",
  "file": "$PWD/app/views/decay.cpp"
}
]
JSON
}

layering() { "$here/layering.sh" "$scratch/house" "$scratch/house/compile_commands.json" >"$scratch/said"; }

# catches FILE LINE [SHOWN]: with LINE added to FILE the check fails and shows FILE, or SHOWN.
catches() {
  build_good_house
  printf '%s\n' "$2" >>"$1"
  holds "caught: $2 in $1" complains_about "${3:-$1}"
}

complains_about() { fails layering && grep -qF "$1" "$scratch/said"; }

catches core/types.cpp '#include "experiments/result.h"'
catches core/types.cpp '#include "app/session.h"'
catches core/types.cpp '#include <fstream>'
catches core/types.cpp '#include <iostream>'
catches core/types.cpp 'const char* home = std::getenv("HOME");'
catches core/types.h '#include <cstdio>'
catches experiments/result.cpp '#include "app/session.h"'
catches experiments/result.cpp '#include "experiments/cli/arguments.h"'
catches experiments/result.cpp 'std::cout << 1;'
catches experiments/result.cpp 'fmt::print("{}", 1);'
catches experiments/result.cpp 'std::fprintf(stderr, "no");'
catches experiments/result.cpp 'printf("no");'
catches experiments/result.h '#include <Eigen/Core>'
catches experiments/result.h '#include <nlohmann/json.hpp>'
catches core/params.h '#include "core/types.h"  // and so app, result.h, params.h, types.h, Eigen' core/types.h
catches core/analysis/decay.cpp 'largest = std::max(largest, error);'
catches core/analysis/decay.cpp 'largest = std::fmax(largest, error);'
catches core/analysis/decay.cpp 'return std::max<double>(a, b);'
catches experiments/result.cpp 'return (a - b).cwiseAbs().maxCoeff();'
catches experiments/result.cpp 'return *std::max_element(a.begin(), a.end());'
catches tests/golden.h 'return (a - b).minCoeff();'
catches app/views/decay.cpp '#include "core/params.h"'
catches app/views/decay.cpp '#include <Eigen/Dense>'
catches app/views/decay.cpp '#include "tests/support/random.h"'
catches cmake/warnings.cmake 'add_compile_options(-march=native)'
catches cmake/warnings.cmake 'add_compile_options(-ffast-math)'
catches core/types.cpp '#pragma GCC optimize("fast-math")'

build_good_house
sed -i 's:-I/usr/include/imgui:-isystem /usr/include/eigen3:' compile_commands.json
holds "caught: the desktop compiled with Eigen's folder" fails layering

build_good_house
holds "a house that keeps every rule passes" layering

holds "this house keeps every rule" "$here/layering.sh" "$1" "$2/compile_commands.json"
finish
