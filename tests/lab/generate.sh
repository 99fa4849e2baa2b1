#!/usr/bin/env bash
# The tables that sentences about trained models are held to: each task at three initial deviations of token vectors,
# three learning rates and three seeds. Some minutes on two cores.
#   generate.sh ORRERY
set -euo pipefail
orrery=$(readlink -f "$1")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
swept() { # TABLE RATES SWEEP SETTING...
  local table=$1 rates=$2
  shift 2
  "$orrery" sweep "$@" token_deviation=0.2,0.5,1 learning_rate="$rates" seed=0,1,2 seeds=1 --format none --out "$table"
  python3 - "$table/results.csv" "$here/$table.csv" <<'EOF'
import csv
import sys

columns = ["token_deviation", "learning_rate", "seed", "encoding", "loss", "accuracy", "loss_at_2L"]
with open(sys.argv[1], newline="") as read, open(sys.argv[2], "w", newline="") as written:
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(columns)
    for row in csv.DictReader(read):
        rows.writerow(row[name] if name in columns[:4] else f"{float(row[name]):.4g}" for name in columns)
EOF
}
swept copy_at 5e-3,1e-2,2e-2 training
swept copying 1.5e-3,3e-3,6e-3 copying encoding=rope+alibi+learned steps=800 tokens=24 batch=32 extrapolation=2
