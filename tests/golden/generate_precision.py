#!/usr/bin/env python3
"""Writes precision.json: every encoding with bfloat16 and half precision at each of its stages.

Written from the papers' formulas in NumPy's float64, with a rounding wherever an implementation that
holds its tensors in a small format has one. Half precision is NumPy's own, bfloat16 eight significant
bits by Python's round, which takes ties to even. Run it with numpy installed, after
generate_encodings.py, whose inputs it takes; the tests do not need it.
"""
import json
import math
import pathlib
import sys

import numpy as np

here = pathlib.Path(__file__).parent
source = json.loads((here / "encodings.json").read_text())
inputs = {name: np.array(rows) for name, rows in source["inputs"].items()}
D, D_MODEL, HEAD = source["d_head"], source["d_model"], source["head"]
P = [0, 1, 45, 90, 300, 1001]  # bf16 has no 1001, fp16 has
N = len(P)


def more_rows(name):
    """Six rows, none a multiple of a small power of two, so that roundings show."""
    return np.vstack([inputs[name], inputs[name][:1]]) * 1.1 + 0.013 * np.arange(N)[:, None]


q, k, x = more_rows("q"), more_rows("k"), more_rows("x")
thirds = {name: value / 3 for name, value in inputs.items()}  # tables that no small format holds


@np.vectorize
def bf16(value):
    unit = max(math.frexp(value)[1], -125) - 8  # 2^-126 is the smallest normal number
    return math.ldexp(round(math.ldexp(value, -unit)), unit)


def fp16(values):
    return np.asarray(values, dtype=np.float64).astype(np.float16).astype(np.float64)


def fp32(values):
    return np.asarray(values, dtype=np.float64).astype(np.float32).astype(np.float64)


def of_head(w):
    return w[:, HEAD * D:(HEAD + 1) * D]


def pairs(f):
    return np.array([[float(f(i, j)) for j in range(N)] for i in range(N)])


