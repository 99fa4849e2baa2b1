#!/usr/bin/env bash
# The house keeps its layering, and the check that says so can fail.
#   layering_test.sh TREE BUILD
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

# A small house where every rule is kept, and where a few things look like a violation and are none.
build_good_house() {
  rm -rf "$scratch/house"
  mkdir -p "$scratch"/house/{core/analysis,experiments/{model,figure,studies/rotation,studies/spectrum,cli},app/views,tests,cmake}
  cd "$scratch/house"
  printf '#include <vector>\n// std::cout is for others.\n' >core/params.h
  printf '#include <Eigen/Dense>\n#include "core/params.h"\n' >core/types.h
  printf '#include "core/types.h"\n' >core/types.cpp
  printf '#include <string>\n#include "core/params.h"\n' >experiments/model/result.h
  printf '#include "core/types.h"\n#include "experiments/model/result.h"\nstd::snprintf(b, 4, "%%d", 1);\n' >experiments/model/result.cpp
  printf '#include <iostream>\n#include "experiments/model/result.h"\nint main() { std::cout << 1; }\n' >experiments/cli/main.cpp
  printf '#include <imgui.h>\n#include "experiments/model/result.h"\n' >app/views/decay.cpp
  printf 'auto count = std::min<Index>(a, b);  // not std::max(a, b)\n' >core/analysis/decay.cpp
  printf 'auto width = std::max(a, b);\nauto* term = dynamic_cast<const InputTerm<T>*>(&encoding);\n' \
    >experiments/figure/layout.cpp
  printf '# never -march=native\nset(x 1)\n' >cmake/warnings.cmake
  printf '%s\n' core core/analysis experiments/model experiments/figure 'experiments/studies/*' experiments/cli \
    app/views >cmake/layers.txt
  printf '#include "experiments/model/result.h"\nnamespace orrery {\nstruct Stroke {\n' >experiments/figure/canvas.h
  printf 'namespace orrery {\nstruct Stroke;\n  struct Stroke {  // of a class\n' >experiments/figure/forward.h
  printf '#include "experiments/figure/canvas.h"\n' >experiments/studies/rotation/rotation.h
  printf '#include "experiments/studies/rotation/rotation.h"\n' >experiments/studies/rotation/rotation.cpp
  printf '#include "experiments/model/result.h"\n' >experiments/studies/spectrum/spectrum.h
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
  mkdir -p "$(dirname "$1")"
  printf '%s\n' "$2" >>"$1"
  holds "caught: $2 in $1" complains_about "${3:-$1}"
}

complains_about() { fails layering && grep -qF "$1" "$scratch/said"; }

catches core/types.cpp '#include "experiments/model/result.h"'
catches core/types.cpp '#include "core/analysis/decay.h"' "core/types.cpp: includes core/analysis/decay.h, which lies in a higher layer"
catches experiments/model/result.h '#include "experiments/figure/canvas.h"'
catches experiments/figure/canvas.h '#include "experiments/cli/main.h"'
catches experiments/figure/canvas.h '#include "experiments/reports/report.h"' "whose folder is not in the list"
catches experiments/reports/report.h '#include "experiments/model/result.h"' "its folder is not in the list"
catches experiments/studies/spectrum/spectrum.h '#include "experiments/studies/rotation/rotation.h"' "of a neighbour"
catches experiments/model/result.h 'using namespace orrery::kernels;'
catches experiments/figure/forward.h 'struct Stroke {' "Stroke is also in experiments/figure/canvas.h"

build_good_house
printf '#include "experiments/figure/b.h"\n' >experiments/figure/a.cpp
printf '#include "experiments/figure/c.h"\n' >experiments/figure/b.h
printf '#include "experiments/figure/a.h"\n' >experiments/figure/c.cpp
holds "caught: three units that include each other in a circle" complains_about experiments/figure/c
catches core/types.cpp '#include "app/session/session.h"'
catches core/types.cpp '#include <fstream>'
catches core/types.cpp '#include <iostream>'
catches core/types.cpp 'const char* home = std::getenv("HOME");'
catches core/types.h '#include <cstdio>'
catches experiments/model/result.cpp '#include "app/session/session.h"'
catches experiments/model/result.cpp '#include "experiments/cli/arguments.h"'
catches experiments/model/result.cpp 'std::cout << 1;'
catches experiments/model/result.cpp 'fmt::print("{}", 1);'
catches experiments/model/result.cpp 'std::fprintf(stderr, "no");'
catches experiments/model/result.cpp 'printf("no");'
catches experiments/model/result.h '#include <Eigen/Core>'
catches experiments/model/result.h '#include <nlohmann/json.hpp>'
catches core/params.h '#include "core/types.h"  // and so app, result.h, params.h, types.h, Eigen' core/types.h
catches core/analysis/decay.cpp 'largest = std::max(largest, error);'
catches core/analysis/decay.cpp 'largest = std::fmax(largest, error);'
catches core/analysis/decay.cpp 'return std::max<double>(a, b);'
catches experiments/model/result.cpp 'return (a - b).cwiseAbs().maxCoeff();'
catches experiments/model/result.cpp 'return *std::max_element(a.begin(), a.end());'
catches tests/golden.h 'return (a - b).minCoeff();'
catches experiments/model/result.cpp 'if (const auto* rope = dynamic_cast<const Rope<T>*>(&encoding))'
catches core/types.cpp 'const auto& alibi = dynamic_cast<const Alibi<double>&>(encoding);'
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

# A target's own compiler invocation, given another text: what it finds follows from what it links.
# compiles TARGET INCLUDE: a file that includes INCLUDE alone compiles as the sources of TARGET do.
compiles() {
  local directory command
  directory=$(awk -F'"' '$2 == "directory" { print $4; exit }' "$build/compile_commands.json")
  command=$(awk -v target="CMakeFiles/$1.dir/" '
    /^[[:space:]]*"command":/ && index($0, target) {
      sub(/^[^:]*: "/, ""); sub(/",$/, ""); gsub(/\\"/, "\""); print; exit
    }' "$build/compile_commands.json")
  printf '#include "%s"\n' "$2" >"$scratch/probe.cpp"
  (cd "$directory" && eval "${command%% -o *} -fsyntax-only '$scratch/probe.cpp'") >/dev/null 2>"$scratch/said"
}
tree=$1 build=$2
holds "figures compile with headers of their own layer" \
  compiles orrery_figure experiments/figure/export.h
holds "figures compile with headers of a lower layer" \
  compiles orrery_figure experiments/model/result.h
holds "figures do not compile with headers of a higher layer" \
  fails compiles orrery_figure experiments/sweeps/plan.h
holds "figures do not compile with the core's matrices" \
  fails compiles orrery_figure core/types.h
holds "experiments do not compile with headers of the command line" \
  fails compiles orrery_lessons experiments/cli/command.h
if [[ -d $build/app ]]; then
  holds "the desktop compiles with headers of the experiments" \
    compiles orrery_panels experiments/model/result.h
  holds "the desktop does not compile with the core's matrices" \
    fails compiles orrery_panels core/types.h
fi

holds "this house keeps every rule" "$here/layering.sh" "$1" "$2/compile_commands.json"
finish
