#!/usr/bin/env python3
"""Writes attention_statistics.json: signs, sums and distances of attention weights, computed without Orrery.

Linear attention by loops over pairs of tokens with dense rotation matrices, softmax attention with RoPE
likewise, and the entropy and the recent share of ALiBi's weights where contents say nothing. Run it with
numpy installed; the tests do not need it.
"""
import json
import math
import pathlib
import sys

import numpy as np

N, D, BASE, SHIFT = 10, 6, 100.0, 7


def numbers(rows, columns, a, b, m, scale=4.0):
    return np.array([[((a * i * i + b * c + i * c) % m - m // 2) / scale for c in range(columns)] for i in range(rows)])


q, k, v = numbers(N, D, 5, 2, 9), numbers(N, D, 3, 4, 7), numbers(N, 3, 2, 5, 11)


def rotation(position):
    r = np.zeros((D, D))
    for t in range(D // 2):
        angle = position * BASE ** (-2 * t / D)
        r[2 * t, 2 * t] = r[2 * t + 1, 2 * t + 1] = math.cos(angle)
        r[2 * t, 2 * t + 1], r[2 * t + 1, 2 * t] = -math.sin(angle), math.sin(angle)
    return r


FEATURES = {"elu_plus_one": lambda x: np.where(x > 0, x + 1, np.exp(x)), "relu": lambda x: np.maximum(x, 0)}


def weights(phi, variant, causal, first=0):
    a = np.zeros((N, N))
    for i in range(N):
        above, below = np.zeros(N), 0.0
        for j in range(N):
            if causal and j > i:
                continue
            Ri, Rj = rotation(i + first), rotation(j + first)
            if variant == "rotated_before":
                fq, fk = phi(Ri @ q[i]), phi(Rj @ k[j])
                above[j] = fq @ fk
                below += above[j]
                continue
            fq, fk = phi(q[i]), phi(k[j])
            plain, turned = fq @ fk, (Ri @ fq) @ (Rj @ fk)
            above[j] = plain if variant == "unrotated" else turned
            below += turned if variant == "both_rotated" else plain
        a[i] = above / below if below != 0 else 0.0  # nothing to divide by: no weights
    return a


def softmax(causal):
    a = np.zeros((N, N))
    for i in range(N):
        e = [0.0 if causal and j > i else math.exp((rotation(i) @ q[i]) @ (rotation(j) @ k[j]) / math.sqrt(D))
             for j in range(N)]
        a[i] = np.array(e) / sum(e)
    return a


def statistics(phi, variant, causal):
    a = weights(phi, variant, causal)
    visible = np.tril(np.ones((N, N), bool)) if causal else np.ones((N, N), bool)
    sums = a.sum(axis=1)
    return {"negative_share": float(((a < 0) & visible).sum() / visible.sum()),
            "most_negative": float(min(0.0, a.min())),
            "negative_mass": float(-a[a < 0].sum() / np.abs(a).sum()),
            "row_sum_min": float(sums.min()), "row_sum_max": float(sums.max()),
            "row_sum_error": float(np.abs(1 - sums).max()),
            "shift_residual": float(np.abs(weights(phi, variant, causal, SHIFT) - a).max()),
            "half_difference": float(np.abs(a - softmax(causal)).sum() / 2 / N)}


def alibi(n, slope, window):
    e = np.exp(-slope * np.arange(n)[::-1])
    a = e / e.sum()
    return {"length": n, "entropy": float(-(a * np.log2(a)).sum()), "recent": float(a[-window:].sum())}


variants = ["paper", "both_rotated", "rotated_before", "unrotated"]
linear = [{"causal": causal, "features": name, "variant": variant, **statistics(phi, variant, causal)}
          for causal in (False, True) for name, phi in FEATURES.items() for variant in variants]
out = {"generator": "tests/golden/generate_attention_statistics.py",
       "versions": {"python": sys.version.split()[0], "numpy": np.__version__},
       "base": BASE, "shift": SHIFT, "q": q.tolist(), "k": k.tolist(), "v": v.tolist(), "linear": linear,
       "alibi": {"slope": 1 / 64, "window": 32, "points": [alibi(n, 1 / 64, 32) for n in (16, 512, 513, 2048)]}}
path = pathlib.Path(__file__).with_name("attention_statistics.json")
path.write_text(json.dumps(out, indent=1) + "\n")
