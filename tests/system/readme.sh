#!/usr/bin/env bash
# Runs what README and the pages of docs/ tell people to type, and looks at what else they promise.
#   readme.sh TREE BUILD PAGE...    a folder stands for the pages in it
# In ```sh blocks every line that starts with ./orrery is run, and in prose every `./orrery …` and
# `orrery COMMAND …` with an argument, in order, in a scratch copy of TREE with the programs of BUILD and
# with the files that they name; each must succeed. What is left out, and why, says left_out. A ```text
# block that starts with `$ ./orrery ...` shows a command with its standard output, which must come out
# exactly so; a line that is only … stands for any lines. The pages of a folder share a copy, as they do
# where someone types them one after another; every other page has one of its own.
# In tables and prose, `a path/of the tree` in backticks must exist: one that begins with a folder of it
# and has neither a capital placeholder nor a pattern. So must what a page links to.
# Of a folder, the commands of a seventh of its pages are run (sampled.sh), and all pages are looked at.
# README has at most 130 lines; a page has at most 100 lines of at most 100 columns, pictures aside.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/sampled.sh
source "$here/sampled.sh"
# shellcheck source=tests/system/documented_files.sh
source "$here/documented_files.sh"
tree=$(readlink -f "$1")
build=$(readlink -f "$2")
top=$(mktemp -d "${TMPDIR:-/tmp}/orrery readme.XXXXXX")
trap 'rm -rf "$top"' EXIT
broken=0
readonly path_pattern='`((app|assets|cmake|core|docs|experiments|python|tests|[.]ci)/[a-z0-9_./]*)`'
readonly link_pattern='\]\(([^)#:]+)\)'

main() {
  local argument page number=0
  make_files
  for argument in "${@:3}"; do
    if [[ -d $argument ]]; then
      scratch=$top/pages
      lay_out_scratch
      for page in "$argument"/*.md; do
        runs_commands=no
        if is_tried $((number++)); then runs_commands=yes; fi
        run_page "$page"
      done
    else
      runs_commands=yes
      scratch=$top/${argument##*/}
      lay_out_scratch
      run_page "$argument"
    fi
  done
  exit $broken
}

run_page() {
  page=$(readlink -f "$1")
  block=prose  # prose, sh, text, or other fenced text
  paragraph='' command='' expected=''
  local line
  while IFS= read -r line <&3 || [[ -n $line ]]; do read_line "$line"; done 3<"$page"
  run_what_prose_says
  check_size
}

# The tree by links, without what builds and runs leave in it: what the commands write stays here.
lay_out_scratch() {
  local path
  mkdir "$scratch"
  for path in "$tree"/*; do
    case ${path##*/} in
      build | orrery-results | orrery-views) ;;
      *) ln -s "$path" "$scratch/" ;;
    esac
  done
  cp -r "$top/files/." "$scratch"
}

# What the commands read besides the tree: DIR, A and B are results and models at once, MODEL has weights.
make_files() {
  orrery() { ORRERY_ASSETS=$tree/assets "$build/experiments/orrery" "$@" -q >/dev/null; }
  mkdir "$top/files"
  if [[ ! -f $tree/tests/golden/gguf/llama31.gguf ]]; then return; fi
  local folder
  cd "$top/files"
  for folder in A B DIR; do
    orrery run rotation --format none --out $folder
    llama_config $folder/config.json
  done
  for folder in q k v; do npy $folder.npy "5, 8" ${#folder}; done
  cp -r "$tree/tests/golden/transformer/llama-off" MODEL
  { npy_header '|u1' "8," && printf '\5\17\31\2\5\17\31\2'; } >ids.npy
  { npy_header '|u1' "8," && printf '\5\17\31\2\5\17\30\3'; } >other.npy
  npy a.npy "33, 8" 4
  npy q_before.npy "64, 64" 5
  orrery run apply encoding=rope x=q_before.npy --out q_after.npy
  printf 'experiment = "long_term_decay"\n[sweep]\ndim = [32, 64]\n' >sweep.toml
  mkdir bin
  printf '#!/bin/sh\necho 1\n' >bin/sbatch
  chmod +x bin/sbatch
  cd "$here"
}

# What is wrong with the page itself.
complain() {
  echo "BROKEN: ${page##*/}: $1"
  broken=1
}

check_size() {
  local most=100 lines
  if [[ ${page##*/} == README.md ]]; then most=130; fi
  lines=$(wc -l <"$page")
  if ((lines > most)); then complain "has $lines lines, more than $most: cut or divide it"; fi
  if [[ $most == 100 && $(LC_ALL=C.UTF-8 awk '!/^!\[/ && length > 100' "$page") ]]; then
    complain "has lines of more than 100 columns"
  fi
}

read_line() {
  case $block in
    prose)
      check_named "$1" "$path_pattern" "$tree"
      check_named "$1" "$link_pattern" "${page%/*}"
      paragraph+=" $1"
      if [[ -z $1 || $1 == '```'* ]]; then run_what_prose_says; fi
      enter_block "$1"
      ;;
    sh) read_shell_line "$1" ;;
    text) read_text_line "$1" ;;
    other) if [[ $1 == '```' ]]; then block=prose; fi ;;
  esac
}

