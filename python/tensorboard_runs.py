#!/usr/bin/env python3
"""Write the results of a sweep as runs of TensorBoard.

    python3 python/tensorboard_runs.py SWEEP/results.csv RUNS
    tensorboard --logdir RUNS

Each row of results.csv, a point and an encoding, becomes a run: its measures are scalars, its
settings are hyperparameters. Needs the packages torch and tensorboard.
"""

import csv
import math
import pathlib
import sys

from torch.utils.tensorboard import SummaryWriter

ABOUT_THE_POINT = ("id", "status", "repeat", "seed", "encoding", "error")


def number(text):
    """The number that a cell holds, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def main(results, runs):
    with open(results, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(pathlib.Path(results).with_name("measures.csv"), newline="", encoding="utf-8") as file:
        measures = {row["name"] for row in csv.DictReader(file)}
    for row in rows:
        if row["status"] != "done":
            continue
        scalars = {key: number(text) for key, text in row.items() if key.removeprefix("measure.") in measures}
        settings = {
            key: number(text) if number(text) is not None else text
            for key, text in row.items()
            if key not in scalars and key not in ABOUT_THE_POINT and not key.startswith("check.")
        }
        encoding = row.get("encoding", "")
        if encoding:
            settings["encoding"] = encoding
        with SummaryWriter(pathlib.Path(runs, "-".join(filter(None, (row["id"], encoding))))) as writer:
            known = {key: value for key, value in scalars.items() if value is not None and not math.isnan(value)}
            writer.add_hparams(settings, known, run_name=".")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
