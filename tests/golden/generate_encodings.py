#!/usr/bin/env python3
"""Writes encodings.json: attention with every trained encoding, computed without Orrery.

Each encoding is written with loops over pairs of positions, straight from its paper's formula and its
authors' index conventions, in NumPy's float64. The script checks its buckets and indices against
formulas.json, where another script has them from exact integers. Run it with numpy installed, after
generate_formulas.py; the tests do not need it.
"""
import json
import math
import pathlib
import sys

import numpy as np

here = pathlib.Path(__file__).parent
formulas = json.loads((here / "formulas.json").read_text())

P = [0, 1, 2, 5, 9]
N, D_MODEL, H, D = len(P), 6, 2, 4
HEAD = 1


def numbers(rows, columns, a, b, m, scale=4.0):
    return np.array([[((a * i + b * c) % m - m // 2) / scale for c in range(columns)] for i in range(rows)])


inputs = {
    "x": numbers(N, D_MODEL, 7, 3, 11), "q": numbers(N, D, 5, 2, 9), "k": numbers(N, D, 3, 4, 7),
    "v": numbers(N, D, 2, 5, 11),
    "W_q": numbers(D_MODEL, D, 5, 2, 7), "W_k": numbers(D_MODEL, D, 3, 4, 9), "W_v": numbers(D_MODEL, D, 2, 5, 5),
    "learned.table": numbers(16, D_MODEL, 5, 7, 13),
    "shaw.key_table": numbers(7, D, 3, 5, 11), "shaw.value_table": numbers(7, D, 4, 3, 7),
    "transformer_xl.u": numbers(H, D, 3, 2, 5), "transformer_xl.v": numbers(H, D, 2, 3, 7),
    "transformer_xl.W_kR": numbers(D_MODEL, H * D, 5, 3, 11),
    "t5.table": numbers(32, H, 3, 7, 17), "t5.table_small": numbers(8, H, 3, 7, 17),
    "tupe.table": numbers(16, D_MODEL, 7, 4, 19), "tupe.U_q": numbers(D_MODEL, H * D, 3, 5, 11),
    "tupe.U_k": numbers(D_MODEL, H * D, 4, 3, 13), "tupe.bias_table": numbers(33, H, 5, 3, 17),
    "deberta.table": numbers(6, D_MODEL, 5, 3, 13), "deberta.table_v2": numbers(8, D_MODEL, 5, 3, 13),
    "transformer_xl.u_contents": numbers(H, D_MODEL, 3, 2, 7), "transformer_xl.v_contents": numbers(H, D_MODEL, 2, 3, 5),
    "transformer_xl.W_q": numbers(D_MODEL, H * D, 4, 3, 11),
    "deberta.W_qr": numbers(D_MODEL, H * D, 3, 4, 11), "deberta.W_kr": numbers(D_MODEL, H * D, 5, 2, 13),
}
q, k, v, x = inputs["q"], inputs["k"], inputs["v"], inputs["x"]


def of_head(w):
    return w[:, HEAD * D:(HEAD + 1) * D]


def pairs(f):
    """f(i, j) over rows: i asks, j is looked at."""
    return np.array([[f(i, j) for j in range(N)] for i in range(N)])


def softmax(logits, visible):
    out = np.zeros((N, N))
    for i in range(N):
        e = [math.exp(logits[i, j] - logits[i].max()) if visible(i, j) else 0.0 for j in range(N)]
        out[i] = np.array(e) / sum(e)
    return out


def case(terms, values, value_at=None):
    """value_at(i, j) is added to the value of key j as query i sees it."""
    logits = sum(terms.values())
    entry = {"terms": {name: t.tolist() for name, t in terms.items()}, "logits": logits.tolist()}
    for name, visible in (("full", lambda i, j: True), ("causal", lambda i, j: P[j] <= P[i])):
        a = softmax(logits, visible)
        out = np.array([sum(a[i, j] * (values[j] + (value_at(i, j) if value_at else 0)) for j in range(N))
                        for i in range(N)])
        entry[name] = {"weights": a.tolist(), "output": out.tolist()}
    return entry


# Learned ------------------------------------------------------------------------------------------------
def learned():
    p = np.array([inputs["learned.table"][i] for i in P])
    qx, kx, qp, kp = x @ inputs["W_q"], x @ inputs["W_k"], p @ inputs["W_q"], p @ inputs["W_k"]
    return case({"content": qx @ kx.T / 2, "content_to_position": qx @ kp.T / 2,
                 "position_to_content": qp @ kx.T / 2, "position_to_position": qp @ kp.T / 2},
                (x + p) @ inputs["W_v"])


# Shaw ---------------------------------------------------------------------------------------------------
def shaw_index(i, j, clip=3):
    return min(max(P[j] - P[i], -clip), clip) + clip


def shaw(variant):
    keys = inputs["shaw.key_table"]
    values = {"keys_and_values": inputs["shaw.value_table"], "tied": keys}.get(variant)
    terms = {"content": pairs(lambda i, j: q[i] @ k[j] / math.sqrt(D)),
             "content_to_position": pairs(lambda i, j: q[i] @ keys[shaw_index(i, j)] / math.sqrt(D))}
    return case(terms, v, None if values is None else lambda i, j: values[shaw_index(i, j)])


def check_shaw():
    matrix = [[min(max(j - i, -2), 2) + 2 for j in range(5)] for i in range(5)]
    assert matrix == formulas["shaw row of query and key, 5 tokens, clip 2"]


# Transformer-XL -----------------------------------------------------------------------------------------
def transformer_xl(printed=False):
    """As its paper has it; or as RoFormer prints it, u and v behind W_q."""
    def r(distance):
        w = [10000 ** (-2 * t / D_MODEL) for t in range(D_MODEL // 2)]
        sinusoid = [math.sin(distance * f) for f in w] + [math.cos(distance * f) for f in w]
        return np.array(sinusoid) @ of_head(inputs["transformer_xl.W_kR"])
    u, vv = inputs["transformer_xl.u"][HEAD], inputs["transformer_xl.v"][HEAD]
    if printed:
        u, vv = (inputs[f"transformer_xl.{name}_contents"][HEAD] @ of_head(inputs["transformer_xl.W_q"]) for name in "uv")
    return case({"content": pairs(lambda i, j: q[i] @ k[j] / 2),
                 "content_to_position": pairs(lambda i, j: q[i] @ r(P[i] - P[j]) / 2),
                 "global_content": pairs(lambda i, j: u @ k[j] / 2),
                 "global_position": pairs(lambda i, j: vv @ r(P[i] - P[j]) / 2)}, v)


# T5 -----------------------------------------------------------------------------------------------------
def t5_bucket(relative, buckets, max_distance, bidirectional):
    """relative = key − query, as the authors' code has it."""
    bucket = 0
    if bidirectional:
        buckets //= 2
        if relative > 0:
            bucket += buckets
        n = abs(relative)
    else:
        n = max(-relative, 0)
    exact = buckets // 2
    if n < exact:
        return bucket + n
    large = exact + int(math.log(n / exact) / math.log(max_distance / exact) * (buckets - exact))
    return bucket + min(large, buckets - 1)


def check_t5():
    for n, bucket in formulas["t5"]["bucket by distance behind, bidirectional"].items():
        assert t5_bucket(-int(n), 32, 128, True) == bucket
    for n, bucket in formulas["t5"]["first distance and bucket, causal"]:
        assert t5_bucket(-n, 32, 128, False) == bucket and (n == 0 or t5_bucket(1 - n, 32, 128, False) == bucket - 1)


def t5(table, buckets, max_distance, bidirectional):
    bias = inputs[table][:, HEAD]
    return case({"content": pairs(lambda i, j: q[i] @ k[j]),
                 "relative_bias": pairs(lambda i, j: bias[t5_bucket(P[j] - P[i], buckets, max_distance, bidirectional)])}, v)


# TUPE ---------------------------------------------------------------------------------------------------
def tupe_bucket(i, j, at=P, untied=True):
    if untied and at[i] == 0:
        return 16
    if untied and at[j] == 0:
        return 32
    return t5_bucket(at[j] - at[i], 32, 128, True)


def check_tupe():
    at = list(range(5))
    assert [[tupe_bucket(i, j, at) for j in at] for i in at] == \
        formulas["tupe bucket of query and key, 5 tokens"]


def tupe(untied, bias):
    t = inputs["tupe.table"]
    normal = (t - t.mean(axis=1, keepdims=True)) / np.sqrt(t.var(axis=1, keepdims=True) + 1e-5)
    a, b = normal @ of_head(inputs["tupe.U_q"]), normal @ of_head(inputs["tupe.U_k"])
    scale = math.sqrt(2 * D)

    def position(i, j):
        if untied and P[i] == 0:
            return a[0] @ b[0] / scale  # theta_1: [CLS] asks
        if untied and P[j] == 0:
            return a[1] @ b[1] / scale  # theta_2: [CLS] is looked at
        return a[P[i] + 1] @ b[P[j] + 1] / scale
    terms = {"content": q @ k.T / scale, "position": pairs(position)}
    if bias:
        table = inputs["tupe.bias_table"][:, HEAD]
        terms["relative_bias"] = pairs(lambda i, j: table[tupe_bucket(i, j, untied=untied)])
    return case(terms, v)


# DeBERTa ------------------------------------------------------------------------------------------------
def delta(r, span):
    if r <= -span:
        return 0
    return 2 * span - 1 if r >= span else r + span


def log_bucket(r, buckets, largest):
    mid = buckets // 2
    if abs(r) <= mid:
        return r
    size = math.ceil(math.log(abs(r) / mid) / math.log((largest - 1) / mid) * (mid - 1)) + mid
    return size if r > 0 else -size


def check_deberta():
    assert [delta(r, 4) for r in range(-6, 7)] == formulas["deberta"]["row delta(r), k=4, r = -6 ... 6"]
    for r, bucket in formulas["deberta"]["v2 bucket by distance, 256 buckets to 512"].items():
        assert log_bucket(int(r), 256, 512) == bucket and log_bucket(-int(r), 256, 512) == -bucket


def deberta(version, index, clamp=False, only=None):
    """clamp: to ±(largest − 1) before the logarithm, as Microsoft; only: one of the two terms."""
    table = inputs["deberta.table" if version == 1 else "deberta.table_v2"]
    span = len(table) // 2
    kr, qr = table @ of_head(inputs["deberta.W_kr"]), table @ of_head(inputs["deberta.W_qr"])

    def row(r):
        r = min(max(r, -7), 7) if clamp else r
        return delta(r if version == 1 else log_bucket(r, 4, 8), span)
    scale = math.sqrt((2 if only else 3) * D)
    sign = -1 if index == "paper" else 1
    terms = {"content": q @ k.T / scale,
             "content_to_position": pairs(lambda i, j: q[i] @ kr[row(P[i] - P[j])] / scale),
             "position_to_content": pairs(lambda i, j: k[j] @ qr[row(sign * (P[i] - P[j]))] / scale)}
    return case({name: term for name, term in terms.items() if only in (None, name) or name == "content"}, v)


for check in (check_shaw, check_t5, check_tupe, check_deberta):
    check()
cases = {"learned": learned(), "transformer_xl": transformer_xl(),
         "t5 bidirectional": t5("t5.table", 32, 128, True), "t5 causal": t5("t5.table", 32, 128, False),
         "t5 small": t5("t5.table_small", 8, 20, True),
         "tupe untied bias": tupe(True, True), "tupe tied bias": tupe(False, True), "tupe untied": tupe(True, False)}
for variant in ("keys_and_values", "keys_only", "tied"):
    cases["shaw " + variant] = shaw(variant)
for version in (1, 2):
    for index in ("paper", "code"):
        cases[f"deberta v{version} {index}"] = deberta(version, index)
cases["transformer_xl printed"] = transformer_xl(printed=True)
cases["deberta v2 microsoft"] = deberta(2, "code", clamp=True)
cases["deberta v1 c2p"] = deberta(1, "paper", only="content_to_position")
cases["deberta v1 p2c"] = deberta(1, "paper", only="position_to_content")
configs = [(32, 128, True), (32, 128, False), (8, 20, True), (16, 64, True), (64, 512, False)]
document = {
    "generator": "tests/golden/generate_encodings.py",
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__},
    "positions": P, "head": HEAD, "heads": H, "d_model": D_MODEL, "d_head": D,
    "inputs": {name: value.tolist() for name, value in inputs.items()},
    "cases": cases,
    "t5_buckets": [{"buckets": b, "max_distance": m, "bidirectional": s,
                    "of_r_from_minus_600": [t5_bucket(-r, b, m, s) for r in range(-600, 601)]} for b, m, s in configs],
    "deberta_rows_of_r_from_minus_700": {
        "hugging_face": [min(max(log_bucket(r, 256, 512) + 256, 0), 511) for r in range(-700, 701)],
        "microsoft": [min(max(log_bucket(min(max(r, -511), 511), 256, 512) + 256, 0), 511) for r in range(-700, 701)]},
    "deberta_buckets_of_r_from_minus_700": [log_bucket(r, 256, 512) for r in range(-700, 701)],
}
(here / "encodings.json").write_text(json.dumps(document, indent=None, separators=(",", ":")).replace("},", "},\n") + "\n")
