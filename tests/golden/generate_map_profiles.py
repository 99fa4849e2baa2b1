#!/usr/bin/env python3
"""Writes map_profiles.json: the terms of three encodings by m - n, computed without Orrery.

Each term is a matrix of loops over pairs of positions; its profile is numpy's mean, min and max of the
diagonals, over all pairs and over those that a causal mask leaves. Run it with numpy installed; the tests
do not need it.
"""
import json
import math
import pathlib
import sys

import numpy as np

N, D, H, HEAD, SPAN = 11, 6, 2, 1, 4


def numbers(rows, columns, a, b, m, scale=4.0):
    return np.array([[((a * i + b * c) % m - m // 2) / scale for c in range(columns)] for i in range(rows)])


inputs = {"x": numbers(N, D, 7, 3, 11), "W_q": numbers(D, D, 5, 2, 7), "W_k": numbers(D, D, 3, 4, 9),
          "q": numbers(N, D, 5, 2, 9), "k": numbers(N, D, 3, 4, 7), "t5.table": numbers(32, H, 3, 7, 17),
          "deberta.table": numbers(2 * SPAN, D, 5, 3, 13, 200.0),
          "deberta.W_qr": numbers(D, H * D, 3, 4, 11), "deberta.W_kr": numbers(D, H * D, 5, 2, 13)}


def pairs(f):
    return np.array([[f(m, n) for n in range(N)] for m in range(N)])


def sinusoidal():
    p = np.zeros((N, D))
    for m in range(N):
        for t in range(D // 2):
            angle = m * 10000.0 ** (-2 * t / D)
            p[m, 2 * t], p[m, 2 * t + 1] = math.sin(angle), math.cos(angle)
    qx, kx = inputs["x"] @ inputs["W_q"], inputs["x"] @ inputs["W_k"]
    qp, kp = p @ inputs["W_q"], p @ inputs["W_k"]
    scale = math.sqrt(D)
    return {"content": qx @ kx.T / scale, "content_to_position": qx @ kp.T / scale,
            "position_to_content": qp @ kx.T / scale, "position_to_position": qp @ kp.T / scale}


def t5_bucket(ahead):
    """Transformers' _relative_position_bucket, bidirectional, 32 buckets to 128; ahead = n - m."""
    n, first = abs(ahead), 16 if ahead > 0 else 0
    return first + (n if n < 8 else min(15, 8 + int(math.log(n / 8) / math.log(128 / 8) * 8)))


def t5():
    return {"content": inputs["q"] @ inputs["k"].T,
            "relative_bias": pairs(lambda m, n: inputs["t5.table"][t5_bucket(n - m), HEAD])}


def deberta():
    def row(r):
        return 0 if r <= -SPAN else 2 * SPAN - 1 if r >= SPAN else r + SPAN
    of_head = slice(HEAD * D, (HEAD + 1) * D)
    keys = inputs["deberta.table"] @ inputs["deberta.W_kr"][:, of_head]
    queries = inputs["deberta.table"] @ inputs["deberta.W_qr"][:, of_head]
    q, k, scale = inputs["q"], inputs["k"], math.sqrt(3 * D)
    return {"content": q @ k.T / scale,
            "content_to_position": pairs(lambda m, n: q[m] @ keys[row(m - n)] / scale),
            "position_to_content": pairs(lambda m, n: k[n] @ queries[row(n - m)] / scale)}


def profile(term, seen):
    diagonals = [[term[m, n] for m in range(N) for n in range(N) if m - n == r and seen[m, n]]
                 for r in range(1 - N, N)]
    kept = [(r, np.array(values)) for r, values in zip(range(1 - N, N), diagonals) if values]
    return {"distance": [r for r, _ in kept], "mean": [float(v.mean()) for _, v in kept],
            "smallest": [float(v.min()) for _, v in kept], "largest": [float(v.max()) for _, v in kept],
            "spread": float(max(v.max() - v.min() for _, v in kept if len(v) > 1))}


full, causal = np.ones((N, N), bool), np.tril(np.ones((N, N), bool))
document = {"generator": "tests/golden/generate_map_profiles.py",
            "versions": {"python": sys.version.split()[0], "numpy": np.__version__},
            "tokens": N, "d": D, "heads": H, "head": HEAD, "span": SPAN,
            "inputs": {name: value.tolist() for name, value in inputs.items()},
            "cases": {name: {term: {"full": profile(values, full), "causal": profile(values, causal)}
                             for term, values in {**terms(), "logits": sum(terms().values())}.items()}
                      for name, terms in (("sinusoidal", sinusoidal), ("t5", t5), ("deberta", deberta))}}
path = pathlib.Path(__file__).parent / "map_profiles.json"
path.write_text(json.dumps(document).replace(", \"", ",\n\"") + "\n")
