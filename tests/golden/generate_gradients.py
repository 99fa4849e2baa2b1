#!/usr/bin/env python3
"""Writes gradients.json: derivatives of attention's logits and outputs, computed without Orrery.

The formulas of the papers and of released code, written anew in PyTorch's float64, and autograd's
derivatives of one number made of all logits, outputs and inputs:

    loss = <d_logits, logits> + <d_output, output> + <d_input, x + p>

Methods that their papers define for keys behind the query alone have zeros in d_logits elsewhere.
Run it with torch installed; the tests do not need it.
"""
import json
import math
import pathlib
import platform

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
P = [0, 1, 2, 5, 6, 9]
N, D, HEADS, HEAD, DM = len(P), 4, 2, 1, 8
HERE = slice(HEAD * D, (HEAD + 1) * D)  # the columns of the head
BASE = 10000.0
SEGMENTS = [0, 0, 1, 0, 1, 1]


def numbers(rows, columns, a, b, m, size=8.0):
    return torch.tensor([[((a * i + b * c + i * c) % m - m // 2 + 0.5) / size for c in range(columns)]
                         for i in range(rows)])


inputs = {"x": numbers(N, DM, 3, 5, 17), "q": numbers(N, D, 5, 2, 19), "k": numbers(N, D, 3, 7, 13),
          "v": numbers(N, D, 2, 5, 11), "weights": numbers(N, N, 7, 3, 11).abs(),
          "d_input": numbers(N, DM, 5, 3, 13), "d_logits": numbers(N, N, 3, 4, 17), "d_output": numbers(N, D, 4, 5, 13)}
behind = torch.tril(torch.ones(N, N))
apart = torch.tensor([[float(m - n) for n in P] for m in P])
cases = []


def relative(value_of):
    """value_of(m - n) for every pair, whole numbers."""
    return torch.tensor([[value_of(m - n) for n in P] for m in P])


def case(encoding, compute, settings=None, tables=None, causal=False, values=False, reads_x=False, segments=False):
    """compute(t, x, q, k, v, weights) gives logits, and what is added to x and to the output, or None."""
    point = {name: inputs[name].clone().requires_grad_() for name in ("x", "q", "k", "v", "weights")}
    given = {f"{encoding}.{name}": table.clone().requires_grad_() for name, table in (tables or {}).items()}
    t = {name.split(".")[1]: table for name, table in given.items()}
    logits, p, o = compute(t, *point.values())
    x = point["x"] if p is None else point["x"] + p
    output = point["weights"] @ point["v"] if o is None else o
    d_logits = inputs["d_logits"] * (behind if causal else 1)
    loss = (d_logits * logits).sum() + (inputs["d_output"] * output).sum() + (inputs["d_input"] * x).sum()
    names = ["q", "k"] + (["x"] if reads_x else []) + (["v", "weights"] if values else [])
    wanted = {**{name: point[name] for name in names}, **given}
    found = torch.autograd.grad(loss, list(wanted.values()))
    cases.append({"encoding": encoding, "settings": {key: str(value) for key, value in (settings or {}).items()},
                  "causal": causal, "segments": segments, "tables": {name: table.tolist() for name, table in given.items()},
                  "gradients": {name: gradient.tolist() for name, gradient in zip(wanted, found)}})


def content(q, k, products=1):
    return q @ k.T / math.sqrt(products * D)


# --- Added to the input

def sinusoids(positions, channels):
    """[sin | cos], as Transformer-XL has them."""
    omega = BASE ** (-torch.arange(0, channels, 2) / channels)
    angles = torch.as_tensor(positions, dtype=torch.float64)[..., None] * omega
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


case("none", lambda t, x, q, k, v, A: (content(q, k), None, None))
case("sinusoidal", lambda t, x, q, k, v, A: (content(q, k), sinusoids(P, DM), None), reads_x=True)
case("learned", lambda t, x, q, k, v, A: (content(q, k), t["table"][P], None), {"learned.length": 10},
     {"table": numbers(10, DM, 4, 3, 11)}, reads_x=True)


# --- Rotations, as products of complex numbers

def theta_of(pairs):
    return BASE ** (-torch.arange(pairs) / pairs)


def turned(x, angles, factor=1.0):
    """Neighbouring channels as a complex number, times factor·e^{i angle}; angles [N, pairs]."""
    z = torch.view_as_complex(x.reshape(len(x), -1, 2).contiguous())
    return torch.view_as_real(z * torch.polar(torch.full_like(angles, factor), angles)).reshape(x.shape)


def angles_at(positions, theta):
    return torch.tensor([[float(p) * float(w) for w in theta] for p in positions])


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def half_split(x, angles):
    both = torch.cat([angles, angles], dim=-1)
    return x * both.cos() + rotate_half(x) * both.sin()


A0 = angles_at(P, theta_of(D // 2))
case("rope", lambda t, x, q, k, v, A: (content(turned(q, A0), turned(k, A0)), None, None))
case("rope", lambda t, x, q, k, v, A: (content(half_split(q, A0), half_split(k, A0)), None, None),
     {"rope.pairing": "half_split"})
case("rope", lambda t, x, q, k, v, A: (content(torch.cat([turned(q[:, :2], angles_at(P, [1.0])), q[:, 2:]], -1),
                                               torch.cat([turned(k[:, :2], angles_at(P, [1.0])), k[:, 2:]], -1)), None, None),
     {"rope.fraction": 0.5})
case("rope", lambda t, x, q, k, v, A: (content(turned(q, A0 / 3, 1.25), turned(k, A0 / 3, 1.25)), None, None),
     {"rope.scaling": "factors", "rope.factors": "3+3", "rope.attention_factor": 1.25})
case("rope", lambda t, x, q, k, v, A: (content(turned(q, A0), turned(k, A0)), None, A @ turned(v, A0)),
     {"rope.rotary_value": "rotated"}, values=True)
case("rope", lambda t, x, q, k, v, A: (content(turned(q, A0), turned(k, A0)), None, turned(A @ turned(v, A0), -A0)),
     {"rope.rotary_value": "counter_rotated"}, values=True)


def axis_rope():
    places = numbers(10, 3, 3, 2, 7, 1.0).floor()
    angles = torch.stack([places[P, 0], places[P, 1] * BASE ** -0.5], dim=-1)
    turn = lambda z: turned(z, angles)
    # Positions are no weights: they are given, and have no derivative.
    case("axis_rope", lambda t, x, q, k, v, A: (content(turn(q), turn(k)) + 0 * t["positions"].sum(), None, None),
         {"axis_rope.time_pairs": 1, "axis_rope.row_pairs": 1}, {"positions": places})
    cases[-1]["gradients"].pop("axis_rope.positions")


def xpos():
    zeta = (2 * torch.arange(D // 2) / D + 0.4) / 1.4
    at = torch.tensor(P, dtype=torch.float64)[:, None]
    grown = lambda z, sign: (turned(z, A0).reshape(N, -1, 2) * (zeta ** (sign * at / 20))[..., None]).reshape(N, D)
    case("xpos", lambda t, x, q, k, v, A: (content(grown(q, 1), grown(k, -1)), None, None), {"xpos.scale_base": 20})


def grape_multiplicative():
    skew = lambda a, b: torch.outer(a, b) - torch.outer(b, a)
    rows = numbers(D, D, 3, 5, 7, 4.0) + torch.eye(D)
    turn = lambda z, L: torch.stack([torch.matrix_exp(p * L).T @ row for p, row in zip(P, z)])
    logits = lambda q, k, L: content(turn(q, L), turn(k, L))
    case("grape_multiplicative", lambda t, x, q, k, v, A: (logits(q, k, 0.375 * skew(*t["vectors"])), None, None),
         {"grape_multiplicative.planes": "one", "grape_multiplicative.speed": 0.375}, {"vectors": rows[:2]})

    def every(t, x, q, k, v, A):
        basis, lengths = torch.linalg.qr(t["vectors"].T)
        basis = (basis * lengths.diagonal().sign()).T
        L = sum(w * skew(basis[2 * i], basis[2 * i + 1]) for i, w in enumerate(theta_of(D // 2)))
        return logits(q, k, L), None, None

    case("grape_multiplicative", every, {}, {"vectors": rows})


# --- Biases beside the content

def t5_bucket(r, buckets, most, both):
    """Transformers' _relative_position_bucket, of memory - context."""
    relative_position, found = -r, 0
    if both:
        buckets //= 2
        found += buckets if relative_position > 0 else 0
        relative_position = abs(relative_position)
    else:
        relative_position = -min(relative_position, 0)
    exact = buckets // 2
    if relative_position < exact:
        return found + relative_position
    far = exact + int(math.log(relative_position / exact) / math.log(most / exact) * (buckets - exact))
    return found + min(far, buckets - 1)


def biases():
    for scale in ("none", "root"):
        bias = -apart.abs() * 2.0 ** (-8 * (HEAD + 1) / HEADS)
        case("alibi", lambda t, x, q, k, v, A: (content(q, k) + bias / (math.sqrt(D) if scale == "root" else 1), None, None),
             {"alibi.bias_scale": scale})
    for both in (True, False):
        index = relative(lambda r: t5_bucket(r, 8, 12, both))
        case("t5", lambda t, x, q, k, v, A: (q @ k.T + t["table"][:, HEAD][index], None, None),
             {"t5.buckets": 8, "t5.max_distance": 12, "t5.bidirectional": str(both).lower()}, {"table": numbers(8, HEADS, 3, 2, 7)})
    r1, r2 = torch.tensor([[0.5, 1.25]]), torch.tensor([[1.5, 0.375]])
    case("kerple", lambda t, x, q, k, v, A: (
        content(q, k) - t["r1"][0, HEAD] * torch.log(1 + t["r2"][0, HEAD] * apart.abs()), None, None), {}, {"r1": r1, "r2": r2})
    case("kerple", lambda t, x, q, k, v, A: (
        content(q, k) - t["r1"][0, HEAD] * apart.abs() ** t["r2"][0, HEAD], None, None),
        {"kerple.variant": "power"}, {"r1": r1, "r2": r2})
    theta = theta_of(4)
    case("sandwich", lambda t, x, q, k, v, A: (
        content(q, k) + torch.cos(apart[..., None] * theta).sum(-1) / (8 * (HEAD + 1) / HEADS), None, None),
        {"sandwich.channels": 8})

    def fire(t, x, q, k, v, A):
        psi = lambda z: torch.log((0.1 * z).abs() + 1)
        of = torch.tensor([max(float(m), 4.0) for m in P])[:, None]
        share = (psi(apart) / (psi(of) + 1e-6))[..., None]
        hidden = torch.relu(share * t["w1"][0] + t["b1"][0])
        return content(q, k) + (hidden @ t["w2"] + t["b2"][0])[..., HEAD], None, None

    case("fire", fire, {"fire.threshold": 4}, {"w1": numbers(1, 32, 0, 5, 13), "b1": numbers(1, 32, 0, 7, 11, 16.0) + 0.011,
                                               "w2": numbers(32, HEADS, 5, 3, 11), "b2": numbers(1, HEADS, 1, 2, 5)})


# --- Tables of vectors by distance

def shaw():
    def index(left, right, flip=False):
        return relative(lambda r: right - min(max(-r, -left), right) if flip else min(max(-r, -left), right) + left)

    sides = {"keys": numbers(7, D, 3, 4, 11), "values": numbers(7, D, 5, 3, 13)}
    near = index(3, 3)
    by_query = lambda q, table, at: torch.einsum("id,ijd->ij", q, table[at]) / math.sqrt(D)
    case("shaw", lambda t, x, q, k, v, A: (content(q, k) + by_query(q, t["key_table"], near), None,
                                           torch.einsum("ij,ijd->id", A, v[None] + t["value_table"][near])),
         {"shaw.clip": 3}, {"key_table": sides["keys"], "value_table": sides["values"]}, values=True)
    case("shaw", lambda t, x, q, k, v, A: (content(q, k) + by_query(q, t["key_table"], near), None,
                                           torch.einsum("ij,ijd->id", A, v[None] + t["key_table"][near])),
         {"shaw.clip": 3, "shaw.variant": "tied"}, {"key_table": sides["keys"]}, values=True)
    case("shaw", lambda t, x, q, k, v, A: (
        content(q, k) + by_query(q, t["key_table"], near) + torch.einsum("jd,ijd->ij", k, t["key_table"][near]) / math.sqrt(D),
        None, None), {"shaw.clip": 3, "shaw.variant": "queries_and_keys"}, {"key_table": sides["keys"]})
    turned_rows = index(4, 2, flip=True)
    case("shaw", lambda t, x, q, k, v, A: (content(q, k) + by_query(q, t["key_table"], turned_rows), None, None),
         {"shaw.clip": 4, "shaw.clip_ahead": 2, "shaw.rows": "query_minus_key", "shaw.variant": "keys_only"},
         {"key_table": sides["keys"]})


def transformer_xl():
    weights = {"u": numbers(HEADS, D, 3, 5, 7), "v": numbers(HEADS, D, 4, 3, 9), "W_kR": numbers(DM, HEADS * D, 3, 4, 13),
               "s": numbers(HEADS, D, 5, 3, 7), "segment_table": numbers(2, HEADS * D, 5, 4, 11)}

    def logits(t, q, k, u, v, most=None, segments=False):
        distance = apart if most is None else apart.clamp(-most, most)
        r = sinusoids(distance, DM) @ t["W_kR"][:, HERE]
        out = (q + u) @ k.T + torch.einsum("id,ijd->ij", q + v, r)
        if segments:
            other = torch.tensor([[int(a != b) for b in SEGMENTS] for a in SEGMENTS])
            out = out + torch.einsum("id,ijd->ij", q + t["s"][HEAD], t["segment_table"][:, HERE][other])
        return out / math.sqrt(D)

    plain = {name: weights[name] for name in ("u", "v", "W_kR")}
    case("transformer_xl", lambda t, x, q, k, v, A: (logits(t, q, k, t["u"][HEAD], t["v"][HEAD]), None, None), {}, plain)
    case("transformer_xl", lambda t, x, q, k, v, A: (logits(t, q, k, t["u"][HEAD], t["v"][HEAD], 4, True), None, None),
         {"transformer_xl.clamp_len": 4}, weights, segments=True)
    behind_W_q = {"u": numbers(HEADS, DM, 3, 5, 7), "v": numbers(HEADS, DM, 4, 3, 9), "W_q": numbers(DM, HEADS * D, 5, 2, 11),
                  "W_kR": weights["W_kR"]}
    case("transformer_xl", lambda t, x, q, k, v, A: (
        logits(t, q, k, t["u"][HEAD] @ t["W_q"][:, HERE], t["v"][HEAD] @ t["W_q"][:, HERE]), None, None),
        {"transformer_xl.biases": "roformer"}, behind_W_q)


def deberta():
    def v2_bucket(r, buckets, most):
        """make_log_bucket_position of microsoft/DeBERTa and Transformers."""
        mid = buckets // 2
        distance = mid - 1 if -mid < r < mid else abs(r)
        if distance <= mid:
            return r
        far = math.ceil(math.log(distance / mid) / math.log((most - 1) / mid) * (mid - 1)) + mid
        return far if r > 0 else -far

    span = 4
    tables = {"table": numbers(2 * span, DM, 3, 5, 13), "W_qr": numbers(DM, HEADS * D, 3, 4, 11), "W_kr": numbers(DM, HEADS * D, 5, 2, 13),
              "b_qr": numbers(1, HEADS * D, 1, 3, 7), "b_kr": numbers(1, HEADS * D, 1, 5, 9)}
    norm = {"norm_gain": numbers(1, DM, 1, 3, 7) + 1, "norm_bias": numbers(1, DM, 1, 5, 9)}

    def logits(t, q, k, bucket, mirrored, c2p=True, p2c=True):
        table = F.layer_norm(t["table"], (DM,), t["norm_gain"][0], t["norm_bias"][0], 1e-7) if "norm_gain" in t else t["table"]
        K, Q = (table @ t[f"W_{s}"][:, HERE] + t[f"b_{s}"][0, HERE] for s in ("kr", "qr"))
        row = lambda r: min(max(bucket(r) + span, 0), 2 * span - 1)
        out = q @ k.T
        if c2p:
            out = out + torch.einsum("id,ijd->ij", q, K[relative(row)])
        if p2c:
            out = out + torch.einsum("jd,ijd->ij", k, Q[relative(lambda r: row(-r if mirrored else r))])
        return out / math.sqrt((1 + c2p + p2c) * D)

    settings = {"deberta.span": span}
    case("deberta", lambda t, x, q, k, v, A: (logits(t, q, k, lambda r: r, True), None, None), settings, tables)
    case("deberta", lambda t, x, q, k, v, A: (logits(t, q, k, lambda r: v2_bucket(r, span, 8), False), None, None),
         {**settings, "deberta.version": "v2", "deberta.max_distance": 8, "deberta.p2c": "code", "deberta.norm": "layer_norm"},
         {**tables, **norm})
    only = {name: tables[name] for name in ("table", "W_kr", "b_kr")}
    case("deberta", lambda t, x, q, k, v, A: (logits({**t, "W_qr": tables["W_qr"], "b_qr": tables["b_qr"]}, q, k, lambda r: r,
                                                     True, p2c=False), None, None), {**settings, "deberta.terms": "c2p"}, only)


def inkling():
    def logits(t, q, k):
        r = q @ t["mixing"][HERE]
        profile = torch.cat([t["profiles"], torch.zeros(3, 1)], dim=1)
        index = relative(lambda d: d if 0 <= d < 6 else 6)
        return content(q, k) + torch.einsum("ip,pij->ij", r, profile[:, index])

    case("inkling", lambda t, x, q, k, v, A: (logits(t, q, k), None, None), {"inkling.extent": 6, "inkling.profiles": 3},
         {"mixing": numbers(HEADS * D, 3, 3, 5, 11), "profiles": numbers(3, 6, 5, 3, 7)})


def tupe():
    tables = {"table": numbers(10, DM, 3, 5, 13), "U_q": numbers(DM, HEADS * D, 3, 4, 11), "U_k": numbers(DM, HEADS * D, 5, 2, 13),
              "bias_table": numbers(32, HEADS, 3, 5, 17)}
    at = torch.tensor(P)
    bucket = relative(lambda r: t5_bucket(r, 32, 128, True))

    def paper(untied):
        def compute(t, x, q, k, v, A):
            position = content(t["table"][at] @ t["U_q"][:, HERE], t["table"][at] @ t["U_k"][:, HERE], 2)
            beside = position + t["bias_table"][:, HEAD][bucket]
            if untied:  # reset_theta, whose first row wins
                key = (at == 0)[None].expand(N, N)
                beside = torch.where(key, t["theta"][1, HEAD], beside)
                beside = torch.where(key.T, t["theta"][0, HEAD], beside)
            return content(q, k, 2) + beside, None, None
        return compute

    def released(t, x, q, k, v, A):
        rows = F.layer_norm(t["table"], (DM,), t["norm_gain"][0], t["norm_bias"][0], 1e-5)
        a = rows @ t["U_q"][:, HERE] + t["b_q"][0, HERE]
        b = rows @ t["U_k"][:, HERE] + t["b_k"][0, HERE]
        position = content(a[1 + at], b[1 + at], 2)
        first, second = ((a[i] @ b[i]) / math.sqrt(2 * D) for i in (0, 1))
        position = torch.where((at == 0)[None], second, position)
        position = torch.where((at == 0)[:, None], first, position)
        rp = bucket.clone()
        rp[:, 0] = 32
        rp[0, :] = 16
        return content(q, k, 2) + position + t["bias_table"][:, HEAD][rp], None, None

    case("tupe", paper(True), {"tupe.length": 10}, {**tables, "theta": numbers(2, HEADS, 3, 5, 7)})
    case("tupe", paper(False), {"tupe.length": 10, "tupe.untie_cls": "false"}, tables)
    more = {"table": numbers(11, DM, 3, 5, 13), "bias_table": numbers(33, HEADS, 3, 5, 17), "b_q": numbers(1, HEADS * D, 1, 3, 7),
            "b_k": numbers(1, HEADS * D, 1, 5, 9), "norm_gain": numbers(1, DM, 1, 3, 7) + 1, "norm_bias": numbers(1, DM, 1, 5, 9)}
    case("tupe", released, {"tupe.length": 10, "tupe.variant": "released"}, {**tables, **more})


# --- Gates, between a key and the query behind which it stands

def forgetting(inputs_of_gates):
    """D_mn = sum over n < t <= m of ln f_t."""
    log_f = F.logsigmoid(inputs_of_gates)
    return torch.stack([torch.stack([log_f[n + 1:m + 1].sum() for n in range(N)]) for m in range(N)])


def fox():
    for reads, width in (("key", D), ("input", DM)):
        case("fox", lambda t, x, q, k, v, A: (
            content(q, k) + forgetting((x if reads == "input" else k) @ t["weight"][HEAD] + t["bias"][0, HEAD]), None, None),
            {"fox.reads": reads}, {"weight": numbers(HEADS, width, 3, 5, 7), "bias": torch.tensor([[1.0, 0.5]])},
            causal=True, reads_x=reads == "input")


def cope():
    """CoPE's module as the paper lists it, of masked logits."""
    for gate, most in (("scaled", 4), ("unscaled", 3)):
        def logits(t, x, q, k, v, A):
            gates = torch.sigmoid(content(q, k) if gate == "scaled" else q @ k.T) * behind
            positions = gates.flip(-1).cumsum(-1).flip(-1).clamp(max=most - 1)
            ceil, floor = positions.ceil().long(), positions.floor().long()
            whole = q @ t["table"].T
            share = positions - floor
            return content(q, k) + whole.gather(-1, ceil) * share + whole.gather(-1, floor) * (1 - share), None, None

        case("cope", logits, {"cope.positions": most, "cope.gate": gate}, {"table": numbers(most, D, 3, 5, 11)}, causal=True)


def path():
    def products(q, k, w, beta):
        H = torch.eye(D) - beta[:, None, None] * w[:, :, None] * w[:, None, :]
        rows = []
        for m in range(N):
            row, between = {}, torch.eye(D)
            for n in range(m, -1, -1):
                row[n] = q[m] @ between @ k[n]
                between = between @ H[n]
            rows.append(torch.stack([row[n] if n <= m else torch.zeros(()) for n in range(N)]))
        return torch.stack(rows)

    def of_keys(t, x, q, k, v, A):
        w = F.normalize(k @ t["direction"].T, dim=-1)
        beta = 2 * torch.sigmoid(k @ t["gate"][HEAD] + t["bias"][0, HEAD])
        return products(q, k, w, beta) / math.sqrt(D), None, None

    def of_input(t, x, q, k, v, A):
        z = x @ t["direction"][HERE].T
        taps = t["convolution"][:, HERE]
        mixed = torch.stack([sum(taps[s] * z[i - s] for s in range(3) if i >= s) for i in range(N)])
        w = F.normalize(F.silu(mixed), dim=-1)
        beta = 2 * torch.sigmoid(x @ t["gate"][HEAD] + t["bias"][0, HEAD])
        forget = forgetting(x @ t["forget_weight"][HEAD] + t["forget_bias"][0, HEAD])
        return (products(q, k, w, beta) + forget) / math.sqrt(D), None, None

    bias = {"bias": torch.tensor([[0.25, -0.5]])}
    case("path", of_keys, {}, {"direction": numbers(D, D, 3, 5, 11), "gate": numbers(HEADS, D, 3, 5, 7), **bias}, causal=True)
    case("path", of_input, {"path.reads": "input", "path.convolution": 3, "path.forget": "true"},
         {"direction": numbers(HEADS * D, DM, 3, 5, 11), "gate": numbers(HEADS, DM, 3, 5, 7), **bias,
          "convolution": numbers(3, HEADS * D, 3, 4, 7, 4.0), "forget_weight": numbers(HEADS, DM, 4, 3, 9),
          "forget_bias": torch.tensor([[1.5, 0.75]])}, causal=True, reads_x=True)


# --- The rest

def pope():
    theta = BASE ** (-torch.arange(D) / D)

    def logits(t, x, q, k, v, A):
        delta = t["phases"][HEAD].clamp(-2 * math.pi, 0)
        lengths = F.softplus(q)[:, None] * F.softplus(k)[None]
        return (lengths * torch.cos(apart[..., None] * theta - delta)).sum(-1) / math.sqrt(D), None, None

    case("pope", logits, {}, {"phases": torch.tensor([[-1.0, 0.0, -2.0, -3.0], [-0.5, 0.25, -6.5, -4.0]])})


def grape_additive():
    slope = 2.0 ** (-8 * (HEAD + 1) / HEADS)
    tables = {"key": numbers(HEADS, D, 3, 5, 7), "query": numbers(HEADS, D, 4, 3, 9), "forget": numbers(HEADS, D, 5, 2, 7)}
    speed = lambda z, row: slope * F.softplus(z @ (row / row.norm()) / math.sqrt(D))

    def gated(gate):
        def logits(t, x, q, k, v, A):
            omega = torch.zeros(N, N)
            if gate in ("key", "query_key"):
                omega = omega + speed(k, t["key"][HEAD])[None]
            if gate in ("query", "query_key"):
                omega = omega + speed(q, t["query"][HEAD])[:, None]
            if gate == "forget":
                return content(q, k) + forgetting(k @ t["forget"][HEAD] + 1.5), None, None
            return content(q, k) - apart.abs() * omega, None, None
        return logits

    for gate, read in (("key", ["key"]), ("query", ["query"]), ("query_key", ["key", "query"]), ("forget", ["forget"])):
        bias = {"grape_additive.bias": 1.5} if gate == "forget" else {}
        case("grape_additive", gated(gate), {"grape_additive.gate": gate, **bias}, {name: tables[name] for name in read},
             causal=gate == "forget")


for make in (axis_rope, xpos, grape_multiplicative, biases, shaw, transformer_xl, deberta, inkling, tupe, fox, cope, path, pope,
             grape_additive):
    make()
versions = {"python": platform.python_version(), "torch": torch.__version__}
shown = {**{name: value.tolist() for name, value in inputs.items()}, "positions": P, "heads": HEADS, "head": HEAD,
         "segments": SEGMENTS}
pathlib.Path(__file__).with_name("gradients.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_gradients.py", "versions": versions, "inputs": shown, "cases": cases},
    separators=(",", ":")).replace("],\"", "],\n\"").replace("},{", "},\n{") + "\n")
