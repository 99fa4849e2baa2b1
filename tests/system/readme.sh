#!/usr/bin/env bash
# Runs what a README tells people to type.
#   readme.sh README TREE BUILD
# In ```sh blocks every line that starts with ./orrery is run, in order, in a scratch copy of TREE
# with the programs of BUILD; each must succeed. `./orrery test` and `./orrery bench` are left out:
# they are what runs this. A ```text block that starts with `$ ./orrery ...` shows a command with its
# standard output, which must come out exactly so; a line that is only … stands for any lines.
# In tables and prose, `a path/of the tree` in backticks must exist: one that begins with a folder of it
# and has neither a capital placeholder nor a pattern.
set -euo pipefail
readme=$(readlink -f "$1")
tree=$(readlink -f "$2")
build=$(readlink -f "$3")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/orrery readme.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
broken=0
block=prose  # prose, sh, text, or other fenced text
command='' expected=''

main() {
  lay_out_scratch
  local line
  while IFS= read -r line || [[ -n $line ]]; do read_line "$line"; done <"$readme"
  exit $broken
}

# The tree by links, without what builds and runs leave in it: what the commands write stays here.
lay_out_scratch() {
  local path
  for path in "$tree"/*; do
    case ${path##*/} in
      build | orrery-results | orrery-views) ;;
      *) ln -s "$path" "$scratch/" ;;
    esac
  done
}

read_line() {
  case $block in
    prose)
      check_paths "$1"
      enter_block "$1"
      ;;
    sh) read_shell_line "$1" ;;
    text) read_text_line "$1" ;;
    other) if [[ $1 == '```' ]]; then block=prose; fi ;;
  esac
}

check_paths() {
  local rest=$1 path
  local pattern='`((app|assets|cmake|core|experiments|tests|[.]ci)/[a-z0-9_./]*)`'
  while [[ $rest =~ $pattern ]]; do
    path=${BASH_REMATCH[1]}
    rest=${rest#*"${BASH_REMATCH[0]}"}
    if [[ ! -e $tree/$path ]]; then
      echo "there is no $path"
      broken=1
    fi
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
  if [[ $command =~ ^\./orrery\ (test|bench)([[:space:]]|$) ]]; then
    echo "left out: $command"
  else
    run || return 0
  fi
}

must_print_what_is_expected() {
  run || return 0
  local pattern
  pattern=$(printf '%s' "$expected" | sed 's/[][\\*?+@!()|]/\\&/g; s/^…$/*/')
  # shellcheck disable=SC2053  # the right-hand side is a pattern
  if [[ $(<"$scratch/.out") != $pattern ]]; then
    echo "BROKEN: $command prints something else (< README, > program)"
    diff <(printf '%s' "$expected") "$scratch/.out" || true
    broken=1
  fi
}

run() {
  local status=0
  (cd "$scratch" && env -u DISPLAY -u WAYLAND_DISPLAY ORRERY_BUILD="$build" bash -c "$command") \
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

main
