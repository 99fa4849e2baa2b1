#!/usr/bin/env python3
"""Writes rope_scaling.json: RoPE with scaled frequencies, as Hugging Face Transformers applies it and by formula.

"transformers" holds whole computations of its modules, fp32 on the CPU: inv_freq as bit patterns, the attention
factor, and q and k after apply_rotary_pos_emb of the model named (Llama and GPT-NeoX pair t with t + r/2, Cohere 2t
with 2t + 1). "formulas" holds frequencies and attention factors in 50 digits, rounded once: those that Transformers has
not are of the YaRN paper (ntk_by_parts: linear in rotations), of NTK-aware interpolation, and of lists of factors.

Run it with torch, transformers and mpmath installed; the tests do not need it.
"""
import json
import pathlib
import sys

import mpmath as mp
import torch
import transformers
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.gpt_neox import modeling_gpt_neox as neox
from transformers.models.llama import modeling_llama as llama

mp.mp.dps = 50
here = pathlib.Path(__file__).parent
SHORT = [0, 1, 2, 31, 62]


def factors(pairs, step):
    """Fractions that binary numbers hold: 1, 1 + step, …"""
    return [1 + step * t for t in range(pairs)]


def settings(d, **more):
    return {"rope.scaling": "none", "rope.fraction": 1.0, "base": 10000.0, "d": d, **more}


def rope_parameters(s):
    """The settings in Transformers' words."""
    kinds = {"none": "default", "dynamic_ntk": "dynamic"}
    keys = {"rope.factor": "factor", "rope.original_length": "original_max_position_embeddings",
            "rope.beta_fast": "beta_fast", "rope.beta_slow": "beta_slow", "rope.truncate": "truncate",
            "rope.mscale": "mscale", "rope.mscale_all_dim": "mscale_all_dim",
            "rope.attention_factor": "attention_factor", "rope.low_freq_factor": "low_freq_factor",
            "rope.high_freq_factor": "high_freq_factor"}
    out = {"rope_type": kinds.get(s["rope.scaling"], s["rope.scaling"]), "rope_theta": s["base"],
           "partial_rotary_factor": s["rope.fraction"]}
    out.update({name: s[key] for key, name in keys.items() if key in s})
    if s.get("rope.partial") == "proportional":
        out["rope_type"] = "proportional"
    if "short_factor" in s:
        out.update(short_factor=s["short_factor"], long_factor=s["long_factor"])
    return out


def contents(rows, d, shift):
    """Sixteenths between −1 and 1."""
    return [[((7 * i + 5 * c + shift * (i + c) * (c + 1)) % 33 - 16) / 16 for c in range(d)] for i in range(rows)]


MODULES = {"llama": (transformers.LlamaConfig, llama.LlamaRotaryEmbedding, llama.apply_rotary_pos_emb),
           "gpt_neox": (transformers.GPTNeoXConfig, neox.GPTNeoXRotaryEmbedding, neox.apply_rotary_pos_emb),
           "cohere": (transformers.CohereConfig, cohere.CohereRotaryEmbedding, cohere.apply_rotary_pos_emb)}


def transformers_case(model, s, positions):
    config_class, embedding_class, apply = MODULES[model]
    d = s["d"]
    longest = s.get("rope.original_length", 64)
    if s["rope.scaling"] in ("yarn", "llama3", "longrope"):
        longest = int(longest * s["rope.factor"])
    extra = {} if model == "gpt_neox" else {"head_dim": d}
    config = config_class(hidden_size=2 * d, num_attention_heads=2, max_position_embeddings=longest,
                          rope_parameters=rope_parameters(s), **extra)
    module = embedding_class(config)
    ids = torch.tensor([positions])
    q, k = (torch.tensor(contents(len(positions), d, shift)).reshape(1, 1, len(positions), d) for shift in (1, 2))
    cos, sin = module(q, ids)
    turned_q, turned_k = apply(q, k, cos, sin)
    bits = module.inv_freq.detach().contiguous().numpy().view("uint32").tolist()
    return {"model": model, "pairing": "interleaved" if model == "cohere" else "half_split", "settings": s,
            "positions": positions, "inv_freq_bits": bits, "attention_factor": float(module.attention_scaling),
            "q": q[0, 0].tolist(), "k": k[0, 0].tolist(),
            "turned_q": turned_q[0, 0].tolist(), "turned_k": turned_k[0, 0].tolist()}


