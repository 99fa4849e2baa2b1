#!/usr/bin/env python3
"""Writes core.json: reference numbers for tests/core, computed without Orrery.

Angles and decay sums come from mpmath with 60 digits, attention from NumPy in float64, both straight
from the formulas of the papers. Run it with numpy and mpmath installed; the tests need neither.
"""
import json
import pathlib
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def theta(d, base):
    return [mp.mpf(base) ** (mp.mpf(-2 * t) / d) for t in range(d // 2)]


def double_theta(d, base):
    """Frequencies as a float64 holds them: what a program multiplies positions with."""
    return [mp.mpf(float(x)) for x in theta(d, base)]


def turns(d, base, positions):
    """[position][t] = (cos, sin) of position * double(theta_t), correctly rounded."""
    return [[[float(mp.cos(p * t)), float(mp.sin(p * t))] for t in double_theta(d, base)]
            for p in map(mp.mpf, positions)]


def decay(d, base, distances):
    rows = []
    for r in distances:
        total, s = mp.mpf(0), mp.mpc(0)
        for t in theta(d, base):
            s += mp.expj(r * t)
            total += abs(s)
        rows.append([float(total / (d // 2)), float(s.real)])
    return rows


def rotation_matrix(d, r, base, half, position):
    """The block-diagonal R of eq. (15) as a dense matrix, pairs as chosen, identity beyond r."""
    m = np.eye(d)
    for t in range(r // 2):
        a, b = (t, t + r // 2) if half else (2 * t, 2 * t + 1)
        angle = position * float(base) ** (-2 * t / r)
        m[a, a], m[a, b], m[b, a], m[b, b] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return m


def sinusoid(d, base, positions, layout):
    i = np.asarray(positions, dtype=float)[:, None]
    pairs = d // 2
    if layout == "tensor2tensor":
        freq = np.exp(-np.arange(pairs) * np.log(base) / max(1, pairs - 1))
    else:
        freq = float(base) ** (-2 * np.arange(pairs) / d)
    if layout == "interleaved":
        out = np.empty((len(positions), d))
        out[:, 0::2], out[:, 1::2] = np.sin(i * freq), np.cos(i * freq)
        return out
    return np.hstack([np.sin(i * freq), np.cos(i * freq), np.zeros((len(positions), d - 2 * pairs))])


def slopes(n):
    def power(k):
        return [2.0 ** (-8.0 * (h + 1) / k) for h in range(k)]
    c = 2 ** int(np.floor(np.log2(n)))
    return power(c) + power(2 * c)[0::2][: n - c]


def softmax(logits, visible):
    logits = np.where(visible, logits, -np.inf)
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def attention_cases():
    """Contents and positions are fixed simple numbers, so that they are the same everywhere."""
    n, d = 5, 8
    x = np.array([[((7 * i + 3 * c) % 11 - 5) / 4 for c in range(d)] for i in range(n)])
    w_q = np.array([[((5 * i + 2 * c) % 7 - 3) / 4 for c in range(d)] for i in range(d)])
    w_k = np.array([[((3 * i + 4 * c) % 9 - 4) / 4 for c in range(d)] for i in range(d)])
    w_v = np.array([[((2 * i + 5 * c) % 5 - 2) / 4 for c in range(d)] for i in range(d)])
    positions = [0, 1, 2, 5, 1000]
    visible = np.array([[a >= b for b in positions] for a in positions])
    cases = {}

    def add(name, logits, v):
        w = softmax(logits, visible)
        cases[name] = {"logits": logits.tolist(), "weights": w.tolist(), "output": (w @ v).tolist()}

    q, k, v = x @ w_q, x @ w_k, x @ w_v
    add("none", q @ k.T / np.sqrt(d), v)
    for layout in ("interleaved", "concatenated", "tensor2tensor"):
        y = x + sinusoid(d, 10000, positions, layout)
        add("sinusoidal " + layout, (y @ w_q) @ (y @ w_k).T / np.sqrt(d), y @ w_v)
    for half in (False, True):
        for r in (8, 4):
            m = [rotation_matrix(d, r, 10000, half, p) for p in positions]
            rq = np.stack([m[i] @ q[i] for i in range(n)])
            rk = np.stack([m[i] @ k[i] for i in range(n)])
            add(f"rope {'half_split' if half else 'interleaved'} {r}", rq @ rk.T / np.sqrt(d), v)
    distance = np.array([[a - b for b in positions] for a in positions], dtype=float)
    for head in (0, 5):
        add(f"alibi symmetric head {head}",
            q @ k.T / np.sqrt(d) - slopes(6)[head] * abs(distance), v)
        add(f"alibi causal head {head}", q @ k.T / np.sqrt(d) - slopes(6)[head] * distance, v)
    return {"x": x.tolist(), "W_q": w_q.tolist(), "W_k": w_k.tolist(), "W_v": w_v.tolist(),
            "positions": positions, "cases": cases}


def roundings():
    """numpy's float16 and a bfloat16 by integer arithmetic on the float32 bits."""
    values = [1.0, 1.00390625, 1.01171875, -3.14159265, 1995.0, 15962.0, 65519.0, 65520.0, 1e-8,
              5.9604644775390625e-08, 3.0e-08, 2.9e-08, 0.1, 1e30, -1e-40, 3.4e38, 6.1e-05]

    def bf16(v):
        bits = int(np.float32(v).view(np.uint32))
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return float(np.uint32(bits).view(np.float32))

    with np.errstate(over="ignore"):
        return [{"value": v, "fp32": float(np.float32(v)), "fp16": str(float(np.float16(v))),
                 "bf16": str(bf16(v))} for v in values]


positions = [0, 1, 7, 1000, 10**6, 2**24 + 1, 2**40 + 3, 2**53 - 1]
distances = [0, 1, 2, 10, 19, 63, 64, 65, 100, 1000, 4096, 65535, 999999]
document = {
    "generator": "tests/golden/generate_core.py",
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "mpmath": mp.__version__},
    "turns": {"d": 16, "base": 10000, "positions": positions,
              "theta": [float(x) for x in theta(16, 10000)], "cos_sin": turns(16, 10000, positions)},
    "decay": [{"d": d, "base": b, "distances": distances, "mean_abs_S_and_B": decay(d, b, distances)}
              for d, b in ((128, 10000), (64, 500000), (2, 10000), (6, 1.5))],
    "sinusoid_odd": sinusoid(5, 10000, [3], "tensor2tensor").tolist(),
    "slopes": {str(n): slopes(n) for n in (1, 2, 3, 6, 8, 12, 20)},
    "attention": attention_cases(),
    "roundings": roundings(),
}
path = pathlib.Path(__file__).with_name("core.json")
path.write_text(json.dumps(document, indent=1) + "\n")
