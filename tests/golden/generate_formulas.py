#!/usr/bin/env python3
"""Writes formulas.json: each formula of the catalogue at a few arguments, small enough to follow by hand.

Real numbers come from mpmath with 50 digits and are rounded once; buckets come from exact integers where the formula
has a floor, and from 50 digits where it has a ceiling. The formulas are those that the papers print, and for the
buckets those of the authors' code; the function of each says which. Run it with mpmath installed; the tests do not
need it.
"""
import json
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 50


def theta(d, base=10000):
    """theta_t = base^(-2t/d), t = 0 ... d/2 - 1: RoFormer eq. (15)."""
    return [mp.mpf(base) ** (-mp.mpf(2 * t) / d) for t in range(d // 2)]


def floats(values):
    return [float(x) for x in values]


# Sinusoids.

def sinusoid(position, d):
    """sin(i theta_t) at channel 2t, cos at 2t + 1: Vaswani et al. 2017 §3.5, RoFormer eq. (4)."""
    return [f(position * x) for x in theta(d) for f in (mp.sin, mp.cos)]


def sinusoid_of_tensor2tensor(position, d):
    """All sines, then all cosines, of frequencies 10000^(-t/(d/2 - 1)): get_timing_signal_1d."""
    frequencies = [mp.mpf(10000) ** (-mp.mpf(t) / (d // 2 - 1)) for t in range(d // 2)]
    return [f(position * x) for f in (mp.sin, mp.cos) for x in frequencies]


# RoPE.

def turned_pair(a, b, angle):
    return a * mp.cos(angle) - b * mp.sin(angle), a * mp.sin(angle) + b * mp.cos(angle)


def rope(x, position, pairs, frequencies):
    """Each pair (a, b) of channels turned by position * theta_t: RoFormer eq. (34)."""
    y = [mp.mpf(value) for value in x]
    for (a, b), frequency in zip(pairs, frequencies):
        y[a], y[b] = turned_pair(y[a], y[b], position * frequency)
    return y


def interleaved(d):
    return [(2 * t, 2 * t + 1) for t in range(d // 2)]


def half_split(d):
    return [(t, t + d // 2) for t in range(d // 2)]


def misprint(x, position):
    """Eq. (34) with the last entries of its second vector as early copies have them: (-x_{d-1}, x_d)."""
    y = rope(x, position, interleaved(len(x)), theta(len(x)))
    angle = position * theta(len(x))[-1]
    y[-2] = x[-2] * mp.cos(angle) - x[-2] * mp.sin(angle)
    y[-1] = x[-1] * mp.cos(angle) + x[-1] * mp.sin(angle)
    return y


def proportional(d, share):
    """p-RoPE: the frequencies of the full head, the lowest set to 0 (Barbero et al. 2025)."""
    kept = int(d // 2 * share)
    return [x if t < kept else mp.mpf(0) for t, x in enumerate(theta(d))]


def rotary_value(weights, rows):
    """sum_n a_n R_n v_n, interleaved."""
    d = len(rows[0])
    turned = [rope(row, n, interleaved(d), theta(d)) for n, row in enumerate(rows)]
    return [sum(mp.mpf(a) * row[c] for a, row in zip(weights, turned)) for c in range(d)]


def half_split_order(d):
    """Which interleaved channel stands at each half-split one: as Hugging Face permutes Meta's rows."""
    return [2 * t for t in range(d // 2)] + [2 * t + 1 for t in range(d // 2)]


# Biases and tables.

def alibi_slopes(heads):
    """get_slopes of Press et al. 2022: a geometric sequence, and every other one of the next for the heads left."""
    def power_of_two(n):
        return [mp.mpf(2) ** (-mp.mpf(8 * (h + 1)) / n) for h in range(n)]
    below = 2 ** (heads.bit_length() - 1)
    return power_of_two(below) + power_of_two(2 * below)[0::2][: heads - below]


def shaw_index(length, clip):
    """clip(key - query) + clip: Shaw et al. 2018 eq. (4)."""
    return [[max(-clip, min(clip, n - m)) + clip for n in range(length)] for m in range(length)]


def t5_bucket_behind(distance, side, max_distance=128):
    """_relative_position_bucket of one side with `side` buckets, distance >= 0: floor of a logarithm, in integers."""
    exact = side // 2
    if distance < exact:
        return distance
    wide = side - exact
    # floor(log(distance/exact)/log(max_distance/exact) * wide): the most j with (distance/exact)^wide >= (max/exact)^j
    j = 0
    while distance**wide * exact ** (j + 1) >= exact**wide * max_distance ** (j + 1):
        j += 1
    return min(exact + j, side - 1)


def t5_causal_edges():
    """The first distance of each of 32 buckets."""
    first = {}
    for distance in range(200):
        first.setdefault(t5_bucket_behind(distance, 32), distance)
    return [[distance, bucket] for bucket, distance in first.items()]


def t5_bucket(relative, buckets=32):
    """Bidirectional, relative = key - query: the upper half for keys ahead."""
    side = buckets // 2
    return t5_bucket_behind(abs(relative), side) + (side if relative > 0 else 0)


def tupe_bucket(query, key):
    """T5's bucket with the sides exchanged; the token 0, [CLS], has two buckets of its own (Ke et al. 2021)."""
    if query == 0:
        return 16
    if key == 0:
        return 32
    return t5_bucket(key - query)


def deberta_delta(r, k):
    """He et al. 2021 eq. (3): 0 to 2k - 1."""
    return 0 if r <= -k else 2 * k - 1 if r >= k else r + k


def deberta_bucket(r, buckets, max_distance):
    """make_log_bucket_position of DeBERTa v2."""
    middle = buckets // 2
    if abs(r) < middle:
        return r
    wide = mp.log(mp.mpf(abs(r)) / middle) / mp.log(mp.mpf(max_distance - 1) / middle) * (middle - 1)
    return (1 if r > 0 else -1) * (int(mp.ceil(wide)) + middle)


# Long-term decay.

def mean_abs_S(d, r):
    """(1/(d/2)) sum_j |S_j|, S_j = sum_{t<j} exp(i r theta_t): RoFormer §3.4.3, Fig. 2."""
    total, sum_so_far = mp.mpf(0), mp.mpc(0)
    for frequency in theta(d):
        sum_so_far += mp.expjpi(r * frequency / mp.pi)
        total += abs(sum_so_far)
    return total / (d // 2)


def B(d, r):
    """sum_t cos(r theta_t)."""
    return sum(mp.cos(r * frequency) for frequency in theta(d))


def first_rises(d, count):
    rises, last, r = [], mean_abs_S(d, 0), 0
    while len(rises) < count:
        r += 1
        value = mean_abs_S(d, r)
        if value > last:
            rises.append(r)
        last = value
    return rises


def elu_plus_one(x):
    """elu(x) + 1: Katharopoulos et al. 2020 eq. (7)."""
    return mp.mpf(x) + 1 if x > 0 else mp.exp(x)


ONE_TO_FOUR = [1, 2, 3, 4]
ONE_TO_EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]
DISTANCES = (0, 1, 2, 3, 5, 10, 20, 30, 50, 64, 100, 128, 150, 200, 250, 256, 500, 1000)
document = {
    "generator": "tests/golden/generate_formulas.py",
    "versions": {"python": sys.version.split()[0], "mpmath": mp.__version__},
    "sinusoidal": {
        "row of position 3, d=8, interleaved": floats(sinusoid(3, 8)),
        "row of position 3, d=8, tensor2tensor": floats(sinusoid_of_tensor2tensor(3, 8)),
        "product of two rows by distance, d=64": {str(k): float(B(64, k)) for k in (1, 10, 100)},
    },
    "rope": {
        "[1, 2, 3, 4] at position 1, interleaved": floats(rope(ONE_TO_FOUR, 1, interleaved(4), theta(4))),
        "[1, 2, 3, 4] at position 1, half_split": floats(rope(ONE_TO_FOUR, 1, half_split(4), theta(4))),
        "[1, 2, 3, 4] at position 1, misprint of eq. (34)": floats(misprint(ONE_TO_FOUR, 1)),
        "frequencies of p-RoPE, d=8, fraction 1/2": floats(proportional(8, 0.5)),
        "[1, ..., 8] at position 2, half_split, p-RoPE with fraction 1/2":
            floats(rope(ONE_TO_EIGHT, 2, half_split(8), proportional(8, 0.5))),
        "values [1..4], [2..5], [3..6] turned by their positions 0, 1, 2, weighted 0.2, 0.3, 0.5":
            floats(rotary_value(["0.2", "0.3", "0.5"], [[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]])),
        "interleaved channel at each half_split channel, d=8": half_split_order(8),
    },
    "alibi slopes by number of heads": {str(h): floats(alibi_slopes(h)) for h in (1, 6, 8, 12, 16)},
    "shaw row of query and key, 5 tokens, clip 2": shaw_index(5, 2),
    "t5": {
        "bucket by distance behind, bidirectional": {
            str(r): t5_bucket(-r) for r in (0, 1, 2, 7, 8, 9, 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91,
                                            127, 128, 1000)},
        "first distance and bucket, causal": t5_causal_edges(),
    },
    "tupe bucket of query and key, 5 tokens": [[tupe_bucket(m, n) for n in range(5)] for m in range(5)],
    "deberta": {
        "row delta(r), k=4, r = -6 ... 6": [deberta_delta(r, 4) for r in range(-6, 7)],
        "v2 bucket by distance, 256 buckets to 512": {
            str(r): deberta_bucket(r, 256, 512) for r in (0, 1, 2, 64, 127, 128, 129, 130, 131, 132, 140, 150, 160, 192,
                                                          200, 255, 256, 257, 300, 384, 400, 500, 510, 511, 512, 513,
                                                          600, 1000)},
    },
    "decay, d=128": {
        "mean |S_j| by distance": {str(r): float(mean_abs_S(128, r)) for r in DISTANCES},
        "first 15 distances at which mean |S_j| rises": first_rises(128, 15),
        "B by distance": {str(r): float(B(128, r)) for r in (0, 1, 10, 100, 1000, 4096)},
    },
    "elu plus one": {str(x): float(elu_plus_one(x)) for x in (-2, -0.5, 0, 0.5, 3)},
}
path = pathlib.Path(__file__).with_name("formulas.json")
path.write_text(json.dumps(document, indent=1) + "\n")
