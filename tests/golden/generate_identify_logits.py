#!/usr/bin/env python3
"""Writes identify_logits.json: logits of queries and keys that Transformers' rotary embeddings turned, and mistakes.

Tables and apply functions are those of Transformers; products are PyTorch's in the precision of the case. q and k are
bf16 as they went in. Numbers are the bits of bf16 or fp32, four or eight hexadecimal digits each. Run it with the
packages of `versions` installed; the tests do not need it.
"""
import importlib.metadata
import json
import math
import pathlib
import platform

import torch
from transformers import CohereConfig, LlamaConfig
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.llama import modeling_llama as llama

torch.manual_seed(18)
H, D = 2, 64
AT = list(range(16)) + [40, 100, 101, 500, 1000, 4000, 8200, 9000]
Q, K = (torch.randn(1, H, len(AT), D).bfloat16() for _ in range(2))


def bits(x):
    digits, integers = (4, torch.int16) if x.dtype == torch.bfloat16 else (8, torch.int32)
    return "".join(f"{v & (16 ** digits - 1):0{digits}x}" for v in x.reshape(-1).contiguous().view(integers).tolist())


def turned(x, parameters, module=llama, config=LlamaConfig, at=AT):
    name = {"llama": "LlamaRotaryEmbedding", "cohere": "CohereRotaryEmbedding"}[module.__name__.split("_")[-1]]
    settings = config(hidden_size=H * D, num_attention_heads=H, num_key_value_heads=H, head_dim=D,
                      max_position_embeddings=131072, rope_parameters=parameters)
    cos, sin = getattr(module, name)(settings)(x, torch.tensor(at)[None])
    return module.apply_rotary_pos_emb(x, x, cos, sin)[0]


def case(q, k, facts, scale=1 / math.sqrt(D), causal=False, **more):
    logits = (q @ k.transpose(-1, -2) * scale)[0]
    if causal:
        logits = logits.masked_fill(torch.ones(len(AT), len(AT)).triu(1).bool(), -math.inf)
    return {"bf16": logits.dtype == torch.bfloat16, "logits": bits(logits), "facts": facts, **more}


def rope(theta, **more):
    return {"rope_type": "default", "rope_theta": theta, **more}


LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768}
plain = rope(500000.0)
q, k = Q.float(), K.float()
SCALE = {"scale": "1/√64"}
cases = {
    "llama": case(turned(q, plain), turned(k, plain), {"pairing": "half_split", "base": "500000"} | SCALE),
    "llama bf16": case(turned(Q, plain), turned(K, plain), {"pairing": "half_split", "base": "500000"} | SCALE),
    "llama causal": case(turned(q, plain), turned(k, plain), {"pairing": "half_split", "base": "500000"} | SCALE, causal=True),
    "llama3": case(turned(q, LLAMA3), turned(k, LLAMA3), {"base": "500000", "scaling": "llama3 by 8 from 8192 tokens"} | SCALE),
    "yarn": case(turned(q, YARN), turned(k, YARN), {"base": "1000000", "scaling": "yarn by 4 from 32768 tokens", "attention factor": "1.13863"} | SCALE),
    "cohere": case(turned(q, plain, cohere, CohereConfig), turned(k, plain, cohere, CohereConfig), {"pairing": "interleaved", "base": "500000"} | SCALE),
    "scale forgotten": case(turned(q, plain), turned(k, plain), {"base": "500000", "scale": "1"}, scale=1.0),
    "a base of its own": case(turned(q, rope(43210.0)), turned(k, rope(43210.0)), {"pairing": "half_split"} | SCALE, base=43210.0),
    "keys not rotated": case(turned(q, plain), k, {"base": "500000", "positions of k": "all 0: not rotated"} | SCALE),
    "queries one too far": case(turned(q, plain, at=[p + 1 for p in AT]), turned(k, plain), {"base": "500000", "positions": "as stated, +1"} | SCALE),
    "keys one too far": case(turned(q, plain), turned(k, plain, at=[p + 1 for p in AT]), {"base": "500000", "positions of k": "as stated, +1"} | SCALE),
    "not rotated": case(q, k, {"positions": "all 0: not rotated"} | SCALE),
    "no logits of theirs": case(k.flip(-1), q, {}, explained=False),
}
versions = {"python": platform.python_version(), **{n: importlib.metadata.version(n) for n in ("torch", "transformers")}}
pathlib.Path(__file__).with_name("identify_logits.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_identify_logits.py", "versions": versions, "shape": [H, len(AT), D], "positions": AT,
     "q": bits(Q), "k": bits(K), "cases": cases}, separators=(",", ":"), ensure_ascii=False).replace("},\"", "},\n\"") + "\n")