def turns(number, width, rnd):
    """Frequencies, angles, cos and sin are computed in fp32 and then cast."""
    exponents = fp32(2 * np.arange(width // 2) / width)
    theta = rnd(fp32(1 / fp32(10000.0 ** exponents)))
    angle = rnd(fp32(number * theta))
    return rnd(fp32(np.cos(angle))), rnd(fp32(np.sin(angle)))


def finish(terms, rnd):
    """Terms come with their scale; the values are the keys' numbers."""
    terms = {name: rnd(term) for name, term in terms.items()}
    logits = rnd(sum(terms.values()))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights = rnd(powers / powers.sum(axis=1, keepdims=True))
    return {"terms": {name: term.tolist() for name, term in terms.items()},
            "logits": logits.tolist(), "weights": weights.tolist(), "output": rnd(weights @ rnd(k)).tolist()}


def content(rnd, scale):
    return rnd(rnd(q) @ rnd(k).T) / scale


def none(rnd):
    return finish({"content": content(rnd, math.sqrt(D))}, rnd)


def rope(rnd):
    def turned(rows):
        out = rows.copy()
        for i, m in enumerate(P):
            c, s = turns(rnd(m), D, rnd)
            a, b = rows[i, 0::2], rows[i, 1::2]
            out[i, 0::2] = rnd(a * c) - rnd(b * s)
            out[i, 1::2] = rnd(a * s) + rnd(b * c)
        return rnd(out)
    return finish({"content": rnd(turned(rnd(q)) @ turned(rnd(k)).T) / math.sqrt(D)}, rnd)


def sinusoidal(rnd):
    p = np.zeros((N, D_MODEL))
    for i, m in enumerate(P):
        p[i, 1::2], p[i, 0::2] = turns(rnd(m), D_MODEL, rnd)
    return {"input": rnd(x + p).tolist()}


def learned(rnd):
    table = rnd(thirds["learned.table"])
    return {"input": rnd(x + np.array([table[i] for i in range(N)])).tolist()}


def alibi(rnd):
    """Head 8 of 12: the first of sixteen heads' slopes, 2^-1/2, follows those of eight."""
    return finish({"content": content(rnd, math.sqrt(D)),
                   "linear_bias": pairs(lambda i, j: -rnd(2.0 ** -0.5) * rnd(abs(rnd(P[i]) - rnd(P[j]))))}, rnd)


def shaw(rnd):
    table = rnd(thirds["shaw.key_table"])
    return finish({"content": content(rnd, math.sqrt(D)),
                   "content_to_position": pairs(lambda i, j: rnd(rnd(q)[i] @ table[min(max(P[j] - P[i], -3), 3) + 3]) / math.sqrt(D))}, rnd)


def transformer_xl(rnd):
    W = of_head(rnd(thirds["transformer_xl.W_kR"]))
    u, v = (rnd(thirds["transformer_xl." + name])[HEAD] for name in "uv")

    def r(distance):
        c, s = turns(rnd(distance), D_MODEL, rnd)
        return rnd(np.concatenate([s, c]) @ W)
    root = math.sqrt(D)
    return finish({"content": content(rnd, root),
                   "content_to_position": pairs(lambda i, j: rnd(rnd(q)[i] @ r(P[i] - P[j])) / root),
                   "global_content": pairs(lambda i, j: rnd(u @ rnd(k)[j]) / root),
                   "global_position": pairs(lambda i, j: rnd(v @ r(P[i] - P[j])) / root)}, rnd)


def log_place(distance, start, end, steps, rnd):
    """As a tensor of the small format computes it, operation by operation; ln(end/start) is a Python
    float in T5's code, and no tensor."""
    log = rnd(math.log(rnd(rnd(distance) / start)))
    return float(rnd(rnd(log / math.log(end / start)) * steps))


def side_bucket(distance, side, largest, rnd):
    exact = side // 2
    if distance < exact:
        return distance
    return min(side - 1, exact + int(log_place(distance, exact, largest, side - exact, rnd)))


def t5_bucket(i, j, rnd):
    return (16 if P[j] > P[i] else 0) + side_bucket(abs(P[i] - P[j]), 16, 128, rnd)


def t5(rnd):
    bias = rnd(thirds["t5.table"])[:, HEAD]
    return finish({"content": content(rnd, 1), "relative_bias": pairs(lambda i, j: bias[t5_bucket(i, j, rnd)])}, rnd)


def tupe(rnd):
    t = rnd(np.vstack([thirds["tupe.table"]] * 63))  # 1008 rows: positions to 1006
    normal = rnd((t - t.mean(axis=1, keepdims=True)) / np.sqrt(t.var(axis=1, keepdims=True) + 1e-5))
    a = rnd(normal @ of_head(rnd(thirds["tupe.U_q"])))
    b = rnd(normal @ of_head(rnd(thirds["tupe.U_k"])))
    scale = math.sqrt(2 * D)
    bias = rnd(thirds["tupe.bias_table"])[:, HEAD]
    return finish({"content": content(rnd, scale),
                   "position": pairs(lambda i, j: rnd(a[P[i] + 1] @ b[P[j] + 1]) / scale),
                   "relative_bias": pairs(lambda i, j: bias[t5_bucket(i, j, rnd)])}, rnd)


def deberta(rnd):
    table = rnd(thirds["deberta.table_v2"])
    kr = rnd(table @ of_head(rnd(thirds["deberta.W_kr"])))
    qr = rnd(table @ of_head(rnd(thirds["deberta.W_qr"])))

    def row(r):
        place = abs(r) if abs(r) <= 2 else math.ceil(log_place(abs(r), 2, 511, 1, rnd)) + 2
        return min(max((place if r > 0 else -place) + 4, 0), 7)
    scale = math.sqrt(3 * D)
    return finish({"content": content(rnd, scale),
                   "content_to_position": pairs(lambda i, j: rnd(rnd(q)[i] @ kr[row(P[i] - P[j])]) / scale),
                   "position_to_content": pairs(lambda i, j: rnd(rnd(k)[j] @ qr[row(P[j] - P[i])]) / scale)}, rnd)


def changed_buckets(side, largest, rnd):
    """[distance, bucket in fp64, bucket in the format] wherever they differ, to distance 2000."""
    exact = [side_bucket(n, side, largest, float) for n in range(2000)]
    small = [side_bucket(n, side, largest, rnd) for n in range(2000)]
    return [[n, exact[n], small[n]] for n in range(2000) if exact[n] != small[n]]


encodings = {"none": none, "rope": rope, "sinusoidal": sinusoidal, "learned": learned, "alibi": alibi,
             "shaw": shaw, "transformer_xl": transformer_xl, "t5": t5, "tupe": tupe, "deberta": deberta}
document = {
    "generator": "tests/golden/generate_precision.py",
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__},
    "positions": P, "head": HEAD, "q": q.tolist(), "k": k.tolist(), "x": x.tolist(),
    "tables": "those of encodings.json, divided by 3",
    "cases": {name: {"bf16": f(bf16), "fp16": f(fp16)} for name, f in encodings.items()},
    "buckets": [{"side": side, "max_distance": largest, "bf16": changed_buckets(side, largest, bf16),
                 "fp16": changed_buckets(side, largest, fp16)} for side, largest in ((16, 128), (32, 128), (16, 5000))],
}
(here / "precision.json").write_text(json.dumps(document, separators=(",", ":")).replace("},", "},\n") + "\n")
