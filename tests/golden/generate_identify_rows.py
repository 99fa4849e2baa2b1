#!/usr/bin/env python3
"""Writes identify_rows.json: q before and after a rope whose rows are not at 0, 1, 2, …, by formulas in NumPy.

Drawn are the pairing, the base, the width that turns, a linear or Llama 3.1's scaling, heads, the format of the tensor, and
where its rows are: at an offset of up to 10^6, behind a jump, exchanged, stale, in packed texts, behind left padding.
python3 generate_identify_rows.py            writes the golden file
python3 generate_identify_rows.py DIR N S    writes N draws of seed S as b_i.npy, a_i.npy, and draws.json
"""
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
KINDS = ("offset", "far offset", "jump", "far jump", "exchanged", "stale", "packed", "padded", "chunks")


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


def frequencies(width, base, scaling):
    theta = base ** (-np.arange(0, width, 2) / width)
    if scaling == "linear by 4":
        return theta / 4
    if scaling == "llama3 by 8 from 8192 tokens":
        length = 2 * np.pi / theta
        smooth = (8192 / length - 1) / 3
        middle = (1 - smooth) * theta / 8 + smooth * theta
        return np.where(length > 8192, theta / 8, np.where(length < 8192 / 4, theta, middle))
    return theta


def rows_of(random, kind, n):
    p = np.arange(n)
    if kind == "offset":
        return p + int(random.integers(3, 4000))
    if kind == "far offset":
        return p + int(random.integers(4000, 1_000_000))
    if kind == "jump":
        return p + np.where(p >= int(random.integers(4, n - 4)), int(random.integers(2, 2000)), 0)
    if kind == "far jump":
        return p + np.where(p >= int(random.integers(4, n - 4)), int(random.integers(5000, 900_000)), 0)
    if kind == "exchanged":
        a, b = random.choice(n, 2, replace=False)
        p[[a, b]] = p[[b, a]]
        return p
    if kind == "stale":
        p[int(random.integers(3, n))] = int(random.integers(n, 3000))
        return p
    if kind == "packed":
        ends = np.sort(random.choice(np.arange(1, n), 3, replace=False))
        return np.concatenate([np.arange(len(part)) for part in np.split(p, ends)])
    if kind == "padded":
        return np.maximum(p - int(random.integers(1, n // 2)), 0)
    return np.concatenate([p[:n // 2] + int(random.integers(3, 500)), p[n // 2:] + int(random.integers(600, 5000))])


def draw(random, kind, n=20, fmt=None):
    d = int(random.choice([32, 64, 128]) if n > 20 else 32)
    width = d if random.random() < 0.7 else d // 2
    base = float(random.choice([1e4, 5e5, 1e6, 25000.0, 1e3]))
    scaling = str(random.choice(["none", "none", "linear by 4", "llama3 by 8 from 8192 tokens"]))
    pairing = str(random.choice(["half_split", "interleaved"]))
    fmt = fmt or str(random.choice(["fp32", "bf16"]))
    p = rows_of(random, kind, n)
    x = random.standard_normal((int(random.choice([2, 4])) if n > 20 else 2, n, d)).astype(np.float32)
    x = bf16(x) if fmt == "bf16" else x
    angles = np.outer(p, frequencies(width, base, scaling))
    cos, sin = np.cos(angles), np.sin(angles)
    first = np.arange(width // 2) if pairing == "half_split" else np.arange(0, width, 2)
    second = first + (width // 2 if pairing == "half_split" else 1)
    y = x.astype(np.float64)
    y[..., first], y[..., second] = (x[..., first] * cos - x[..., second] * sin, x[..., second] * cos + x[..., first] * sin)
    y = bf16(y) if fmt == "bf16" else y.astype(np.float32)
    return {"kind": kind, "d": d, "width": width, "base": base, "scaling": scaling, "pairing": pairing, "format": fmt,
            "positions": [int(v) for v in p]}, x, y


def hexed(x):
    return np.ascontiguousarray(x, np.float32).astype(">f4").tobytes().hex()


def main():
    if len(sys.argv) == 4:
        folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(seed)
        facts = []
        for i in range(count):
            fact, x, y = draw(random, KINDS[i % len(KINDS)], n=int(random.choice([24, 40, 64])))
            np.save(folder / f"b_{i}.npy", x)
            np.save(folder / f"a_{i}.npy", y)
            facts.append(fact)
        (folder / "draws.json").write_text(json.dumps(facts))
        return
    random = np.random.default_rng(20261130)
    cases = []
    for i in range(18):
        fact, x, y = draw(random, KINDS[i % len(KINDS)], fmt=("fp32", "bf16")[i // len(KINDS)])
        cases.append({**fact, "shape": list(x.shape), "before": hexed(x), "after": hexed(y)})
    (HERE / "identify_rows.json").write_text(
        json.dumps({"generator": "tests/golden/generate_identify_rows.py", "versions": {"numpy": np.__version__},
                    "cases": cases}, separators=(",", ":")).replace('},{', '},\n{') + "\n")


if __name__ == "__main__":
    main()