def with_length(s, positions):
    return {**s, "rope.length": max(positions) + 1}


def transformers_cases():
    yarn = {"rope.scaling": "yarn", "rope.factor": 16.0, "rope.original_length": 4096}
    far = [0, 1, 2, 4095, 4096, 4097, 16384]
    llama3 = {"rope.scaling": "llama3", "rope.factor": 8.0, "rope.original_length": 8192, "base": 500000.0,
              "rope.low_freq_factor": 1.0, "rope.high_freq_factor": 4.0}
    longrope = {"rope.scaling": "longrope", "rope.factor": 32.0, "rope.original_length": 64,
                "short_factor": factors(8, 1 / 16), "long_factor": factors(8, 4.0)}
    dynamic = {"rope.scaling": "dynamic_ntk", "rope.factor": 2.0, "rope.original_length": 64}
    gpt_oss = {"rope.scaling": "yarn", "rope.factor": 32.0, "rope.original_length": 4096, "base": 150000.0,
               "rope.truncate": False}
    deepseek = {**yarn, "rope.factor": 40.0, "rope.mscale": 1.0, "rope.mscale_all_dim": 0.707}
    for model in ("llama", "cohere"):
        yield transformers_case(model, settings(16), far)
        yield transformers_case(model, settings(16, **{"rope.scaling": "linear", "rope.factor": 4.0}), far)
        yield transformers_case(model, settings(64, **yarn), far)
        yield transformers_case(model, settings(64, **llama3), far)
        for positions in (SHORT, SHORT + [63], SHORT + [64], SHORT + [300]):
            yield transformers_case(model, with_length(settings(16, **dynamic), positions), positions)
            yield transformers_case(model, with_length(settings(16, **longrope), positions), positions)
    for s in (gpt_oss, deepseek, {**yarn, "rope.attention_factor": 0.75},
              {**yarn, "rope.beta_fast": 8.0, "rope.beta_slow": 2.0}, {**yarn, "rope.factor": 1.0},
              {**yarn, "rope.mscale": 0.5}, {**yarn, "rope.original_length": 131072},  # its ramp ends beyond the last pair
              {**yarn, "rope.original_length": 6}, {**yarn, "rope.original_length": 4}):  # no width, and a negative one
        yield transformers_case("llama", settings(64, **s), far)
    yield transformers_case("llama", settings(128, **{**llama3, "rope.factor": 32.0}), far)
    for p, factor in ((0.25, 1.0), (0.5, 8.0)):
        scaling = {"rope.partial": "proportional", "rope.fraction": p}
        if factor != 1:
            scaling.update({"rope.scaling": "linear", "rope.factor": factor})
        yield transformers_case("llama", settings(32, **scaling), far)
    for s in ({"rope.scaling": "linear", "rope.factor": 4.0}, yarn, llama3):
        yield transformers_case("gpt_neox", settings(64, **{**s, "rope.fraction": 0.25}), far)


def theta(pairs, base):
    return [mp.mpf(base) ** (-mp.mpf(t) / pairs) for t in range(pairs)]


def ramp(x, low, high):
    return min(max((x - low) / (high - low), mp.mpf(0)), mp.mpf(1))


