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

TEXTS = ["README.md", "docs/*.md", "assets/lessons/*.md", "assets/presets/*.toml", "experiments/studies/*/*.cpp",
         "experiments/manual/*.cpp", "experiments/setup/*.cpp", "core/encodings/*.cpp", "app/*/*.cpp"]
NAMES = re.compile(r"\b(RoPE|ALiBi|T5|Shaw|KERPLE|[Ss]inus\w*|learned positions|no position)\b")
LEARNS = re.compile(r"\b(train|trained|training|learn|learns|learned|learnt|loss|losses|copies|copying|copy)\b")
RANKS = re.compile(r"\b(cannot|can|best|worst|worse|better|highest|lowest|less|more|faster|fastest|badly|well|goes? on|fails?|beats?|learns?)\b")


class Cell:
    """Models of one initial deviation, rate and seed, by encoding."""

    def __init__(self, deviation):
        self.deviation = float(deviation)
        self.rows = {}

    def of(self, column, *encodings):
        values = [float(self.rows[one][column]) for one in encodings]
        return values if len(values) > 1 else values[0]


def cells_of(path):
    cells = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["token_deviation"], row["learning_rate"], row["seed"])
            cells.setdefault(key, Cell(key[0])).rows[row["encoding"]] = row
    return cells


def says_three_back(cell):
    return min(cell.of("accuracy", "rope", "learned")) > 0.99 and max(cell.of("accuracy", "alibi", "none")) < 0.5


def is_least(column, encoding):
    return lambda cell: all(cell.of(column, encoding) < cell.of(column, other) for other in cell.rows if other != encoding)


def is_most(column, encoding):
    return lambda cell: all(cell.of(column, encoding) > cell.of(column, other) for other in cell.rows if other != encoding)


def changes_its_place(cell):
    rope, alibi, learned = cell.of("loss", "rope", "alibi", "learned")
    return rope > alibi if cell.deviation == 0.2 else rope < min(alibi, learned)


def gives_up_at_four(cell):
    near = [cell.of(column, "rope") < cell.of(column, "none") for column in ("loss", "loss_at_2L")]
    return all(near) and cell.of("loss_at_4L", "rope") > cell.of("loss_at_4L", "none")


def have_looked_back(cell):
    pairs = [(float(row["loss"]), float(row["induction"])) for row in cell.rows.values()]
    return all((loss < 0.5) == (score > 0.25) for loss, score in pairs)


def is_below(column, one, other):
    return lambda cell: cell.of(column, one) < cell.of(column, other)


# The file, the sentence without its line breaks, its table, and what must hold in every cell.
CLAIMS = [
    ("docs/training.md",
     "By default two layers of 32 channels learn to say the symbol three tokens back, in a second: models with RoPE and "
     "with learned positions say nearly all of them right, models with ALiBi and with no position less than half.",
     "copy_at", says_three_back),
    ("docs/small_models.md", "Of hidden bytes RoPE has the lowest loss of the six.", "masked", is_least("loss", "rope")),
    ("docs/small_models.md", "ALiBi has a lower one than learned positions.", "masked", is_below("loss", "alibi", "learned")),
    ("docs/small_models.md",
     "With linear attention RoPE loses less than no position at the learned length and at twice that, and more at four times.",
     "linear", gives_up_at_four),
    ("docs/small_models.md", "Of next bytes no position has the highest loss at the learned length.", "causal", is_most("loss", "none")),
    ("docs/small_models.md", "RoPE has a lower one there than ALiBi.", "causal", is_below("loss", "rope", "alibi")),
    ("docs/small_models.md", "At twice the length ALiBi has the lowest loss.", "causal", is_least("loss_at_2L", "alibi")),
    ("docs/small_models.md", "So it has at four times.", "causal", is_least("loss_at_4L", "alibi")),
    ("docs/small_models.md", "Of copies no position has the highest loss of the six.", "copying", is_most("loss", "none")),
    ("docs/small_models.md", "At twice the length of copies ALiBi has the lowest.", "copying", is_least("loss_at_2L", "alibi")),
    ("docs/small_models.md",
     "RoPE has a higher loss of copies than ALiBi at 0.2, and a lower one than ALiBi and learned positions at 0.5 and at 1.",
     "copying", changes_its_place),
    ("docs/small_models.md",
     "Every model whose loss of copies falls below 0.5 has had a head that put a quarter of its weight on what followed this "
     "symbol the last time, and no other model has.",
     "heads", have_looked_back),
    ("docs/small_models.md",
     "With the blocks of RoFormer RoPE has a lower loss of hidden bytes than learned positions, at 0.02, 0.05 and 0.2.",
     "against_bert", is_below("loss", "rope", "learned")),
]

# Columns of the page's table of losses: the recorded table, its column, and the encodings' names there.
COLUMNS = [("masked", "loss"), ("linear", "loss"), ("causal", "loss"), ("causal", "loss_at_2L"), ("causal", "loss_at_4L")]
ROWS = {"RoPE": "rope", "T5": "t5", "ALiBi": "alibi", "learned": "learned", "sinusoidal": "sinusoidal", "none": "none"}


def best_of(table, column, encoding):
    """Mean over seeds and half of the way from the lowest to the highest, where the mean loss is lowest."""
    found = {}
    for key, cell in cells_of(table).items():
        if encoding in cell.rows:
            found.setdefault(key[:2], []).append((cell.of("loss", encoding), cell.of(column, encoding)))
    if not found:
        return ""
    best = min(found.values(), key=lambda runs: sum(loss for loss, _ in runs))
    values = [value for _, value in best]
    return f"{sum(values) / len(values):.2f} ± {(max(values) - min(values)) / 2:.2f}"


def wrong_numbers(tree):
    page = (tree / "docs/small_models.md").read_text()
    for name, encoding in ROWS.items():
        numbers = [best_of(tree / "tests/lab" / f"{table}.csv", column, encoding) for table, column in COLUMNS]
        row = f"| {name} |" + "".join(f" {number} |" if number else " |" for number in numbers)
        if row not in page:
            yield f"docs/small_models.md: the recorded tables say {row}"


def sentences_of(text):
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    for block in re.split(r"\n\s*\n|\n\|[^\n]*|\n#[^\n]*|^description = |\"", text):
        for sentence in re.split(r"(?<=[.!?]) +", " ".join(block.split())):
            yield sentence.strip().removeprefix("- ")


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
    wrong += wrong_numbers(tree)
    claimed = " ".join(sentence for _, sentence, _, _ in CLAIMS)
    for path in sorted(path for pattern in TEXTS for path in tree.glob(pattern)):
        if path.suffix == ".toml" and 'experiment = "training"' not in path.read_text():
            continue
        is_about = path.name in ("training.md", "small_models.md") or path.suffix == ".toml"
        for sentence in sentences_of(path.read_text()):
            measured = "{}" in sentence  # in the run that says it
            learns = is_about or LEARNS.search(sentence.replace("learned positions", ""))
            if NAMES.search(sentence) and RANKS.search(sentence) and learns and not measured and sentence not in claimed:
                wrong.append(f"{path.relative_to(tree)}: ranks an encoding without a recorded table: {sentence}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
