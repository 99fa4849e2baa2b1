#!/usr/bin/env python3
"""Writes experiments.json: what score_decomposition, encoding_matrix and norm_preservation must find.

Computed without Orrery: closed forms and angles in mpmath with 40 digits, buckets by loops over the published code's
formulas, shares by numpy.cov, mean lengths by Monte Carlo with numpy's own generator. Run it with numpy and mpmath
installed; the tests do not need it.
"""
import json
import math
import pathlib
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 40


def position_to_position(d, base, r):
    """Eq. (6) with identity projections: p_m.p_n/sqrt(d) = sum_t cos(r theta_t)/sqrt(d)."""
    return float(sum(mp.cos(r * mp.mpf(base) ** (-mp.mpf(2 * t) / d)) for t in range(d // 2)) / mp.sqrt(d))


def alibi(head, heads=8):
    """q and k by hand, ALiBi's term, shares over all cells and below the diagonal, means by distance."""
    n, d = 6, 4
    q = np.array([[((5 * i + 2 * c) % 9 - 4) / 4 for c in range(d)] for i in range(n)])
    k = np.array([[((3 * i + 4 * c) % 7 - 3) / 4 for c in range(d)] for i in range(n)])
    content = q @ k.T / math.sqrt(d)
    slope = 2.0 ** (-8 * (head + 1) / heads)
    bias = np.array([[-slope * abs(i - j) for j in range(n)] for i in range(n)])
    out = {"q": q.ravel().tolist(), "k": k.ravel().tolist(), "n": n, "d": d, "head": head}
    for name, seen in (("full", np.ones((n, n), bool)), ("causal", np.tril(np.ones((n, n), bool)))):
        terms = [content, bias]
        flat = [t[seen] for t in terms]
        total = flat[0] + flat[1]
        rows = [np.concatenate([t[i][seen[i]] - t[i][seen[i]].mean() for i in range(n)]) for t in terms]
        summed = rows[0] + rows[1]
        out[name] = {"share": [float(np.cov(t, total, bias=True)[0, 1] / total.var()) for t in flat],
                     "share_in_rows": [float((t * summed).sum() / (summed * summed).sum()) for t in rows],
                     "variance": [float(t.var()) for t in flat],
                     "content_by_distance": [float(np.mean([content[i, j] for i in range(n) for j in range(n)
                                                            if i - j == r and seen[i, j]]))
                                             for r in range(0 if name == "causal" else 1 - n, n)]}
    return out


def t5(rel, buckets=32, max_distance=128):
    """mesh_tensorflow's _relative_position_bucket, bidirectional; rel = memory - query."""
    half, bucket = buckets // 2, 0
    if rel > 0:
        bucket += half
    n = abs(rel)
    exact = half // 2
    if n < exact:
        return bucket + n
    return bucket + min(half - 1, exact + int(math.log(n / exact) / math.log(max_distance / exact) * (half - exact)))


def shaw(rel, k=16):
    """tensor2tensor's clip(j - i, -k, k) + k."""
    return min(max(rel, -k), k) + k


def deberta(r, k=64):
    """Version 1's delta(i, j), r = i - j."""
    return 0 if r <= -k else 2 * k - 1 if r >= k else r + k


def deberta_v2(r, buckets=64, max_position=512):
    """make_log_bucket_position of version 2, then the clip; r = i - j."""
    mid = buckets // 2
    if abs(r) <= mid:
        place = r
    else:
        place = int(np.sign(r)) * (math.ceil(math.log(abs(r) / mid) / math.log((max_position - 1) / mid) * (mid - 1)) + mid)
    return min(max(place + buckets, 0), 2 * buckets - 1)


def mean_ratio(p, draws=200000, d=64, seed=20210420):
    x = np.random.default_rng(seed).standard_normal((draws, d))
    return float((np.linalg.norm(x + p, axis=1) / np.linalg.norm(x, axis=1)).mean())


distances = list(range(-149, 150))
two_pi = 2 * mp.pi
document = {
    "generator": "tests/golden/generate_experiments.py",
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "mpmath": mp.__version__},
    "position_to_position d=8": [position_to_position(8, 10000, r) for r in range(12)],
    "alibi": alibi(2),
    "distances": distances,
    "rows": {"t5": [t5(-r) for r in distances], "shaw": [shaw(-r) for r in distances],
             "deberta": [deberta(r) for r in distances], "deberta v2": [deberta_v2(r) for r in distances]},
    "angles d=8": [[float(mp.fmod(m * mp.mpf(10000) ** (-mp.mpf(2 * t) / 8), two_pi)) for t in range(4)]
                   for m in range(1000, 1006)],
    "mean_ratio": {"sinusoidal d=64": mean_ratio(np.tile([math.sin(1.0), math.cos(1.0)], 32)),
                   "deviation 0.02 d=64": mean_ratio(0.02 * np.random.default_rng(1).standard_normal((200000, 64)))},
}
path = pathlib.Path(__file__).with_name("experiments.json")
path.write_text(json.dumps(document).replace(", \"", ",\n\"") + "\n")
