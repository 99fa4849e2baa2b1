#!/usr/bin/env python3
"""Writes modern.json: attention with the encodings of 2022 to 2026, computed without Orrery.

Where the authors or a library publish code it is run: torchscale's xPos, x-transformers' CoPE and
PoPE, flash-linear-attention's references of FoX and PaTH, Transformers' InklingRelativeLogits. Those
that compute in fp32 whatever they are given are checked against loops in NumPy's float64 to 1e-4,
and the loops are written. Sandwich, FIRE and GRAPE are their papers' formulas in NumPy, with matrix
exponentials by mpmath. Run it with the packages of `versions` installed; the tests do not need it.
"""
import importlib.metadata
import importlib.util
import json
import pathlib
import platform

import mpmath
import numpy as np
import torch

torch.set_default_dtype(torch.float64)
N, D, HEADS, HEAD = 7, 4, 3, 1
P = list(range(N))


def numbers(rows, columns, a, b, m):
    return np.array([[((a * i + b * c) % m - m // 2) / 4.0 for c in range(columns)] for i in range(rows)])


def file_of(package, path):
    """A module by its file: importing the package would need a GPU's compiler."""
    root = pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location("reference", root / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def log_sigmoid(x):
    return -np.logaddexp(0, -x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax_of_causal(logits):
    masked = np.where(np.tril(np.ones_like(logits)) > 0, logits, -np.inf)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def case(logits, causal=True):
    """Of a causal method the logits of keys ahead are no part of it: null."""
    weights = softmax_of_causal(logits)
    kept = [[float(x) if j <= i or not causal else None for j, x in enumerate(row)] for i, row in enumerate(logits)]
    return {"logits": kept, "weights": weights.tolist(), "output": (weights @ v).tolist()}


def agree(a, b, tolerance=1e-4):
    assert np.abs(np.asarray(a) - np.asarray(b)).max() < tolerance, np.abs(np.asarray(a) - np.asarray(b)).max()


q, k, v = numbers(N, D, 5, 2, 9), numbers(N, D, 3, 4, 7), numbers(N, D, 2, 5, 11)
content = q @ k.T / np.sqrt(D)
distance = np.array([[i - j for j in P] for i in P])
cases = {}


def xpos():
    from torchscale.component.xpos_relative_position import XPOS
    module = XPOS(D)
    turned_q, turned_k = (module(torch.tensor(x)[None], downscale=down)[0].numpy() for x, down in ((q, False), (k, True)))
    return {"centre": (N + 1) // 2, "turned q": turned_q.tolist(), "turned k": turned_k.tolist(),
            **case(turned_q @ turned_k.T / np.sqrt(D), causal=False)}


def sandwich(channels=8, base=10000.0):
    at = np.array(P)[:, None]
    t = np.arange(channels // 2)
    p = np.concatenate([np.sin(at / base ** (2 * t / channels)), np.cos(at / base ** (2 * t / channels))], axis=1)
    return {"channels": channels, **case(content + p @ p.T / (8 * (HEAD + 1) / HEADS), causal=False)}


def fire(c=0.1, threshold=3.0):
    w1, b1, w2, b2 = numbers(1, 32, 1, 5, 13), numbers(1, 32, 1, 3, 7), numbers(32, HEADS, 2, 5, 9), numbers(1, HEADS, 1, 2, 5)
    layers = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.ReLU(), torch.nn.Linear(32, HEADS))
    with torch.no_grad():
        for parameter, value in zip(layers.parameters(), (w1.T, b1[0], w2.T, b2[0])):
            parameter.copy_(torch.tensor(value))
    psi = lambda x: np.log(np.abs(c * x) + 1)
    share = psi(distance) / (psi(np.maximum(np.array(P), threshold))[:, None] + 1e-6)
    bias = layers(torch.tensor(share)[..., None]).detach().numpy()[..., HEAD]
    return {"c": c, "threshold": threshold, "w1": w1.tolist(), "b1": b1.tolist(), "w2": w2.tolist(), "b2": b2.tolist(),
            **case(content + bias, causal=False)}


gate_weight, gate_bias = numbers(HEADS, D, 3, 5, 8), numbers(1, HEADS, 1, 3, 6)


def fox():
    log_f = log_sigmoid(k @ gate_weight[HEAD] + gate_bias[0, HEAD])
    logits = np.array([[content[i, j] + sum(log_f[j + 1:i + 1]) for j in P] for i in P])
    reference = file_of("fla", "ops/forgetting_attn/naive.py").naive_forgetting_attn
    of = lambda x: torch.tensor(x)[None, :, None]
    agree(reference(of(q), of(k), of(v), torch.tensor(log_f)[None, :, None])[0, :, 0], softmax_of_causal(logits) @ v)
    return {"weight": gate_weight.tolist(), "bias": gate_bias.tolist(), **case(logits)}


def cope(positions=4):
    from x_transformers.x_transformers import CoPE
    module = CoPE(dim=D, heads=1, max_pos=positions)
    table = numbers(positions, D, 2, 3, 7)
    with torch.no_grad():
        module.pos_emb.copy_(torch.tensor(table))
    masked = np.where(np.tril(np.ones((N, N))) > 0, content, -1e300)
    added = module(torch.tensor(q)[None, None], torch.tensor(masked)[None, None])[0, 0].detach().numpy()
    return {"table": table.tolist(), **case(content + added)}


def path():
    direction = numbers(D, D, 3, 5, 7)
    w = k @ direction.T
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    beta = 2 * sigmoid(k @ gate_weight[HEAD] + gate_bias[0, HEAD])
    H = [np.eye(D) - b * np.outer(x, x) for b, x in zip(beta, w)]
    logits = np.zeros((N, N))
    for i in P:
        for j in P[:i + 1]:
            product = np.eye(D)
            for t in range(i, j, -1):
                product = product @ H[t]
            logits[i, j] = q[i] @ product @ k[j] / np.sqrt(D)
    reference = file_of("fla", "ops/path_attn/naive.py").naive_path_attn
    of = lambda x: torch.tensor(x)[None, :, None]
    out = reference(of(q), of(k), of(v), of(w), torch.tensor(beta)[None, :, None], torch.zeros(1, N, 1), D ** -0.5, chunk_size=4)
    agree(out[0, :, 0], softmax_of_causal(logits) @ v)
    return {"direction": direction.tolist(), "gate": gate_weight.tolist(), "bias": gate_bias.tolist(), **case(logits)}


def pope(base=10000.0):
    from x_transformers.x_transformers import PolarEmbedding, apply_polar_pos_emb
    phases = -np.abs(numbers(HEADS, D, 3, 1, 8))
    theta = base ** (-np.arange(D) / D)
    mu = lambda x: np.logaddexp(0, x)
    logits = np.array([[(mu(q[i]) * mu(k[j]) * np.cos((i - j) * theta - phases[HEAD])).sum() / np.sqrt(D) for j in P] for i in P])
    module = PolarEmbedding(D, HEADS)
    with torch.no_grad():
        module.learned_bias.copy_(torch.tensor(phases)[:, None])
    freqs, bias = module(torch.arange(N))
    turned_q = apply_polar_pos_emb(torch.tensor(q)[None], freqs)
    turned_k = apply_polar_pos_emb(torch.tensor(k)[None], freqs + bias[HEAD])
    agree((turned_q @ turned_k.transpose(1, 2))[0].detach() / np.sqrt(D), logits)
    return {"phases": phases.tolist(), **case(logits, causal=False)}


def inkling(profiles=3, extent=4):
    from transformers.models.inkling.modeling_inkling import InklingRelativeLogits
    mixing, bank = numbers(HEADS * D, profiles, 5, 3, 11), numbers(profiles, extent, 2, 5, 9)
    module = InklingRelativeLogits(profiles, extent)
    with torch.no_grad():
        module.proj.copy_(torch.tensor(bank))
    states = torch.tensor(q @ mixing[HEAD * D:(HEAD + 1) * D])[None, :, None]
    at = torch.arange(N)
    bias = module(states, at, at)[0, 0].detach().numpy()
    return {"mixing": mixing.tolist(), "profiles": bank.tolist(), **case(content + bias, causal=False)}


def slope(head):
    """ALiBi's of 4 heads."""
    return 2.0 ** (-8.0 * (head + 1) / 4)


def lifted(rate):
    """(q, 1, 0) exp(−r ω A) (k, 0, 1) with A² = 0, by the series of mpmath."""
    d = D + 2
    A = mpmath.zeros(d, d)
    A[D, D + 1] = 1
    G = mpmath.expm(A * mpmath.mpf(-float(rate)))
    return np.array(G.tolist(), dtype=float)


def grape_additive():
    u, w = numbers(4, D, 3, 5, 8) + 0.125, numbers(4, D, 2, 3, 7) + 0.25
    unit = lambda x: x[HEAD] / np.linalg.norm(x[HEAD])
    softplus = lambda x: np.logaddexp(0, x)
    speeds = {"none": lambda i, j: slope(HEAD),
              "key": lambda i, j: slope(HEAD) * softplus(k[j] @ unit(u) / np.sqrt(D)),
              "query": lambda i, j: slope(HEAD) * softplus(q[i] @ unit(w) / np.sqrt(D))}
    speeds["query_key"] = lambda i, j: speeds["key"](i, j) + speeds["query"](i, j)
    found = {}
    for name, speed in speeds.items():
        logits = np.zeros((N, N))
        for i in P:
            for j in P[:i + 1]:
                G = lifted((i - j) * speed(i, j))
                left, right = np.concatenate([q[i] / np.sqrt(D), [1, 0]]), np.concatenate([k[j], [0, 1]])
                logits[i, j] = left @ G @ right
        found[name] = case(logits)
    # A step of the action at every token between: the Forgetting Transformer.
    log_f = log_sigmoid(k @ gate_weight[HEAD])
    logits = np.zeros((N, N))
    for i in P:
        for j in P[:i + 1]:
            G = np.eye(D + 2)
            for t in range(j + 1, i + 1):
                G = G @ lifted(-log_f[t])
            left, right = np.concatenate([q[i] / np.sqrt(D), [1, 0]]), np.concatenate([k[j], [0, 1]])
            logits[i, j] = left @ G @ right
    found["forget"] = case(logits)
    return {"key": u.tolist(), "query": w.tolist(), "forget": gate_weight.tolist(), "cases": found}


def grape_multiplicative(base=10000.0, speed=0.375):
    rows = numbers(D, D, 3, 5, 7) + np.eye(D)
    a, b = (mpmath.matrix(rows[r].tolist()) for r in (0, 1))
    L = a * b.T - b * a.T
    G = [np.array(mpmath.expm(m * speed * L).tolist(), dtype=float) for m in P]
    one = case(np.array([[q[m] @ G[m] @ G[n].T @ k[n] / np.sqrt(D) for n in P] for m in P]), causal=False)
    basis = np.linalg.qr(rows.T)[0].T
    basis *= np.sign((basis * rows).sum(axis=1))[:, None]
    generator = sum(base ** (-2 * t / D) * (np.outer(basis[2 * t], basis[2 * t + 1]) - np.outer(basis[2 * t + 1], basis[2 * t]))
                    for t in range(D // 2))
    G = [np.array(mpmath.expm(mpmath.matrix((m * generator).tolist())).tolist(), dtype=float) for m in P]
    every = case(np.array([[q[m] @ G[m] @ G[n].T @ k[n] / np.sqrt(D) for n in P] for m in P]), causal=False)
    return {"vectors": rows.tolist(), "speed": speed, "one": one, "all": every}


for make in (xpos, sandwich, fire, fox, cope, path, pope, inkling, grape_additive, grape_multiplicative):
    cases[make.__name__] = make()
inputs = {"q": q.tolist(), "k": k.tolist(), "v": v.tolist(), "positions": P, "heads": HEADS, "head": HEAD}
packages = ("numpy", "mpmath", "torch", "transformers", "torchscale", "x-transformers", "fla-core")
versions = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in packages}}
pathlib.Path(__file__).with_name("modern.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_modern.py", "versions": versions, "inputs": inputs, "cases": cases},
    separators=(",", ":")).replace("],\"", "],\n\"").replace("},\"", "},\n\"") + "\n")
