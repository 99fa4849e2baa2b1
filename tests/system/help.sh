#!/usr/bin/env bash
# Runs the examples of every --help, in order, each command's in a folder of its own
# with the files that they read; each must end with status 0.
#   help.sh TREE BUILD [COMMAND...]
# Without COMMAND, those of a seventh of the commands (sampled.sh). Left out, by name, is only what needs a window.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tests/system/check.sh
source "$here/check.sh"
# shellcheck source=tests/system/sampled.sh
source "$here/sampled.sh"
# shellcheck source=tests/system/documented_files.sh
source "$here/documented_files.sh"
tree=$(readlink -f "$1")
build=$(readlink -f "$2")
PATH=$build/experiments:$PATH
unset DISPLAY WAYLAND_DISPLAY
export ORRERY_ASSETS=$tree/assets

main() {
  local commands command number=0
  commands=$(orrery --help | sed -n 's/^  \([a-z_]\+\)  .*/\1/p')
  if (($#)); then commands=$*; fi
  for command in $commands; do
    orrery "$command" --help | examples >"$scratch/examples"
    holds "$command --help has examples" test -s "$scratch/examples"
    if (($#)) || is_tried $((number++)); then run_examples "$command"; fi
  done
  if (($# == 0)); then
    orrery --help | examples >"$scratch/examples"
    run_examples orrery
  fi
  finish
}

# examples: the command lines of a help text on standard input, one per line.
examples() {
  sed -n -e ':whole; /\\$/ { N; s/\\\n */ /; b whole }' \
    -e 's/^  \(orrery .*\)/\1/p; s/.*Example: \(orrery .*\)/\1/p'
}

run_examples() {
  local example folder="$scratch/$1"
  mkdir "$folder"
  cd "$folder"
  if declare -F "files_of_$1" >/dev/null; then "files_of_$1"; fi
  while IFS= read -r example <&3; do
    if [[ -n $(left_out "$example") ]]; then
      echo "left out: $example ($(left_out "$example"))"
    else
      holds "$example" runs "$example"
    fi
  done 3<"$scratch/examples"
  cd "$here"
}

left_out() {
  case $1 in
    'orrery open '*) echo 'opens a window; the tests of the desktop open experiments, presets and results' ;;
    'orrery lesson play '*) echo 'opens a window; the tests of the desktop play lessons' ;;
    'orrery lesson render '*) has_desktop || echo 'this build has no desktop' ;;
  esac
}

has_desktop() { [[ -x $build/app/orrery-desktop ]]; }

runs() {
  local status=0
  bash -c "$1" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
  if ((status)); then
    echo "ends with $status"
    tail -n 20 "$scratch/out" "$scratch/err"
    return 1
  fi
}

# ---- What the examples of a command read -----------------------------------------------------------

files_of_tokens() {
  cp "$tree/tests/golden/tokenizers/smollm2.gguf" .
  echo "An orrery is a small machine of brass." >story.txt
}

# Models, of which one reads letters.
files_of_forward() {
  local letters=' "\u0120": 26' i=0 letter
  cp -r "$tree/tests/golden/transformer/llama-off" tiny-llama
  cp -r "$tree/tests/golden/transformer/bert-off" tiny-bert
  for letter in {a..z}; do letters+=", \"$letter\": $((i++))"; done
  printf '{"version": "1.0", "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
    "use_regex": true}, "model": {"type": "BPE", "vocab": {%s}, "merges": []}}' "$letters" >tiny-llama/tokenizer.json
  printf 'a small machine of brass' >story.txt
  { npy_header '|u1' "8," && printf '\5\17\31\2\5\17\31\2'; } >ids.npy
  { npy_header '|u1' "8," && printf '\5\17\31\2\5\17\30\3'; } >other.npy
}

# A small Llama and a small BERT, a text, and ids of two texts.
files_of_passport() { files_of_forward; }

files_of_run() {
  ln -s "$tree/README.md" .
  mkdir Llama-3.1-8B
  llama_config Llama-3.1-8B/config.json
  llama_gguf llama-3.1-8b-q4_k_m.gguf
  npy q_before.npy "64, 64" 1
  orrery run apply -q encoding=rope x=q_before.npy positions=100..163 --out q_after.npy >/dev/null
}

files_of_attend() {
  local name
  for name in q k v; do npy $name.npy "5, 8" ${#name}; done
  mask mask.npy "5, 5" '\x01\x00\x00\x00\x00\x01\x01\x00\x00\x00\x01\x01\x01\x00\x00\x01\x01\x01\x01\x00\x01\x01\x01\x01\x01'
  mask attention_mask.npy "5," '\x01\x01\x01\x01\x00'
  npy bias.npy "32, 1" 4
  npy x.npy "5, 16" 5
  safetensors layer.safetensors W_q 16 16 6
  safetensors model.safetensors attn.q_proj.weight 16 16 7
}

files_of_apply() { npy q.npy "5, 8" 1; }

main "${@:3}"
