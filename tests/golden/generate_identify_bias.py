#!/usr/bin/env python3
"""Writes identify_bias.json: biases and masks as released programs add them to logits, and the same with mistakes.

ALiBi is that of Transformers' BLOOM, MPT and Falcon, T5's is its own module with random weights, masks are those
of Transformers' mask utilities' rule written out in NumPy; KERPLE and Sandwich are their papers' formulas in
NumPy. Numbers are fp32, or bf16 where the case says so, eight or four hexadecimal digits each. Run it with the
packages of `versions` installed; the tests do not need it.
"""
import importlib.metadata
import json
import math
import pathlib
import platform

import numpy as np
import torch
from transformers import MptConfig, T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom_alibi
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon_alibi
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

torch.manual_seed(17)
N = 24
AT = [0, 150, 299]  # queries of T5's biases
M, K = np.arange(N)[:, None], np.arange(N)[None]


def hexadecimal(x, bf16):
    t = torch.as_tensor(np.asarray(x), dtype=torch.float32).reshape(-1)
    if bf16:
        return "".join(f"{v & 0xffff:04x}" for v in t.bfloat16().view(torch.int16).tolist())
    return "".join(f"{v & 0xffffffff:08x}" for v in t.view(torch.int32).tolist())


def case(bias, facts, bf16=False, **more):
    bias = torch.as_tensor(np.asarray(bias)).float()
    return {"shape": list(bias.shape), "bf16": bf16, "bias": hexadecimal(bias, bf16), "facts": facts, **more}


def slopes(heads):
    alibi = bloom_alibi(torch.ones(1, 3), heads, torch.float32)  # slope·n at n = 0, 1, 2
    return alibi[:, 0, 1].double().numpy()


def causal(bias):
    return np.where(K > M, -np.inf, bias)


def t5(bidirectional, buckets=32, length=128, n=300, heads=1):
    config = T5Config(relative_attention_num_buckets=buckets, relative_attention_max_distance=length, num_heads=heads,
                      d_model=8 * heads, d_kv=8, is_decoder=not bidirectional)
    attention = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    with torch.no_grad():
        attention.relative_attention_bias.weight.normal_()
        return attention.compute_bias(n, n)[0][:, AT]


