#!/usr/bin/env bash
# Every golden file has a row in its README and a generator, and the check that says so can fail.
#   golden_test.sh TREE
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"

folder="$scratch/golden"

build_good_folder() {
  rm -rf "$folder"
  mkdir -p "$folder/npy"
  printf '| file | generator |\n|---|---|\n| `a.json` | `generate_a.py` | a |\n| `npy/*.npy` | `npy/generate.py` | b |\n' \
    >"$folder/README.md"
  printf '{"generator": "tests/golden/generate_a.py", "versions": {"python": "3.11"}}\n' >"$folder/a.json"
  touch "$folder/generate_a.py" "$folder/npy/generate.py" "$folder/npy/one.npy" "$folder/npy/two.npy"
}

golden() { "$here/golden.sh" "$folder" >"$scratch/said"; }
complains_about() { fails golden && grep -qF "$1" "$scratch/said"; }

build_good_folder
holds "a folder where everything is said passes" golden
touch "$folder/b.json"
holds "caught: a file without a row" complains_about "b.json has no row"
build_good_folder
touch "$folder/npy/three.npz"
holds "caught: a file that no pattern fits" complains_about "npy/three.npz has no row"
build_good_folder
rm "$folder/generate_a.py"
holds "caught: a generator that is not there" complains_about "generate_a.py, which is not there"
build_good_folder
touch "$folder/generate_b.py"
holds "caught: a generator without a row" complains_about "generate_b.py writes nothing"
build_good_folder
rm "$folder/npy/"*.npy
holds "caught: a row without a file" complains_about "npy/*.npy, which is not there"
build_good_folder
printf '{"generator": "by hand", "versions": {}}\n' >"$folder/a.json"
holds "caught: a file that does not name its generator" complains_about "a.json does not name generate_a.py"
build_good_folder
printf '{"generator": "tests/golden/generate_a.py"}\n' >"$folder/a.json"
holds "caught: a file without versions" complains_about "a.json names no versions"

holds "this tree's golden files are all said" "$here/golden.sh" "$1/tests/golden"
finish
