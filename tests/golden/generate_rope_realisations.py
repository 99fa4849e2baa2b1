#!/usr/bin/env python3
"""Writes rope_realisations.json: R_m, R_m x and scores of RoPE by eq. (12), (15), (16), with mpmath.

Everything in 40 digits, rounded once. Run it with mpmath installed; the tests do not need it.
"""
import json
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 40
here = pathlib.Path(__file__).parent
Q = [1, -2, 3, mp.mpf("0.5"), -1, 4, 2, -3]
K = [2, 1, -1, 3, mp.mpf("0.25"), -2, 1, 1]


def pairs_of(pairing, r):
    return [(2 * t, 2 * t + 1) if pairing == "interleaved" else (t, t + r // 2) for t in range(r // 2)]


def rotation(d, r, pairing, m):
    R = mp.eye(d)
    for t, (a, b) in enumerate(pairs_of(pairing, r)):
        angle = m * mp.mpf(10000) ** (-mp.mpf(2 * t) / r)
        R[a, a] = R[b, b] = mp.cos(angle)
        R[a, b], R[b, a] = -mp.sin(angle), mp.sin(angle)
    return R


def complex_form(d, r, pairing, m, x):
    y = list(x)
    for t, (a, b) in enumerate(pairs_of(pairing, r)):
        z = mp.mpc(x[a], x[b]) * mp.expj(m * mp.mpf(10000) ** (-mp.mpf(2 * t) / r))
        y[a], y[b] = z.real, z.imag
    return y


def score(d, r, pairing, m, n):
    """x_m^T R_{n-m} x_n, eq. (16)."""
    moved = rotation(d, r, pairing, n - m) * mp.matrix(K[:d])
    return mp.fsum(Q[c] * moved[c] for c in range(d))


cases = []
for d, r in ((2, 2), (4, 4), (8, 8), (8, 4)):
    for pairing in ("interleaved", "half_split"):
        for m, n in ((1, 0), (7, 3), (0, 100), (-5, 2)):
            R = rotation(d, r, pairing, m)
            turned = [float(v) for v in R * mp.matrix(Q[:d])]
            assert all(abs(a - float(b)) < 1e-15 for a, b in zip(turned, complex_form(d, r, pairing, m, Q[:d])))
            cases.append({"d": d, "r": r, "pairing": pairing, "m": m, "n": n,
                          "R_m": [[float(R[i, j]) for j in range(d)] for i in range(d)],
                          "R_m q": turned, "score": float(score(d, r, pairing, m, n))})
document = {"generator": "tests/golden/generate_rope_realisations.py",
            "versions": {"python": sys.version.split()[0], "mpmath": mp.__version__},
            "q": [float(v) for v in Q], "k": [float(v) for v in K], "cases": cases}
(here / "rope_realisations.json").write_text(json.dumps(document, separators=(",", ":")).replace("},", "},\n") + "\n")
