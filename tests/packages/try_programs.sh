#!/usr/bin/env bash
# The programs of a package do what they are for. What they print is the same wherever they run.
#   try_programs.sh BIN SHARE
set -euo pipefail
PATH=$1:$PATH
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

orrery --version | head -1
orrery list | wc -l
orrery run long_term_decay dim=64 max_distance=40 --format svg,png,pdf --out decay --quiet
for kind in svg png pdf csv; do
  [[ $(find decay -name "*.$kind" | wc -l) -gt 0 ]] || { echo "no $kind in decay" >&2; exit 1; }
done
orrery verify --only DeBERTa | tail -1

# Words of Thai, characters of several parts, and normal forms: ICU's data is there.
printf 'สวัสดีชาวโลก 日本語の文章 cafe\xcc\x81 👩‍👩‍👧 ﬁn Ⅳ naïve' >words.txt
orrery run attention_map text=words.txt --format svg --out map --quiet
find map -name '*.svg' | sort | xargs cat | md5sum
for model in "$here"/tokenizers/*.gguf; do
  echo "$(basename "$model") $(orrery tokens "$model" text=words.txt --json | md5sum)"
done

env -u DISPLAY orrery-desktop --render views --view rotation --no-restore >/dev/null
for picture in views/*.png; do
  [[ $(head -c 4 "$picture" | tail -c 3) == PNG && $(wc -c <"$picture") -gt 20000 ]] || exit 1
done
echo "the desktop draws"
# shellcheck disable=SC1091
(source "$2/bash-completion/completions/orrery" && complete -p orrery)
