#!/usr/bin/env python3
"""Writes rules.json: rules of logits and of weights, computed without Orrery.

The factors of Ministral 3 and Beam by the functions of Transformers, in fp32, those of Llama 4 from
the queries of a layer of it where they meet keys, and Inkling's, inside of a layer too, by its
formula. Scalable-Softmax as its paper
has it, n^(s z) over their sum, and stick-breaking as products over pairs, in NumPy's float64. Run it
with the packages of `versions` installed; the tests do not need it.
"""
import importlib.metadata
import json
import pathlib
import platform

import numpy as np
import torch
from transformers.models.beam.modeling_beam import compute_attention_scaling
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

torch.set_default_dtype(torch.float64)
AT = [0, 1, 2046, 2047, 2048, 2049, 8190, 8191, 8192, 16383, 16384, 100000, 1048575]
N, D = 6, 4


class Seen:
    """A cache that has seen so many tokens and keeps none."""

    def __init__(self, tokens):
        self.tokens = tokens

    def get_seq_length(self, layer):
        return self.tokens

    def update(self, keys, values, *_):
        return keys, values


def llama4_scales():
    """Llama4TextAttention multiplies the queries of layers without RoPE: of ones they are the factors."""
    from transformers import Llama4TextConfig
    from transformers.models.llama4 import modeling_llama4 as llama4
    config = Llama4TextConfig(hidden_size=8, num_attention_heads=1, num_key_value_heads=1, head_dim=8, num_hidden_layers=4,
                              attn_temperature_tuning=True, floor_scale=8192, attn_scale=0.1, use_qk_norm=False,
                              no_rope_layers=[0, 0, 0, 0])
    layer = llama4.Llama4TextAttention(config, 3)
    with torch.no_grad():
        layer.q_proj.weight.copy_(torch.eye(8))
    found = []

    def spy(layer, query, key, value, mask, **_):
        found.append(query[0, 0, 0, 0].item())
        return value.transpose(1, 2), None

    llama4.ALL_ATTENTION_FUNCTIONS.get_interface = lambda *_, **__: spy
    for p in AT:
        layer(hidden_states=torch.ones(1, 1, 8), position_embeddings=None, attention_mask=None, past_key_values=Seen(p))
    return found


def numbers(rows, columns, a, b, m):
    return np.array([[((a * i + b * c) % m - m // 2) / 4.0 for c in range(columns)] for i in range(rows)])


q, k, v = numbers(N, D, 5, 2, 9), numbers(N, D, 3, 4, 7), numbers(N, D, 2, 5, 11)
z = q @ k.T / np.sqrt(D)
sigmoid = lambda x: 1 / (1 + np.exp(-x))


def scalable_softmax(s, b, seen):
    """Of n = the keys that each query sees; b as in softmax((s ln n + b) z)."""
    powers = np.array([[float(i + 1) ** (s * z[i, j]) * np.exp(b * z[i, j]) if seen(i, j) else 0.0 for j in range(N)] for i in range(N)])
    return powers / powers.sum(axis=1, keepdims=True)


def stick_breaking(seen):
    weights = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            if seen(i, j):
                weights[i, j] = sigmoid(z[i, j]) * np.prod([1 - sigmoid(z[i, l]) for l in range(j + 1, N) if seen(i, l)])
    return weights


def case(weights):
    return {"weights": weights.tolist(), "output": (weights @ v).tolist()}


positions = torch.tensor(AT)
factors = {"llama4": {"strength": 0.1, "length": 8192, "values": llama4_scales()},
           "mistral": {"strength": 0.1, "length": 16384, "values": get_llama_4_attn_scale(positions[None].double(), 0.1, 16384).flatten().tolist()},
           "inkling": {"strength": 0.1, "length": 8192, "values": [1 + 0.1 * np.log(max(1.0, (p + 1) / 8192)) for p in AT]},
           "beam": {"strength": 0.1, "length": 2048, "values": compute_attention_scaling(positions[None]).flatten().double().tolist()}}
causal, strictly = (lambda i, j: j <= i), (lambda i, j: j < i)
attention = {"scalable_softmax": {"strength": 0.43, "offset": 0.25, **case(scalable_softmax(0.43, 0.25, causal))},
             "stick_breaking": case(stick_breaking(causal)), "stick_breaking without its own key": case(stick_breaking(strictly))}
versions = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in ("numpy", "torch", "transformers")}}
pathlib.Path(__file__).with_name("rules.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_rules.py", "versions": versions, "positions": AT, "factors": factors,
     "inputs": {"q": q.tolist(), "k": k.tolist(), "v": v.tolist()}, "attention": attention},
    separators=(",", ":")).replace("],\"", "],\n\"").replace("},\"", "},\n\"") + "\n")
