#!/usr/bin/env python3
"""Writes identify.json: q before and after the rotary embeddings of released programs, in bf16 but where a case is fp32.

The embeddings and apply functions are those of Transformers, run as models run them: cos and sin
computed in fp32 and cast, products in bf16. The inputs that cannot decide, and the mistakes, are made
with the same functions in PyTorch. Numbers are the bits of bf16, four hexadecimal digits each, or of fp32, eight; q is
bf16 always. Run it with the packages of `versions` installed; the tests do not need it.
"""
import importlib
import importlib.metadata
import json
import math
import pathlib
import platform

import torch

torch.manual_seed(17)
H, D = 2, 64
AT = list(range(12)) + [50, 51, 100, 101, 1000, 1001, 4095, 4096, 4097, 8191, 9000, 20000]
Q = torch.randn(1, H, len(AT), D).bfloat16()


def module(name):
    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def config_of(cls, **keys):
    import transformers
    return getattr(transformers, cls)(**{"hidden_size": H * D, "num_attention_heads": H,
                                         "num_key_value_heads": H, **keys})


def tables(name, rotary, config, q=Q, at=AT):
    embedding = getattr(module(name), rotary)(config)
    return embedding(q, torch.tensor(at)[None])


def bits(x):
    if x.dtype == torch.float32:
        return "".join(f"{v & 0xffffffff:08x}" for v in x.reshape(-1).contiguous().view(torch.int32).tolist())
    return "".join(f"{v & 0xffff:04x}" for v in x.reshape(-1).contiguous().view(torch.int16).tolist())


inputs = {}  # by their bits, because most cases begin with the same q


def input_name(x):
    return inputs.setdefault(bits(x), f"q{len(inputs)}")


def case(after, facts, before=Q, at=AT, **more):
    before, after = before.reshape(-1, *before.shape[-2:]), after.reshape(-1, *after.shape[-2:])
    assert before.shape == after.shape
    if after.dtype == torch.float32:
        before, more["fp32"] = before.bfloat16(), True
    return {"shape": list(before.shape), "positions": at, "before": input_name(before), "after": bits(after),
            "facts": facts, **more}


def rope(theta, **more):
    return {"rope_type": "default", "rope_theta": theta, **more}


def llama_turned(q=Q, at=AT, parameters=None, **keys):
    config = config_of("LlamaConfig", head_dim=D, max_position_embeddings=131072,
                       rope_parameters=parameters or rope(500000.0), **keys)
    cos, sin = tables("llama", "LlamaRotaryEmbedding", config, q, at)
    return module("llama").apply_rotary_pos_emb(q, q, cos, sin)[0]


def partial_half(name, rotary, config, width):
    """The first channels turn and the others are kept, as these models' own apply functions do."""
    cos, sin = tables(name, rotary, config)
    assert cos.shape[-1] == width or cos.shape[-1] == width // 2, cos.shape
    return module(name).apply_rotary_pos_emb(Q, Q, cos, sin)[0]


LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768}


def gptj():
    m = module("gptj")
    table = m.create_sinusoidal_positions(20001, 32)
    sin, cos = torch.split(table[torch.tensor(AT)][None], 16, dim=-1)
    q = Q.transpose(1, 2)  # GPT-J turns [B, N, H, d]
    turned = torch.cat([m.apply_rotary_pos_emb(q[..., :32], sin, cos), q[..., 32:]], -1)
    return turned.to(torch.bfloat16).transpose(1, 2)


def deepseek():
    parameters = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "beta_fast": 32, "beta_slow": 1,
                  "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096}
    config = config_of("DeepseekV3Config", qk_rope_head_dim=D, max_position_embeddings=163840, rope_parameters=parameters)
    cos, sin = tables("deepseek_v3", "DeepseekV3RotaryEmbedding", config)
    return module("deepseek_v3").apply_rotary_pos_emb_interleave(Q, Q, cos, sin)[0]


