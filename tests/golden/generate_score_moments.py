#!/usr/bin/env python3
"""Writes score_moments.json: moments of RoPE scores over distances, computed without Orrery.

mpmath with 50 digits: means and second moments as sums over every distance for short windows, and
by geometric series, which the short ones confirm here, for long ones; then semantic reversal and
positional sensitivity as normal numbers of these moments have them. Run it with the packages of
`versions` installed; the tests do not need it.
"""
import importlib.metadata
import json
import pathlib
import platform

import mpmath as mp

mp.mp.dps = 50
theta = [mp.mpf(float(value)) for value in (1.0, 0.1, 0.01, 0.001)]
c = [mp.mpc(3, -1) / 4, mp.mpc(-2, 5) / 8, mp.mpc(7, 2) / 8, mp.mpc(1, 1) / 2]


def geometric(angle, count):
    z = mp.expj(angle)
    return mp.mpf(1) if z == 1 else (z**count - 1) / (z - 1) / count


def by_series(products, count):
    mean = mp.re(sum(p * geometric(w, count) for p, w in zip(products, theta)))
    square = sum(p * (r * geometric(w + v, count) + mp.conj(r) * geometric(w - v, count))
                 for p, w in zip(products, theta) for r, v in zip(products, theta))
    return mean, mp.re(square) / 2 - mean**2


def by_sum(products, count):
    scores = [mp.re(sum(p * mp.expj(m * w) for p, w in zip(products, theta))) for m in range(count)]
    mean = sum(scores) / count
    return mean, sum((s - mean) ** 2 for s in scores) / count


def folded(mean, variance):
    if variance == 0:
        return abs(mean)
    deviation = mp.sqrt(2 * variance)
    return deviation / mp.sqrt(mp.pi) * mp.exp(-(mean / deviation) ** 2) + mean * mp.erf(mean / deviation)


steps = [p * (mp.expj(w) - 1) for p, w in zip(c, theta)]
cases = []
for count in (1, 2, 300, 4096, 1000003):
    mean, variance = by_series(c, count)
    step_mean, step_variance = by_series(steps, count)
    if count <= 300:
        for got, expected in zip((mean, variance, step_mean, step_variance), by_sum(c, count) + by_sum(steps, count)):
            assert abs(got - expected) < mp.mpf(10) ** -40
    reference = mp.re(sum(c))
    reversal = mp.erfc(mp.sign(reference) * mean / mp.sqrt(2 * variance)) / 2 if count > 1 else 0
    cases.append({"W": count, "mean": float(mean), "variance": float(variance), "reversal": float(reversal),
                  "step_mean": float(step_mean), "step_variance": float(step_variance),
                  "sensitivity": float(folded(step_mean, step_variance) / mp.sqrt(sum(abs(p) ** 2 for p in c))) if count > 1 else float(abs(step_mean) / mp.sqrt(sum(abs(p) ** 2 for p in c)))})
versions = {"python": platform.python_version(), "mpmath": importlib.metadata.version("mpmath")}
pathlib.Path(__file__).with_name("score_moments.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_score_moments.py", "versions": versions, "theta": [float(w) for w in theta],
     "c": [[float(p.real), float(p.imag)] for p in c], "cases": cases}, separators=(",", ":")).replace("},{", "},\n{") + "\n")