def sandwich(heads, channels=128, base=10000.0):
    theta = base ** (-2 * np.arange(channels // 2) / channels)
    sums = np.cos(np.abs(M - K)[..., None] * theta).sum(-1)
    return np.stack([sums * heads / (8 * (h + 1)) for h in range(heads)])


ALIBI = {"family": "ALiBi"}
cases = {}
paper = -slopes(8)[:, None, None] * np.abs(M - K)
usual = "2^(−8(h+1)/H)"
cases["alibi"] = case(paper, ALIBI | {"distance": "|m − n|", "slopes": usual})
cases["alibi bf16"] = case(paper, ALIBI | {"slopes": usual}, bf16=True)
cases["alibi causal"] = case(causal(paper), ALIBI | {"slopes": usual}, mask="hides keys ahead of the query", ties=True)
cases["bloom"] = case(bloom_alibi(torch.ones(1, N), 8, torch.float32), ALIBI | {"distance": "−n", "slopes": usual})
cases["mpt"] = case(build_mpt_alibi_tensor(8, N, alibi_bias_max=16), ALIBI | {"slopes": "2^(−16(h+1)/H)"})
cases["twelve heads"] = case(-slopes(12)[:, None, None] * np.abs(M - K), ALIBI | {"slopes": "2^(−8(h+1)/c), then every other one of 2c heads"})
cases["falcon"] = case(falcon_alibi(torch.ones(1, N), 8, torch.bfloat16).float() / math.sqrt(64), ALIBI | {"slopes": usual + ", divided by √64"})
naive = 2.0 ** (-8 * np.arange(1, 13) / 12)
cases["no rule for twelve heads"] = case(-naive[:, None, None] * np.abs(M - K), ALIBI, defect=True)
cases["sign reversed"] = case(-paper, ALIBI, defect=True)
cases["off by one"] = case(-slopes(8)[:, None, None] * (np.abs(M - K) + 1), ALIBI | {"distance": "|m − n| +1"}, defect=True)
T5 = {"family": "T5 buckets", "buckets": "32", "max distance": "128"}
cases["t5 encoder"] = case(t5(True), T5 | {"direction": "bidirectional"}, positions=AT)
cases["t5 decoder"] = case(t5(False), T5 | {"direction": "causal"}, positions=AT)
cases["t5 64 to 256"] = case(t5(True, 64, 256), {"family": "T5 buckets", "buckets": "64", "max distance": "256"}, positions=AT)
r1, r2 = np.array([1.3, 0.4]), np.array([0.25, 2.0])
cases["kerple log"] = case(-r1[:, None, None] * np.log1p(r2[:, None, None] * np.abs(M - K)), {"family": "KERPLE, logarithmic", "r1": "1.3, 0.4", "r2": "0.25, 2"})
cases["kerple power"] = case(-0.7 * np.abs(M - K) ** 0.6, {"family": "KERPLE, power", "r1": "0.7", "r2": "0.6"})
cases["sandwich"] = case(sandwich(4), {"family": "Sandwich", "channels": "128", "base": "10000", "compression": "8(h+1)/H"})
zero = np.zeros((N, N))
lowest = float(torch.finfo(torch.bfloat16).min)
cases["causal mask"] = case(causal(zero), {"family": "no bias"}, mask="hides keys ahead of the query")
cases["window"] = case(np.where((K > M) | (M - K >= 8), lowest, 0.0), {"family": "no bias"}, bf16=True, mask="hides keys ahead of the query and those 8 or more behind it")
cases["chunks"] = case(np.where((K > M) | (M // 8 != K // 8), -np.inf, 0.0), {"family": "no bias"}, mask="hides keys ahead of the query and those of other chunks of 8")
cases["sees the next"] = case(np.where(K > M + 1, -np.inf, 0.0), {"family": "no bias"}, mask="each query sees its answer")
few = np.abs(np.arange(4)[:, None] - np.arange(4)[None])
padded = np.arange(N) < 5
cases["left padding"] = case(np.where((K > M) | padded[None], -np.inf, 0.0), {"family": "no bias"}, mask="hides keys ahead of the query, and the first 5 keys: left padding")
cases["left padding, rows unmasked"] = case(np.where(((K > M) | padded[None]) & ~padded[:, None], lowest, 0.0), {"family": "no bias"}, bf16=True, mask="hides keys ahead of the query, and the first 5 keys: left padding")
cases["right padding of an encoder"] = case(np.where(np.arange(N)[None] >= 20, -10000.0, zero), {"family": "no bias"}, mask="hides the last 4 keys: right padding")
cases["window and left padding"] = case(np.where((K > M) | (M - K >= 8) | padded[None], -np.inf, 0.0), {"family": "no bias"}, mask="those 8 or more behind it, and the first 5 keys: left padding")
cases["window off by one"] = case(np.where((K > M) | (M - K > 8), -np.inf, 0.0), {"family": "no bias"}, mask="9 keys are seen, one more than 8: a window off by one")
cases["one side off by one"] = case(np.where((M - K > 4) | (K - M > 3), -np.inf, 0.0), {"family": "no bias"}, mask="5 or more behind the query and 4 or more ahead of it: a window off by one")
text = np.searchsorted([9, 14], np.arange(N), side="right")
cases["packed texts"] = case(np.where((K > M) | (text[:, None] != text[None]), -np.inf, 0.0), {"family": "no bias"}, mask="those of other texts: 3 are packed, from keys 0, 9, 14 on")
cases["packed texts of an encoder"] = case(np.where(text[:, None] != text[None], -np.inf, 0.0), {"family": "no bias"}, mask="hides keys of other texts: 3 are packed, from keys 0, 9, 14 on")
cases["bloom behind padding"] = case(bloom_alibi(torch.tensor([~padded]).long(), 8, torch.float32), ALIBI | {"distance": "−n from the first token, after 5 keys of padding", "slopes": usual})
cases["alibi of four tokens"] = case(-slopes(8)[:, None, None] * few, ALIBI, ties=True)
cases["random"] = case(np.random.default_rng(17).normal(size=(N, N)), {}, explained=False)

versions = {"python": platform.python_version(), **{n: importlib.metadata.version(n) for n in ("numpy", "torch", "transformers")}}
pathlib.Path(__file__).with_name("identify_bias.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_identify_bias.py", "versions": versions, "cases": cases},
    separators=(",", ":"), ensure_ascii=False).replace("},\"", "},\n\"") + "\n")
