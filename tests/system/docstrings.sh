#!/usr/bin/env bash
# Docstrings have a form: a sentence; formulas on lines of their own, indented; then short paragraphs of shapes, units,
# errors, accuracy, cost and source. No paragraph has nine lines or more, indented ones aside.
#   docstrings.sh TREE    prints every paragraph that is longer, fails when there is one
set -euo pipefail
cd "$1"
# shellcheck disable=SC2016  # awk's own variables
long=$(find core experiments app -name '*.h' -print0 | sort -z | xargs -0r awk '
  function ends() { if (lines >= 9) print file ":" first ": a paragraph of " lines " lines"; lines = 0 }
  FNR == 1 { ends(); file = FILENAME }
  !match($0, /^[[:space:]]*\/\/\//) { ends(); next }
  { text = substr($0, RSTART + RLENGTH) }
  text ~ /^[[:space:]]*$/ { ends(); next }
  text ~ /^   / { next }
  { if (!lines++) first = FNR }
  END { ends() }')
if [[ -z $long ]]; then exit 0; fi
printf '%s\n' "$long" "Break them up: a sentence, formulas, then one paragraph per subject."
exit 1
