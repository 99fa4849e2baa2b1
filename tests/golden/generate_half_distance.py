#!/usr/bin/env python3
"""Writes half_distance.json: settings with equal half distance, computed without Orrery.

L(r) is the mean logit of like tokens: L_c B_r/(d/2) for RoPE, L_c - s r for ALiBi, L_c + c b(r) for T5,
L_c + B_r/sqrt(d) for added sinusoids. Roots by mpmath with 30 digits. Run it with mpmath installed; the
tests do not need it.
"""
import json
import math
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 30
BASE_MAX, BASE_MIN = mp.mpf("1e12"), mp.mpf("1.001")


def B(r, d, base):
    return sum(mp.cos(r * mp.power(base, mp.mpf(-2 * t) / d)) for t in range(d // 2))


def largest_base(curve, steps=4000):
    """The largest base in range whose curve is one half: scanned downwards, then refined."""
    lo, hi = mp.log(BASE_MIN), mp.log(BASE_MAX)
    above = hi
    if curve(mp.exp(hi)) <= 0.5:
        return None
    for i in range(1, steps + 1):
        x = hi + (lo - hi) * i / steps
        if curve(mp.exp(x)) <= 0.5:
            root = mp.findroot(lambda y: curve(mp.exp(y)) - mp.mpf(1) / 2, (above, x), solver="anderson")
            return float(mp.exp(root))
        above = x
    return None


def first_half(curve, most):
    previous = None
    for r in range(most + 1):
        v = curve(r)
        if v <= 0.5:
            return float(r - 1 + (previous - 0.5) / (previous - v))
        previous = v
    return None


def t5_bucket(r, buckets=32, max_distance=128):
    n, exact = buckets // 2, buckets // 4
    if r < exact:
        return r
    return min(n - 1, exact + int(math.log(r / exact) / math.log(max_distance / exact) * (n - exact)))


def t5_bias(r):
    first = next(x for x in range(r + 1) if t5_bucket(x) == t5_bucket(r))
    return -mp.log(1 + first)


def rope(d, base, match, measure):
    if measure == "logit":
        return lambda r: B(r, d, base) / (d // 2)
    return lambda r: mp.exp(match * (B(r, d, base) / (d // 2) - 1))


cases = []
for d, h, match, measure in [(64, 64, 8, "logit"), (64, 16, 8, "logit"), (128, 100, 8, "logit"), (64, 16, 2, "weight")]:
    case = {"dim": d, "half_distance": h, "match": match, "measure": measure}
    case["rope"] = largest_base(lambda b: rope(d, b, match, measure)(h))
    case["rope_given"] = first_half(rope(d, 10000, match, measure), 256)
    case["alibi"] = float(match / (mp.mpf(2) * h) if measure == "logit" else mp.log(2) / h)
    case["t5"] = float(-match / (2 * t5_bias(h)) if measure == "logit" else -mp.log(2) / t5_bias(h))
    cases.append(case)
d, h, match = 64, 64, 1
sinusoid = lambda base: (match + B(h, d, base) / mp.sqrt(d)) / (match + mp.sqrt(d) / 2)
cases.append({"dim": d, "half_distance": h, "match": match, "measure": "logit", "sinusoidal": largest_base(sinusoid)})

out = {"generator": "tests/golden/generate_half_distance.py",
       "versions": {"python": sys.version.split()[0], "mpmath": mp.__version__},
       "cases": cases}
path = pathlib.Path(__file__).with_name("half_distance.json")
path.write_text(json.dumps(out, indent=1) + "\n")
