#!/usr/bin/env python3
"""Writes kerple.json: KERPLE's biases and attention with them, computed without Orrery.

The two kernels of Chi et al. 2022 in mpmath with 50 digits, at distances up to 2^53, and a head of
attention with each of them in NumPy's float64, with loops over pairs of tokens. Run it with mpmath
and numpy installed; the tests do not need it.
"""
import json
import pathlib
import platform

import mpmath
import numpy as np

mpmath.mp.dps = 50
PARAMETERS = {"logarithmic": [(1.0, 0.5), (1.75, 0.01), (0.0625, 900.0)],
              "power": [(1.0, 0.5), (0.25, 1.0), (0.75, 1.9), (0.001, 2.0)]}
DISTANCES = [0, 1, 2, 3, 7, 64, 1000, 2**24 + 1, 2**53]
P = [0, 1, 2, 5, 9, 40]
N, D, HEADS = len(P), 4, 3


def bias(variant, r1, r2, distance):
    r1, r2, distance = mpmath.mpf(r1), mpmath.mpf(r2), mpmath.mpf(distance)
    return -r1 * (mpmath.log(1 + r2 * distance) if variant == "logarithmic" else distance**r2)


def numbers(rows, columns, a, b, m):
    return np.array([[((a * i + b * c) % m - m // 2) / 4.0 for c in range(columns)] for i in range(rows)])


def attention(variant, r1, r2):
    logits = np.array([[q[i] @ k[j] / np.sqrt(D) + float(bias(variant, r1, r2, abs(P[i] - P[j])))
                        for j in range(N)] for i in range(N)])
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return {"logits": logits.tolist(), "weights": weights.tolist(), "output": (weights @ v).tolist()}


q, k, v = numbers(N, D, 5, 2, 9), numbers(N, D, 3, 4, 7), numbers(N, D, 2, 5, 11)
r1, r2 = [1.25, 0.5, 0.0625], [0.375, 1.0, 1.75]
biases = [{"variant": variant, "r1": a, "r2": b, "by distance": {str(r): float(bias(variant, a, b, r)) for r in DISTANCES}}
          for variant, pairs in PARAMETERS.items() for a, b in pairs]
cases = [{"variant": variant, "head": head, **attention(variant, r1[head], r2[head])}
         for variant in PARAMETERS for head in range(HEADS)]
inputs = {"q": q.tolist(), "k": k.tolist(), "v": v.tolist(), "positions": P, "r1": r1, "r2": r2}
versions = {"python": platform.python_version(), "numpy": np.__version__, "mpmath": mpmath.__version__}
pathlib.Path(__file__).with_name("kerple.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_kerple.py", "versions": versions, "inputs": inputs, "biases": biases, "cases": cases},
    separators=(",", ":")).replace("],\"", "],\n\"").replace("},{", "},\n{") + "\n")