# Whether each path that a pattern finds in a line is in a folder.
check_named() {
  local rest=$1 pattern=$2 folder=$3 path
  while [[ $rest =~ $pattern ]]; do
    path=${BASH_REMATCH[1]}
    rest=${rest#*"${BASH_REMATCH[0]}"}
    if [[ ! -e $folder/$path ]]; then complain "there is no $path"; fi
  done
}

enter_block() {
  case $1 in
    '```sh') block='sh' ;;
    '```text') block='text' ;;
    '```'*) block='other' ;;
  esac
  command='' expected=''
}

# Runs the commands of a paragraph. `orrery sweep` alone is a name.
run_what_prose_says() {
  local rest=$paragraph code
  local pattern='`([^`]*)`'
  paragraph=''
  while [[ $rest =~ $pattern ]]; do
    code=${BASH_REMATCH[1]}
    rest=${rest#*"${BASH_REMATCH[0]}"}
    if [[ $code =~ ^orrery\ [a-z_-]+\ . ]]; then code=./$code; fi
    if [[ $code == *'./orrery '* ]]; then
      command=$code
      must_succeed
    fi
  done
  command=''
}

read_shell_line() {
  if [[ $1 == '```' ]]; then
    block=prose
    return
  fi
  command+=$1
  if [[ $1 == *\\ ]]; then
    command+=$'\n'
  else
    if [[ $command == ./orrery || $command == './orrery '* ]]; then must_succeed; fi
    command=''
  fi
}

read_text_line() {
  if [[ $1 == '```' ]]; then
    block=prose
    if [[ -n $command ]]; then must_print_what_is_expected; fi
  elif [[ -n $command ]]; then
    expected+=$1$'\n'
  elif [[ $1 == '$ ./orrery'* ]]; then
    command=${1#'$ '}
  else
    block=other
  fi
}

must_succeed() {
  local reason
  reason=$(left_out)
  if [[ -n $reason ]]; then
    echo "left out: $command ($reason)"
  else
    run || return 0
  fi
}

left_out() {
  case $command in
    *' COMMAND'* | *' NAME'* | *' TOPIC'*) echo 'it has a placeholder' ;;
    './orrery open '*' --render '*) [[ -x $build/app/orrery-desktop ]] || echo 'this build has no desktop' ;;
    './orrery open '*) echo 'opens a window; the tests of the desktop open experiments' ;;
    './orrery test' | './orrery test '* | './orrery bench' | './orrery bench '*) echo 'it is what runs this' ;;
    './orrery lesson play '*) echo 'opens a window; the tests of the desktop play lessons' ;;
    './orrery lesson render '*) [[ -x $build/app/orrery-desktop ]] || echo 'this build has no desktop' ;;
  esac
}

must_print_what_is_expected() {
  run || return 0
  local pattern
  pattern=$(printf '%s' "$expected" | sed 's/[][\\*?+@!()|]/\\&/g; s/^…$/*/')
  # shellcheck disable=SC2053  # the right-hand side is a pattern
  if [[ $(<"$scratch/.out") != $pattern ]]; then
    echo "BROKEN: $command prints something else (< page, > program)"
    diff <(printf '%s' "$expected") "$scratch/.out" || true
    broken=1
  fi
}

run() {
  local status=0
  [[ $runs_commands == yes ]] || return
  (cd "$scratch" && env -u DISPLAY -u WAYLAND_DISPLAY ORRERY_BUILD="$build" PATH="$scratch/bin:$PATH" \
    bash -c "$command") \
    >"$scratch/.out" 2>"$scratch/.err" </dev/null || status=$?
  if ((status == 0)); then
    echo "ran: $command"
  else
    echo "BROKEN: $command ends with $status"
    tail -n 20 "$scratch/.out" "$scratch/.err"
    broken=1
    return 1
  fi
}

main "$@"
