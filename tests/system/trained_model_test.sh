#!/usr/bin/env bash
# The model that comes with Orrery is what the command in its README makes: the same bytes with AVX-512,
# a model of the same quality with other instructions.
# Usage: trained_model_test.sh CLI ASSETS
set -uo pipefail
source "$(dirname "$0")/check.sh"
cli=$1 models=$2/models
export ORRERY_ASSETS=$2
cd "$scratch" || exit 1

# The code block of README, in one line and with the program that was built.
command=$(sed -n '/^```sh/,/^```/p' "$models/README.md" | grep -v '^```' | sed 's/\\$//' | tr '\n' ' ')
read -ra words <<<"$command"
holds "README names a command" test "${words[0]} ${words[1]} ${words[2]}" = "orrery run training"
"$cli" "${words[@]:1}" --format none >out.txt 2>&1
equals "it runs" 0 $?
made=(made/models/*)
equals "it keeps a model before its first step and behind its last" 2 "${#made[@]}"
for file in config.json tokenizer.json; do
  holds "$file has the bytes that come with Orrery" cmp "${made[1]}/$file" "$models/bytes_rope/$file"
done
if grep -qm1 ' avx512vl ' /proc/cpuinfo; then
  holds "so have the weights" cmp "${made[1]}/model.safetensors" "$models/bytes_rope/model.safetensors"
fi
loss=$(sed -nE 's/^ *rope_loss +([0-9.]+) .*/\1/p' out.txt)
holds "its held-out loss is 2.08 nats, within 0.15" awk -v loss="$loss" \
  'BEGIN { exit !(loss > 1.93 && loss < 2.23) }'
finish
