#!/usr/bin/env python3
"""Writes rotation.json: turned pairs and phasor chains, in mpmath with 40 digits, computed without Orrery.

Dense rotation matrices, built entry by entry, are applied to q and k; the chain of eq. (35) is summed apart from that,
and the script refuses to write when the two scores differ. Run it with mpmath installed; the tests do not need it.
"""
import json
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 40
D = 8
Q = [mp.mpf((5 * i + 2) % 9 - 4) / 4 for i in range(D)]
K = [mp.mpf((3 * i + 4) % 7 - 3) / 4 for i in range(D)]


def places(pairing, rotary, t):
    return (2 * t, 2 * t + 1) if pairing == "interleaved" else (t, t + rotary // 2)


def rotation(position, pairing, rotary, base):
    r = mp.eye(D)
    for t in range(rotary // 2):
        a, b = places(pairing, rotary, t)
        angle = position * mp.mpf(base) ** (-mp.mpf(2 * t) / rotary)
        r[a, a] = r[b, b] = mp.cos(angle)
        r[a, b], r[b, a] = -mp.sin(angle), mp.sin(angle)
    return r


def case(pairing, rotary, base, m, n):
    q, k = rotation(m, pairing, rotary, base) * mp.matrix(Q), rotation(n, pairing, rotary, base) * mp.matrix(K)
    links = []
    for t in range(rotary // 2):
        a, b = places(pairing, rotary, t)
        h = mp.mpc(Q[a], Q[b]) * mp.conj(mp.mpc(K[a], K[b]))
        links.append(h * mp.expj((m - n) * mp.mpf(base) ** (-mp.mpf(2 * t) / rotary)))
    rest = sum(Q[c] * K[c] for c in range(rotary, D))
    score = sum(q[i] * k[i] for i in range(D))
    assert abs(score - mp.re(sum(links)) - rest) < mp.mpf(10) ** -35
    return {"pairing": pairing, "rotary": rotary, "base": base, "m": m, "n": n, "q_turned": [float(x) for x in q],
            "links": [[float(z.real), float(z.imag)] for z in links], "rest": float(rest), "score": float(score)}


cases = [case(*c) for c in (("interleaved", 8, 10000, 7, 3), ("interleaved", 8, 10000, 0, 12345),
                            ("half_split", 8, 10000, 7, 3), ("interleaved", 4, 100, 20, 9),
                            ("half_split", 4, 100, 20, 9))]
document = {"generator": "tests/golden/generate_rotation.py",
            "versions": {"python": sys.version.split()[0], "mpmath": mp.__version__},
            "q": [float(x) for x in Q], "k": [float(x) for x in K], "cases": cases}
path = pathlib.Path(__file__).with_name("rotation.json")
path.write_text(json.dumps(document, indent=1) + "\n")
