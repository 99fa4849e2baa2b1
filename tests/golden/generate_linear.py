#!/usr/bin/env python3
"""Writes linear.json: linear attention by explicit double sums, computed without Orrery.

Eq. (19) of RoFormer, and the two variants that people write instead, with loops over pairs of tokens
and dense rotation matrices, in NumPy's float64. Run it with numpy installed; the tests do not need it.
"""
import json
import math
import pathlib
import sys

import numpy as np

P = [0, 1, 2, 5, 9]
N, D, M = len(P), 4, 6


def numbers(rows, columns, a, b, m, scale=4.0):
    return np.array([[((a * i + b * c) % m - m // 2) / scale for c in range(columns)] for i in range(rows)])


q, k, v, w = numbers(N, D, 5, 2, 9), numbers(N, D, 3, 4, 7), numbers(N, 3, 2, 5, 11), numbers(M, D, 3, 5, 11)


def rotation(position, d):
    r = np.zeros((d, d))
    for t in range(d // 2):
        angle = position * 10000.0 ** (-2 * t / d)
        r[2 * t, 2 * t] = r[2 * t + 1, 2 * t + 1] = math.cos(angle)
        r[2 * t, 2 * t + 1], r[2 * t + 1, 2 * t] = -math.sin(angle), math.sin(angle)
    return r


def elu(x):
    return np.where(x > 0, x + 1, np.exp(x))


def relu(x):
    return np.maximum(x, 0)


def favor(x):
    y = x * D ** -0.25
    return np.array([math.exp(wr @ y - y @ y / 2) / math.sqrt(M) for wr in w])


def attend(phi, variant, causal, eps=0.0):
    out = np.zeros((N, v.shape[1]))
    for i in range(N):
        above, below = np.zeros(v.shape[1]), 0.0
        for j in range(N):
            if causal and P[j] > P[i]:
                continue
            qi, kj = q[i], k[j]
            if variant == "rotated_before_features":
                qi, kj = rotation(P[i], D) @ qi, rotation(P[j], D) @ kj
            fq, fk = phi(qi), phi(kj)
            rq, rk = (fq, fk)
            if variant in ("paper", "both_rotated"):
                rq, rk = rotation(P[i], len(fq)) @ fq, rotation(P[j], len(fk)) @ fk
            above += (rq @ rk) * v[j]
            below += rq @ rk if variant == "both_rotated" else fq @ fk
        out[i] = above / (below + eps)
    return out.tolist()


cases = {f"{name} {variant} {'causal' if causal else 'full'}": attend(phi, variant, causal)
         for name, phi in (("elu", elu), ("relu", relu), ("favor", favor))
         for variant in ("plain", "paper", "both_rotated", "rotated_before_features")
         for causal in (False, True) if not (name == "relu" and causal)}
cases["elu paper full eps"] = attend(elu, "paper", False, 0.5)
document = {"generator": "tests/golden/generate_linear.py",
            "versions": {"python": sys.version.split()[0], "numpy": np.__version__}, "positions": P,
            "q": q.tolist(), "k": k.tolist(), "v": v.tolist(), "w": w.tolist(), "cases": cases}
path = pathlib.Path(__file__).with_name("linear.json")
path.write_text(json.dumps(document, separators=(",", ":")).replace("],\"", "],\n\"") + "\n")
