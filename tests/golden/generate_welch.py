#!/usr/bin/env python3
"""Writes welch.json: reference numbers for Welch's t, computed without Orrery.

Student's two-sided probability comes from mpmath's incomplete beta with 50 digits, the tests of two
samples from scipy.stats. Run it with mpmath and scipy installed; the tests need neither.
"""
import json
import pathlib
import sys

import mpmath as mp
import scipy
from scipy import stats

mp.mp.dps = 50


def two_sided(t, nu):
    t, nu = mp.mpf(t), mp.mpf(nu)
    return float(mp.betainc(nu / 2, mp.mpf(1) / 2, 0, nu / (nu + t * t), regularized=True))


TAILS = [(t, nu) for nu in (1.0, 1.5, 2.0, 3.7, 10.0, 29.25, 1000.0, 1e6)
         for t in (0.0, 1e-6, 0.3, 1.0, 2.0, 5.5, 40.0)]
SAMPLES = [
    ([27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4],
     [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4]),
    ([17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8],
     [21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8]),
    ([0.5, 0.25], [-3.0, 8.0, 1.0]),
]


def case(a, b):
    test = stats.ttest_ind(b, a, equal_var=False)
    interval = test.confidence_interval(0.95)
    return {"a": a, "b": b, "t": float(test.statistic), "degrees": float(test.df),
            "p": float(test.pvalue), "low": float(interval.low), "high": float(interval.high)}


golden = {
    "generator": "tests/golden/generate_welch.py",
    "versions": {"python": sys.version.split()[0], "mpmath": mp.__version__, "scipy": scipy.__version__},
    "tails": [[t, nu, two_sided(t, nu)] for t, nu in TAILS],
    "tests": [case(a, b) for a, b in SAMPLES],
}
path = pathlib.Path(__file__).with_name("welch.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
