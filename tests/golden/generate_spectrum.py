#!/usr/bin/env python3
"""Writes spectrum.json: wavelengths, the base whose longest one is a context, and where B_m is first negative.

Wavelengths and bases in mpmath with 50 digits; B_m = sum_t cos(m theta_t) in NumPy's float64, and at the first
negative m and the least value before it again in mpmath, so that no rounding decides a sign. Run it with numpy and
mpmath installed; the tests do not need it.
"""
import json
import pathlib
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 50


def wavelengths(d, base):
    return [2 * mp.pi * mp.mpf(base) ** (mp.mpf(2 * t) / d) for t in range(d // 2)]


def tensor2tensor(d, base):
    return [2 * mp.pi * mp.mpf(base) ** (mp.mpf(t) / (d // 2 - 1)) for t in range(d // 2)]


def exact_B(d, base, m, factor=1):
    return sum(mp.cos(mp.mpf(m) / factor * mp.mpf(base) ** (-mp.mpf(2 * t) / d)) for t in range(d // 2))


def first_negative(d, base, last, factor=1):
    m = np.arange(1, last + 1, dtype=np.float64)[:, None]
    theta = np.array([float(mp.mpf(base) ** (-mp.mpf(2 * t) / d) / factor) for t in range(d // 2)])
    B = np.concatenate([np.cos(block * theta).sum(axis=1) for block in np.array_split(m, max(1, last // 4096))])
    negative = np.flatnonzero(B < 0)
    found = int(negative[0]) + 1 if len(negative) else None
    before = B[: found - 1] if found else B
    assert exact_B(d, base, int(before.argmin()) + 1, factor) >= 0
    assert found is None or exact_B(d, base, found, factor) < 0
    return found


def base_reaching(d, L):
    return (mp.mpf(L) / (2 * mp.pi)) ** (mp.mpf(d) / (d - 2))


REACHING = ((128, 8192), (64, 131072), (4, 1000))
cases = [{"d": d, "base": base, "search": last, "factor": s, "first_negative": first_negative(d, base, last, s)}
         for d, base, last, s in ((128, 10000, 4096, 1), (64, 10000, 4096, 1), (128, 500000, 65536, 1),
                                  (128, 4300, 1024, 1), (128, 27000, 4096, 1), (128, 84000, 8192, 1),
                                  (128, 310000, 16384, 1), (128, 10000, 32768, 8), (8, 100, 256, 1))]
document = {
    "generator": "tests/golden/generate_spectrum.py",
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "mpmath": mp.__version__},
    "wavelengths": {"d=8 base=10000": [float(x) for x in wavelengths(8, 10000)],
                    "d=128 base=500000 first 3": [float(x) for x in wavelengths(128, 500000)[:3]],
                    "d=128 base=500000 last 3": [float(x) for x in wavelengths(128, 500000)[-3:]],
                    "tensor2tensor d=8 base=10000": [float(x) for x in tensor2tensor(8, 10000)]},
    "beyond": {f"d={d} base={base} L={L}": sum(1 for x in wavelengths(d, base) if x > L)
               for d, base, L in ((128, 10000, 8192), (128, 500000, 8192), (64, 10000, 512), (128, 10000, 7))},
    "base_reaching": {f"d={d} L={L}": float(base_reaching(d, L)) for d, L in REACHING},
    "first_negative_B_reaching": {f"d={d} L={L}": first_negative(d, base_reaching(d, L), 65536) for d, L in REACHING},
    "first_negative_B": cases,
}
path = pathlib.Path(__file__).with_name("spectrum.json")
path.write_text(json.dumps(document, indent=1) + "\n")
