#!/usr/bin/env python3
"""Cosines of RoPE's pairs averaged over logarithmic columns, by mpmath at 40 digits: the plain sum
over every token of its overlap with the column times its cosine, without the closed form."""
import json
import sys

import mpmath
from mpmath import mp, mpf

mp.dps = 40


def edges(last, count):
    high = mpmath.log(last + mpf(1) / 2, 2)
    return [mpf(2) ** (high * i / count) for i in range(count + 1)]


def mean_over(column, last, value):
    a, b = column
    total = mpf(0)
    for r in range(1, last + 1):
        overlap = min(b, r + mpf(1) / 2) - max(a, r - mpf(1) / 2)
        if overlap > 0:
            total += overlap * value(r)
    return total / (b - a)


def case(d, base, last, count):
    bounds = edges(last, count)
    columns = list(zip(bounds, bounds[1:]))
    thetas = [mpf(base) ** (-mpf(2 * t) / d) for t in range(d // 2)]
    rows = [[mean_over(c, last, lambda r: mpmath.cos(r * theta)) for c in columns]
            for theta in thetas]
    return {"d": d, "base": base, "last": last, "columns": count,
            "from": [float(c[0]) for c in columns],
            "rows": [[float(x) for x in row] for row in rows],
            "mean": [float(sum(column) / len(thetas)) for column in zip(*rows)]}


def main():
    golden = {"generator": "tests/golden/generate_score_spectrogram.py",
              "versions": {"mpmath": mpmath.__version__},
              "cases": [case(8, 10000, 64, 16), case(16, 500, 1000, 24)]}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(golden, file, indent=1)
        file.write("\n")


main()
