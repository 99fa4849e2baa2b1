#!/usr/bin/env bash
# What the README tells people to type works, and the check that says so can fail.
#   readme_test.sh TREE BUILD
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

# A tree whose command line is a line of shell.
mkdir -p "$scratch/tree" "$scratch/build/experiments"
cp "$1/orrery" "$scratch/tree/"
cat >"$scratch/build/experiments/orrery" <<'PROGRAM'
#!/bin/bash
case $1 in
  say) printf '%s\n' "${@:2}" ;;
  keep) echo kept >"$2" ;;
  recall) cat "$2" ;;
  *) exit 2 ;;
esac
PROGRAM
chmod +x "$scratch/build/experiments/orrery"

# runs README-TEXT: as readme.sh sees it; what it said is in $said.
runs() {
  printf '%s\n' "$1" >"$scratch/tree/README.md"
  local status=0
  said=$("$here/readme.sh" "$scratch/tree" "$scratch/build" "$scratch/tree/README.md") || status=$?
  return $status
}

holds "commands of sh blocks run, in one folder, others are left alone" runs '
Prose with ./orrery nonsense.
```sh
git clone nowhere
./orrery say one   # as a comment says
./orrery keep "a file"
./orrery test
./orrery bench --all
```
```sh
./orrery recall "a file"
./orrery say one \
  two
```
```cpp
./orrery nonsense
```'
equals "all of them, once" 'ran: ./orrery say one   # as a comment says
ran: ./orrery keep "a file"
left out: ./orrery test (it is what runs this)
left out: ./orrery bench --all (it is what runs this)
ran: ./orrery recall "a file"
ran: ./orrery say one \
  two' "$said"
holds "commands in prose run, in their place" runs 'First `./orrery say one`, then `orrery say
two`; `orrery say` is a name, and `./orrery lesson play x` opens a window.
```sh
./orrery say three
```
Last `./orrery keep kept && cat kept`.'
equals "in the order of the text" 'ran: ./orrery say one
ran: ./orrery say two
left out: ./orrery lesson play x (opens a window; the tests of the desktop play lessons)
ran: ./orrery say three
ran: ./orrery keep kept && cat kept' "$said"
holds "a command in prose that fails is caught" fails runs 'Try `./orrery nonsense now`.'
holds "nothing is left in the tree" fails test -e "$scratch/tree/a file"

mkdir -p "$scratch/tree/core/encodings"
holds "folders and files that exist may be named" runs 'Open `core/encodings/`, or `core/NAME.h`.'
holds "a path that does not exist is caught" fails runs '| add | a file in `core/encodings/` and `core/catalogue.cpp` |'

holds "a command that fails is caught" fails runs '```sh
./orrery nonsense
```'
holds "a later block is still run" fails runs '```sh
./orrery nonsense
```
```sh
./orrery say later
```'
holds "and said so" contains "$said" "ran: ./orrery say later"

holds "output as shown" runs '```text
$ ./orrery say "a  [b]*" "(c)" ""
a  [b]*
(c)

```'
holds "output that differs in one space is caught" fails runs '```text
$ ./orrery say "a  b"
a b
```'
holds "output that is missing a line is caught" fails runs '```text
$ ./orrery say a
a
b
```'
holds "more output than shown is caught" fails runs '```text
$ ./orrery say a b
a
```'
holds "… stands for lines" runs '```text
$ ./orrery say a b c d
a
…
d
```'
holds "but for no others than those in its place" fails runs '```text
$ ./orrery say a b c d
a
…
c
```'
holds "a text block without a command is a picture" runs '```text
./orrery nonsense
```'

holds "a link to nothing is caught" fails runs 'See [the page](docs/nothing.md).'
holds "a README of more than two screens is caught" fails runs "$(printf 'A line.\n%.0s' {1..131})"
holds "commands with a placeholder, and those that open a window, are left out" runs \
  'Type `./orrery help TOPIC` or `orrery open something`.'

library_example() { sed -n '/^```cpp$/,/^```$/p' "$1"; }
if [[ -f $1/README.md ]]; then
  equals "the manual shows the README's program, which is built and run" "$(library_example "$1/README.md")" \
    "$(library_example "$1/docs/library.md")"
  holds "the README's commands work" "$here/readme.sh" "$1" "$2" "$1/README.md"
fi
finish
