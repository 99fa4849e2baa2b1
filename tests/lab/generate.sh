#!/usr/bin/env bash
# The tables that sentences about trained models are held to: each task at three initial deviations of token vectors,
# three learning rates and three seeds. Three quarters of an hour on two cores.
#   generate.sh ORRERY [TABLE...]
set -euo pipefail
orrery=$(readlink -f "$1")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
wanted=" ${*:2} "
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
swept() { # TABLE DEVIATIONS RATES SWEEP SETTING...
  local table=$1 deviations=$2 rates=$3
  shift 3
  if [[ $wanted != "  " && $wanted != *" $table "* ]]; then return; fi
  "$orrery" sweep "$@" token_deviation="$deviations" learning_rate="$rates" seed=0,1,2 seeds=1 rates_tried=1 \
    deviations_tried=1 --format none --out "$table"
  python3 - "$table/results.csv" "$here/$table.csv" <<'END'
import csv
import sys

columns = ["token_deviation", "learning_rate", "seed", "encoding", "loss", "accuracy", "loss_at_2L", "loss_at_4L"]
with open(sys.argv[1], newline="") as read, open(sys.argv[2], "w", newline="") as written:
    rows = csv.writer(written, lineterminator="\n")
    found = csv.DictReader(read)
    kept = [name for name in columns if name in found.fieldnames]
    rows.writerow(kept)
    for row in found:
        rows.writerow(row[name] if name in columns[:4] else f"{float(row[name]):.4g}" for name in kept)
END
}
swept copy_at 0.2,0.5,1 5e-3,1e-2,2e-2 training
swept copying 0.2,0.5,1 1.5e-3,3e-3,6e-3 copying
swept masked 0.2,0.5,1 3e-3,6e-3,12e-3 roformer_figure_3_left
swept linear 0.2,0.5,1 3e-3,6e-3,12e-3 roformer_figure_3_right
swept causal 0.2,0.5,1 3e-3,6e-3,12e-3 roformer_table_5_in_small
formed() { # TABLE SETTING...
  local table=$1 deviation rate
  shift
  if [[ $wanted != "  " && $wanted != *" $table "* ]]; then return; fi
  echo "token_deviation,learning_rate,seed,encoding,loss,induction" >"$here/$table.csv"
  for deviation in 0.2 0.5 1; do
    for rate in 1.5e-3 3e-3 6e-3; do
      "$orrery" run "$@" token_deviation=$deviation learning_rate=$rate seeds=3 --format none --out formed --force
      python3 - formed/tables/curves.csv "$deviation" "$(python3 -c "print($rate)")" >>"$here/$table.csv" <<'END'
import csv
import sys

runs = {}
for row in csv.DictReader(open(sys.argv[1], newline="")):
    runs.setdefault((row["encoding"], row["seed"]), []).append((float(row["loss"]), float(row["induction"])))
for (encoding, seed), steps in runs.items():  # the loss at the end, and the highest score on the way
    print(sys.argv[2], sys.argv[3], seed, encoding, f"{steps[-1][0]:.4g}", f"{max(score for _, score in steps):.4g}", sep=",")
END
    done
  done
}
formed heads heads_forming
swept against_bert 0.02,0.05,0.2 1.5e-3,3e-3,6e-3 roformer_against_bert