def scaled(pairs, base, s):
    """theta after scaling, in 50 digits."""
    plain, kind, r = theta(pairs, base), s["rope.scaling"], 2 * pairs
    factor, original = mp.mpf(s.get("rope.factor", 4)), mp.mpf(s.get("rope.original_length", 4096))
    slow, fast = mp.mpf(s.get("rope.beta_slow", 1)), mp.mpf(s.get("rope.beta_fast", 32))
    if kind == "linear":
        return [x / factor for x in plain]
    if kind == "ntk":
        return theta(pairs, base * factor ** (mp.mpf(r) / (r - 2)))
    if kind == "dynamic_ntk":
        stretch = factor * max(s["rope.length"], original) / original - (factor - 1)
        return theta(pairs, base * stretch ** (mp.mpf(r) / (r - 2)))
    if kind == "ntk_by_parts":
        kept = [ramp(original * x / (2 * mp.pi), slow, fast) for x in plain]
        return [x * g + x / factor * (1 - g) for x, g in zip(plain, kept)]
    if kind == "yarn":
        low, high = (r * mp.log(original / (n * 2 * mp.pi)) / (2 * mp.log(base)) for n in (fast, slow))
        if s.get("rope.truncate", True):
            low, high = mp.floor(low), mp.ceil(high)
        along = [ramp(t, max(low, mp.mpf(0)), min(high, mp.mpf(r - 1))) for t in range(pairs)]
        return [x * (1 - g) + x / factor * g for x, g in zip(plain, along)]
    if kind == "llama3":
        low, high = mp.mpf(s["rope.low_freq_factor"]), mp.mpf(s["rope.high_freq_factor"])
        kept = [ramp(original * x / (2 * mp.pi), low, high) for x in plain]
        return [x * g + x / factor * (1 - g) for x, g in zip(plain, kept)]
    lists = {"factors": "factors", "longrope": "long_factor" if s["rope.length"] > original else "short_factor"}
    return [x / mp.mpf(f) for x, f in zip(plain, s[lists[kind]])]


def attention(s):
    factor = mp.mpf(s.get("rope.factor", 4))
    if s["rope.scaling"] == "yarn":
        g = lambda m: mp.mpf(m) * mp.log(factor) / 10 + 1
        both = s.get("rope.mscale", 0) and s.get("rope.mscale_all_dim", 0)
        return g(s["rope.mscale"]) / g(s["rope.mscale_all_dim"]) if both else g(1)
    if s["rope.scaling"] == "longrope":
        return mp.sqrt(1 + mp.log(factor) / mp.log(s["rope.original_length"]))
    return mp.mpf(1)


def formula_cases():
    ends = {"rope.factor": 16.0, "rope.original_length": 4096, "rope.length": 2}
    longrope = {"rope.scaling": "longrope", "rope.original_length": 4096, "rope.factor": 32.0,
                "short_factor": factors(64, 1 / 64), "long_factor": factors(64, 1.0)}
    for more in ({"rope.scaling": "linear", "rope.factor": 4.0}, {"rope.scaling": "ntk", "rope.factor": 4.0},
                 *({"rope.scaling": "dynamic_ntk", "rope.factor": 2.0, "rope.original_length": 2048,
                    "rope.length": length} for length in (100, 2048, 4096, 8192)),
                 {"rope.scaling": "ntk_by_parts", **ends}, {"rope.scaling": "yarn", **ends},
                 {"rope.scaling": "yarn", **ends, "rope.truncate": False, "rope.mscale": 1.0,
                  "rope.mscale_all_dim": 0.5},
                 {"rope.scaling": "llama3", "rope.factor": 8.0, "rope.original_length": 8192, "base": 500000.0,
                  "rope.low_freq_factor": 1.0, "rope.high_freq_factor": 4.0},
                 *({**longrope, "rope.length": length} for length in (4096, 4097)),
                 {"rope.scaling": "factors", "factors": factors(64, 0.5), "rope.length": 2}):
        s = settings(128, **more)
        yield {"settings": s, "theta": [float(x) for x in scaled(64, s["base"], s)],
               "attention_factor": float(attention(s))}


document = {"generator": "tests/golden/generate_rope_scaling.py",
            "versions": {"python": sys.version.split()[0], "transformers": transformers.__version__,
                         "torch": torch.__version__, "mpmath": mp.__version__},
            "transformers": list(transformers_cases()), "formulas": list(formula_cases())}
(here / "rope_scaling.json").write_text(json.dumps(document, separators=(",", ":")).replace('},{"', '},\n{"') + "\n")