def with_axes(name, cls, rotary, sections):
    config = config_of(cls, head_dim=D, rope_parameters=rope(1000000.0, mrope_section=sections))
    at = [[n // 64, n // 8 % 8 * 3, n % 8 * 5] for n in range(48)]
    q = torch.randn(1, H, len(at), D).bfloat16()
    cos, sin = getattr(module(name), rotary)(config)(q, torch.tensor(at).T[:, None])
    m = module(name)
    if name == "qwen2_vl" and hasattr(m, "apply_multimodal_rotary_pos_emb"):
        after = m.apply_multimodal_rotary_pos_emb(q, q, cos, sin, sections)[0]
    else:
        after = m.apply_rotary_pos_emb(q, q, cos, sin)[0]
    return q, after, at


def decoded():
    """A prompt of 12 and 12 tokens that the cache puts one too far."""
    return llama_turned(at=AT[:12] + [n + 1 for n in AT[12:]])


def released():
    cases = {}
    cases["llama"] = case(llama_turned(), {"pairing": "half_split", "base": "500000"})
    cases["llama3 scaling"] = case(llama_turned(parameters=LLAMA3), {"base": "500000", "scaling": "llama3 by 8 from 8192 tokens"})
    cases["yarn"] = case(llama_turned(parameters=YARN), {"base": "1000000", "scaling": "yarn by 4 from 32768 tokens", "attention factor": "1.13863"})
    cases["linear"] = case(llama_turned(parameters=rope(1000000.0) | {"rope_type": "linear", "factor": 8.0}), {"base": "1000000", "scaling": "linear by 8"})
    cases["gptj"] = case(gptj(), {"pairing": "interleaved", "base": "10000", "channels": "0 to 31 of 64"})
    neox = config_of("GPTNeoXConfig", rope_parameters=rope(10000.0, partial_rotary_factor=0.25))
    cases["gpt_neox"] = case(partial_half("gpt_neox", "GPTNeoXRotaryEmbedding", neox, 16), {"pairing": "half_split", "channels": "0 to 15 of 64"})
    glm = config_of("GlmConfig", head_dim=D, rope_parameters=rope(10000.0, partial_rotary_factor=0.5))
    cases["glm"] = case(partial_half("glm", "GlmRotaryEmbedding", glm, 32), {"pairing": "interleaved", "channels": "0 to 31 of 64"})
    nano = config_of("NanoChatConfig", head_dim=D, rope_parameters=rope(10000.0))
    cases["nanochat"] = case(partial_half("nanochat", "NanoChatRotaryEmbedding", nano, D), {"pairing": "half_split", "direction": "clockwise"})
    cases["deepseek_v3"] = case(deepseek(), {"pairing": "interleaved", "base": "10000", "order of channels after": "that of the other pairing", "scaling": "yarn by 40 from 4096 tokens"})
    cohere = config_of("CohereConfig", head_dim=D, rope_parameters=rope(8000000.0))
    cases["cohere"] = case(partial_half("cohere", "CohereRotaryEmbedding", cohere, D), {"pairing": "interleaved", "base": "8000000"})
    oss = config_of("GptOssConfig", head_dim=D, rope_parameters={"rope_type": "yarn", "rope_theta": 150000.0, "factor": 32.0, "truncate": False,
                                                                 "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 4096})
    cases["gpt_oss"] = case(partial_half("gpt_oss", "GptOssRotaryEmbedding", oss, D), {"pairing": "half_split", "base": "150000", "attention factor": "1.34657"})
    for name, cls, rotary, sections, words in [
            ("qwen2_vl", "Qwen2VLTextConfig", "Qwen2VLRotaryEmbedding", [8, 12, 12], "sections 8+12+12, chunked"),
            ("qwen3_vl", "Qwen3VLTextConfig", "Qwen3VLTextRotaryEmbedding", [12, 10, 10], "sections 12+10+10, interleaved")]:
        q, after, at = with_axes(name, cls, rotary, sections)
        cases[name] = case(after, {"pairing": "half_split", "base": "1000000", "axes": words}, before=q, at=at)
    return cases


def mistaken():
    """Each with the sound rope's configuration, and the name of the defect."""
    plain = {"model_type": "llama", "hidden_size": H * D, "num_attention_heads": H, "num_hidden_layers": 1, "rope_theta": 500000.0}
    llama3 = plain | {"rope_scaling": {k: v for k, v in LLAMA3.items() if k != "rope_theta"}}
    yarn = plain | {"rope_theta": 1000000.0, "rope_scaling": {k: v for k, v in YARN.items() if k != "rope_theta"}}
    cases = {}
    cases["theta lost"] = case(llama_turned(parameters=rope(10000.0)), {"base": "10000"}, expect=plain, defect="base_lost")
    cases["llama3 scaling skipped"] = case(llama_turned(), {"scaling": "none"}, expect=llama3, defect="scaling_skipped")
    cases["yarn without its factor"] = case(llama_turned(parameters=YARN | {"attention_factor": 1.0}), {"attention factor": "1"}, expect=yarn, defect="attention_factor_missing")
    cases["cache off by one"] = case(decoded(), {"positions": "one too far from row 12 on"}, expect=plain, defect="cache_off_by_one")
    order = torch.arange(D).view(D // 2, 2).T.reshape(-1)
    meta = Q[..., torch.argsort(order)]  # rows as Meta released them
    cases["permuted checkpoint"] = case(llama_turned(), {"pairing": "interleaved", "order of channels after": "that of the other pairing"}, before=meta)
    cohere = config_of("CohereConfig", head_dim=D, rope_parameters=rope(500000.0))
    cases["wrong pairing"] = case(partial_half("cohere", "CohereRotaryEmbedding", cohere, D), {"pairing": "interleaved"}, expect=plain, defect="wrong_pairing")
    return cases


def other_positions():
    """The stated positions are the numbers of the rows."""
    rows = list(range(24))
    plain = {"model_type": "llama", "hidden_size": H * D, "num_attention_heads": H, "num_hidden_layers": 1, "rope_theta": 500000.0}
    own = plain | {"rope_theta": 77777.0}
    mask = torch.tensor([0] * 7 + [1] * 17)
    ids = (mask.cumsum(-1) - 1).masked_fill(mask == 0, 1)  # as Transformers makes position_ids of a mask
    padded = "count from the first token, after 7 rows of padding"
    cases = {}
    for name, at, words in [
            ("left padding", ids.tolist(), padded + " at position 1"),
            ("left padding at 0", [max(n - 7, 0) for n in rows], padded),
            ("packed texts", [n % 9 if n < 9 else (n - 9) % 8 for n in rows], "start again at rows 0, 9, 17: 3 texts packed")]:
        cases[name] = case(llama_turned(at=at), {"positions": words}, at=rows, expect=plain, deviates={"positions": words})
    cases["padding counted"] = case(llama_turned(at=rows), {"positions": "the number of the row"}, at=ids.tolist(),
                                    expect=plain, deviates={"positions": "the number of the row"})
    tail = rows[:5] + [n + 1 for n in rows[5:]]
    cases["a base of its own, cache off by one"] = case(llama_turned(at=tail, parameters=rope(77777.0)), {}, at=rows, expect=own,
                                                        deviates={"positions": "one too far from row 5 on"}, defect="cache_off_by_one")
    cases["scale folded into q"] = case(llama_turned(q=Q / 8, parameters=rope(77777.0)), {"attention factor": "0.125"}, expect=own,
                                        deviates={"attention factor": "0.125"})
    return cases


def coarse_tables(q, parameters=None):
    config = config_of("LlamaConfig", head_dim=D, max_position_embeddings=131072, rope_parameters=parameters or rope(500000.0))
    cos, sin = tables("llama", "LlamaRotaryEmbedding", config, q)
    return module("llama").apply_rotary_pos_emb(q, q, cos.bfloat16().float(), sin.bfloat16().float())[0]


def in_degrees(size):
    config = config_of("LlamaConfig", head_dim=D, max_position_embeddings=131072, rope_parameters=rope(500000.0))
    embedding = module("llama").LlamaRotaryEmbedding(config)
    with torch.no_grad():
        embedding.inv_freq *= size
    cos, sin = embedding(Q, torch.tensor(AT)[None])
    return module("llama").apply_rotary_pos_emb(Q, Q, cos, sin)[0]


def other_numbers():
    plain = {"model_type": "llama", "hidden_size": H * D, "num_attention_heads": H, "num_hidden_layers": 1, "rope_theta": 500000.0}
    yarn = plain | {"rope_theta": 1000000.0, "rope_scaling": {k: v for k, v in YARN.items() if k != "rope_theta"}}
    degree = math.pi / 180
    cases = {}
    cases["fp32 with tables in bf16"] = case(coarse_tables(Q.float()), {"base": "500000"}, before=Q.float(), expect=plain,
                                             deviates={"precision of cos_sin": "bf16"}, defect="cos_sin_bf16")
    cases["fp32 of yarn with tables in bf16"] = case(coarse_tables(Q.float(), YARN), {"base": "1000000"}, before=Q.float(), expect=yarn,
                                                     deviates={"precision of cos_sin": "bf16"}, defect="cos_sin_bf16")
    cases["angles in degrees"] = case(in_degrees(1 / degree), {"base": "500000", "angles": "in degrees, of which cos and sin take radians"},
                                      expect=plain, defect="angles_in_degrees")
    cases["angles taken for degrees"] = case(in_degrees(degree), {"angles": "taken for degrees: divided by 57.3"}, expect=plain,
                                             defect="angles_as_degrees")
    return cases


def undecided():
    cases = {}
    cases["position 0 alone"] = case(llama_turned(q=Q[:, :, :1], at=[0]), {}, before=Q[:, :, :1], at=[0], ties=True)
    ones = torch.ones_like(Q)
    cases["all ones"] = case(llama_turned(q=ones), {"pairing": "half_split", "base": "500000"}, before=ones)
    constant = Q[:, :, :1].expand_as(Q).contiguous()
    cases["constant q"] = case(llama_turned(q=constant), {"pairing": "half_split", "base": "500000"}, before=constant)
    short = list(range(4))
    cases["four tokens of llama3"] = case(llama_turned(q=Q[:, :, :4], at=short, parameters=LLAMA3), {"base": "500000"}, before=Q[:, :, :4], at=short, ties=True)
    return cases


versions = {"python": platform.python_version(), **{n: importlib.metadata.version(n) for n in ("torch", "transformers")}}
pathlib.Path(__file__).with_name("identify.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_identify.py", "versions": versions, "cases": released() | mistaken() | undecided() | other_positions() | other_numbers(),
     "inputs": {name: text for text, name in inputs.items()}},
    separators=(",", ":")).replace("},\"", "},\n\"") + "\n")
