#!/usr/bin/env bash
# Who may include, print and know what: the rules of the house that a compiler does not see.
#   layering.sh TREE COMPILE_COMMANDS    prints every line that breaks a rule, fails when there is one
set -euo pipefail
tree=$1
compile_commands=$2
broken=0

# violation RULE LINES: reports LINES, when there are any.
violation() {
  if [[ -z $2 ]]; then return; fi
  printf '%s:\n%s\n' "$1" "$2"
  broken=1
}

# lines_matching REGEX PATH...: file:line:text of C++ lines, comments aside.
lines_matching() {
  local regex=$1
  shift
  (cd "$tree" && find "$@" \( -name '*.h' -o -name '*.cpp' \) -print0 2>/dev/null | sort -z |
    marker=// regex=$regex xargs -0r awk "$print_matching")
}

# Everything after the marker is a comment.
# shellcheck disable=SC2016  # awk's own variables
print_matching='
  { code = $0; at = index(code, ENVIRON["marker"]); if (at) code = substr(code, 1, at - 1) }
  code ~ ENVIRON["regex"] { print FILENAME ":" FNR ":" $0 }'

includes_of() { sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]+)[">].*/\1/p' "$1"; }

# Every header of ours that the desktop's sources reach, however indirectly.
headers_the_app_sees() {
  local pending file include
  local -A seen=()
  mapfile -t pending < <(cd "$tree" && find app -name '*.h' -o -name '*.cpp')
  while ((${#pending[@]})); do
    file=${pending[0]}
    pending=("${pending[@]:1}")
    while IFS= read -r include; do
      if [[ -f $tree/$include && -z ${seen[$include]:-} ]]; then
        seen[$include]=yes
        pending+=("$include")
        echo "$include"
      fi
    done < <(includes_of "$tree/$file")
  done
}

check_includes() {
  local up='#[[:space:]]*include[[:space:]]*"'
  violation "core includes nothing above it" "$(lines_matching "$up(experiments|app|tests)/" core)"
  violation "experiments include nothing above them" "$(lines_matching "$up(app|tests)/" experiments)"
  violation "only the command line includes the command line" \
    "$(lines_matching "${up}experiments/cli/" core app experiments | grep -v '^experiments/cli/' || true)"
  violation "the desktop includes neither core nor tests" "$(lines_matching "$up(core|tests)/" app)"
  violation "the desktop does not know Eigen" "$(lines_matching 'include.*Eigen|Eigen::' app)"
}

check_headers_the_app_sees() {
  local header angled
  while IFS= read -r header; do
    if [[ $header == app/* ]]; then continue; fi
    # Sessions are TOML, and everybody reads TOML through this door.
    if [[ $header == experiments/text/parse_toml.h ]]; then continue; fi
    # A header of the standard library has neither a dot nor a folder in its name.
    angled=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<[^>]*[./][^>]*>|Eigen' "$tree/$header" || true)
    violation "$header, which the desktop sees, stands on the standard library alone" "$angled"
  done < <(headers_the_app_sees)
}

check_input_and_output() {
  local print='std::(cout|cerr|clog)|(^|[^a-z_])(printf|puts|putchar|vprintf)[[:space:]]*[(]|fmt::v?print|(^|[^a-z_])(stdout|stderr)([^a-z_]|$)'
  local io='<(fstream|iostream|cstdio|stdio[.]h|filesystem|unistd[.]h|fmt/os[.]h)>'
  violation "core does no input or output" \
    "$(lines_matching "$io|getenv|f(open|read|write)[[:space:]]*[(]|$print" core)"
  violation "experiments never print; the command line does" \
    "$(lines_matching "$print|<iostream>" experiments | grep -v '^experiments/cli/' || true)"
}

check_flags() {
  local flags='-march=native|fast-math|-Ofast'
  violation "no -march=native and no fast-math in the sources" \
    "$(lines_matching "$flags" core experiments app tests)"
  violation "no -march=native and no fast-math in the build" "$(cd "$tree" &&
    find CMakeLists.txt CMakePresets.json orrery .ci cmake core experiments app tests -type f \
      \( -name CMakeLists.txt -o -name '*.cmake' -o -name CMakePresets.json -o -name orrery -o -name run \) \
      -print0 2>/dev/null | marker='#' regex=$flags xargs -0r awk "$print_matching")"
}

# ---- Layers: cmake/layers.txt lists the folders, lowest first ------------------------------------------

# Every include of ours as "FILE INCLUDED", for the C++ files of the three trees.
our_includes() {
  (cd "$tree" && find core experiments app \( -name '*.h' -o -name '*.cpp' \) -print0 2>/dev/null | sort -z |
    xargs -0r awk '
      match($0, /^[[:space:]]*#[[:space:]]*include[[:space:]]*"(core|experiments|app)\/[^"]+"/) {
        split($0, part, "\""); print FILENAME, part[2]
      }')
}

# layer_faults RULE: the faults of one kind among the includes on standard input.
# shellcheck disable=SC2016  # awk's own variables
layer_program='
  function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
  function layer(path,   name) {
    name = folder(path)
    if (name in line) return line[name]
    sub(/\/[^\/]*$/, "/*", name)
    return (name in line) ? line[name] : 0
  }
  FILENAME != "-" { if ($1 != "") line[$1] = ++count; next }
  { from = layer($1); to = layer($2) }
  !from { print $1 ": its folder is not in the list"; next }
  !to { print $1 ": includes " $2 ", whose folder is not in the list"; next }
  to > from { print $1 ": includes " $2 ", which lies in a higher layer" }
  to == from && folder($1) != folder($2) { print $1 ": includes " $2 ", of a neighbour in the same layer" }'

check_layers() {
  if [[ ! -f $tree/cmake/layers.txt ]]; then return; fi
  violation "a file includes its own layer and those beneath it (cmake/layers.txt)" \
    "$(our_includes | awk "$layer_program" "$tree/cmake/layers.txt" - | sort -u)"
  violation "no headers and sources of one folder include each other in a circle" "$(circles)"
}

# Whoever includes a header sees names where they are declared, and nowhere else.
check_namespaces() {
  violation "no header has a using namespace" "$(
    cd "$tree" && find core experiments app -name '*.h' -print0 2>/dev/null | sort -z |
      xargs -0r grep -nHE '^[[:space:]]*using namespace ' || true)"
}

# tsort names a circle among units, a header and its source being one.
circles() {
  our_includes | sed -E 's/\.(h|cpp)( |$)/\2/g' |
    awk '{ a = $1; b = $2; sub(/\/[^\/]*$/, "", a); sub(/\/[^\/]*$/, "", b) } a == b && $1 != $2' |
    tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^-].*\/.*\)$/\1/p'
}

# Types of two headers with the same name.
check_type_names() {
  violation "no two types have the same name" "$(
    cd "$tree" && find core experiments app -name '*.h' -print0 2>/dev/null | sort -z | xargs -0r awk '
      match($0, /^(template <[^>]*> *)?(class|struct|enum class|enum|union) [A-Za-z_]+( final)?( :[^;]*)?[^;]*([{]|$)/) &&
      !/;[[:space:]]*$/ {
        name = $0
        sub(/^template <[^>]*> */, "", name); sub(/^(class|struct|enum class|enum|union) /, "", name)
        sub(/[^A-Za-z0-9_].*/, "", name)
        if (name in seen && seen[name] != FILENAME) print FILENAME ": " name " is also in " seen[name]
        seen[name] = FILENAME
      }'
  )"
}

# core/analysis/largest.h measures errors, because it keeps a NaN. What is left to std::min and
# std::max in these places are whole numbers, whose type is named: std::min<Index>(a, b).
check_errors() {
  local drop_nan='(max|min)Coeff|(max|min|minmax)_element|std::f?(max|min)[[:space:]]*([(]|<(double|float|T)>)'
  violation "errors are measured by what keeps a NaN" "$(
    lines_matching "$drop_nan" core/analysis experiments tests |
      grep -vE '^(experiments|tests/experiments)/(cli|combine|data|figure|files|identify|manual|reports|results|sweeps|text|verify)/|^tests/(app|cli|faults|fuzz|bench)/|^tests/support/(recording_canvas|xml_check)[.]h' || true
  )"
}

# CMake writes one key a line, "command" before "file".
check_compile_commands() {
  violation "the desktop is compiled without Eigen's folder" "$(awk -v app="\"file\": \"$tree/app/" '
    /^[[:space:]]*"command":/ { command = $0 }
    /^[[:space:]]*"file":/ && index($0, app) && tolower(command) ~ /eigen/ { print }
  ' "$compile_commands")"
}

# What an encoding is, core/encoding.h tells in whole: its interfaces are asked for, never one encoding.
check_casts() {
  violation "a dynamic_cast asks for an interface of core/encoding.h" "$(
    lines_matching 'dynamic_cast<' core experiments app |
      grep -vE 'dynamic_cast<const (InputTerm<|QkTransform<|ScoreTerms<|ValueTerm<|TableIndex[ &*])' || true)"
}

check_layers
check_namespaces
check_type_names
check_casts
check_includes
check_headers_the_app_sees
check_input_and_output
check_flags
check_errors
check_compile_commands
exit $broken
