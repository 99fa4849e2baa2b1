#!/usr/bin/env python3
"""Holds each sentence about what encodings learn to the table that was recorded for it.

    claims.py TREE

A model of the lab that does worst or best at one initial size, rate or seed may not at another: a sentence stands only
where it holds in every cell of its table. A sentence of TEXTS that names an encoding and ranks it, and that no claim has,
is told as well. The tables are made by tests/lab/generate.sh.
"""
import csv
import re
import sys
import pathlib

TEXTS = ["docs/training.md", "assets/presets/*.toml", "experiments/studies/training/*.cpp"]
NAMES = re.compile(r"\b(RoPE|ALiBi|T5|Shaw|KERPLE|[Ss]inus\w*|learned positions|no position)\b")
RANKS = re.compile(r"\b(cannot|can|best|worst|worse|better|highest|lowest|less|more|faster|fastest|badly|well|goes? on|fails?|beats?|learns?)\b")


class Cell:
    """Models of one initial deviation, rate and seed, by encoding."""

    def __init__(self, deviation):
        self.deviation = float(deviation)
        self.rows = {}

    def of(self, column, *encodings):
        return [float(self.rows[one][column]) for one in encodings]


def cells_of(path):
    cells = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["token_deviation"], row["learning_rate"], row["seed"])
            cells.setdefault(key, Cell(key[0])).rows[row["encoding"]] = row
    return cells


def says_three_back(cell):
    return min(cell.of("accuracy", "rope", "learned")) > 0.99 and max(cell.of("accuracy", "alibi", "none")) < 0.5


def goes_on_beyond(cell):
    alibi, rope, learned = cell.of("loss_at_2L", "alibi", "rope", "learned")
    return alibi < min(rope, learned)


def changes_its_place(cell):
    losses = cell.of("loss", "rope", "alibi", "learned")
    return losses[0] == (max(losses) if cell.deviation == 0.2 else min(losses))


# The file, the sentence without its line breaks, its table, and what must hold in every cell.
CLAIMS = [
    ("docs/training.md",
     "By default two layers of 32 channels learn to say the symbol three tokens back, in a second: models with RoPE and "
     "with learned positions say nearly all of them right, models with ALiBi and with no position less than half.",
     "copy_at", says_three_back),
    ("docs/training.md",
     "Beyond the length that it learned to copy from, ALiBi loses less than RoPE and learned positions.",
     "copying", goes_on_beyond),
    ("docs/training.md",
     "After 800 steps of copying RoPE has the highest loss of these three at 0.2, and the lowest at 0.5 and at 1.",
     "copying", changes_its_place),
]


def sentences_of(text):
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    for block in re.split(r"\n\s*\n|\n\|[^\n]*|\n#[^\n]*|^description = |\"", text):
        for sentence in re.split(r"(?<=[.!?]) +", " ".join(block.split())):
            yield sentence.strip()


def main():
    tree = pathlib.Path(sys.argv[1])
    wrong = []
    for file, sentence, table, holds in CLAIMS:
        if sentence not in " ".join((tree / file).read_text().split()):
            wrong.append(f"{file}: does not have the sentence: {sentence}")
        cells = cells_of(tree / "tests/lab" / f"{table}.csv")
        extents = [{key[i] for key in cells} for i in range(3)]
        if len(cells) != 27 or any(len(extent) != 3 for extent in extents):
            wrong.append(f"{table}.csv: is not of 3 deviations, 3 rates and 3 seeds")
        bad = [key for key, cell in cells.items() if not holds(cell)]
        if bad:
            wrong.append(f"{file}: does not hold in {len(bad)} of {len(cells)} cells of {table}.csv, the first {bad[0]}: {sentence}")
    claimed = " ".join(sentence for _, sentence, _, _ in CLAIMS)
    for pattern in TEXTS:
        for path in sorted(tree.glob(pattern)):
            if path.suffix == ".toml" and 'experiment = "training"' not in path.read_text():
                continue
            for sentence in sentences_of(path.read_text()):
                measured = "{}" in sentence  # in the run that says it
                if NAMES.search(sentence) and RANKS.search(sentence) and not measured and sentence not in claimed:
                    wrong.append(f"{path.relative_to(tree)}: ranks an encoding without a recorded table: {sentence}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
