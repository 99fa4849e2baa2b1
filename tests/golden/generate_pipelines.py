#!/usr/bin/env python3
"""Writes pipelines.json: RoPE and attention as PyTorch and Hugging Face Transformers compute them.

cos and sin are LlamaRotaryEmbedding's, the rotation is apply_rotary_pos_emb, attention is
eager_attention_forward (transformers/models/llama/modeling_llama.py); the fused pipelines, which
Transformers has as kernels only, are written here in fp32 with their casts. Whole arrays are kept as
FNV-1a hashes of their bit patterns, little-endian, row by row; parts of them as numbers.

PyTorch's cosines and sines of fp32 numbers are not always the nearest ones. Where one differs from
the nearest after the cast, it is listed under "exceptions" as [position, pair, "cos" or "sin", bits].
The hashes of cos and sin are of PyTorch's numbers; those of turned rows leave these positions out.
`--all` counts the exceptions over every position from 0 to
131072 as well and writes the counts; without it the counts of the file at hand are kept.

Run it with torch and transformers installed; the tests do not need it.
"""
import json
import pathlib
import sys
import types

import numpy as np
import torch
import transformers
from transformers.models.llama import modeling_llama as llama

here = pathlib.Path(__file__).parent
target = here / "pipelines.json"
LAST = 131072
FORMATS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def sampled_positions():
    """Every position to 512, powers of two and their neighbours, and every 67th."""
    near = {2 ** e + step for e in range(18) for step in (-1, 0, 1)}
    return sorted(m for m in {*range(513), *near, *range(0, LAST + 1, 67), LAST} if m <= LAST)


def bits_of(values):
    """The bit patterns as unsigned numbers."""
    values = values.detach().contiguous()
    if values.dtype == torch.float32:
        return values.numpy().view(np.uint32)
    return values.view(torch.int16).numpy().view(np.uint16)


def fnv1a(bits):
    """64-bit FNV-1a over the little-endian bytes."""
    value = 0xCBF29CE484222325
    for byte in bits.astype(bits.dtype.newbyteorder("<")).tobytes():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def rotary(d, base):
    config = transformers.LlamaConfig(hidden_size=d, num_attention_heads=1, head_dim=d,
                                      rope_parameters={"rope_type": "default", "rope_theta": base})
    return llama.LlamaRotaryEmbedding(config)


def cos_sin(embedding, positions, dtype):
    """Both [positions, d/2]: the second half of Transformers' rows repeats the first."""
    d = embedding.config.head_dim
    cos, sin = embedding(torch.zeros(1, dtype=dtype), torch.tensor(positions)[None])
    return cos[0, :, :d // 2], sin[0, :, :d // 2]


def nearest(embedding, positions, dtype):
    """The same with the cosine of each fp32 angle computed in fp64 and rounded to fp32."""
    angles = torch.tensor(positions).float()[:, None] * embedding.inv_freq[None]
    return tuple(f(angles.double()).float().to(dtype) for f in (torch.cos, torch.sin))


def draw(rows, columns, stream):
    """Numbers in [-2, 2) that any language computes alike: a multiplicative hash of their place."""
    place = np.arange(rows * columns, dtype=np.uint64) + np.uint64(1 + 1000003 * stream)
    hashed = (place * np.uint64(2654435761)) % np.uint64(2 ** 32)
    hashed = (hashed ^ (hashed >> np.uint64(15))) * np.uint64(2246822519) % np.uint64(2 ** 32)
    return torch.tensor((hashed.astype(np.float64) / 2 ** 30 - 2).reshape(rows, columns))


def exceptions(embedding, positions, dtype):
    found = []
    pairs = zip(("cos", "sin"), cos_sin(embedding, positions, dtype), nearest(embedding, positions, dtype))
    for name, ours, best in pairs:
        for row, pair in np.argwhere(bits_of(ours) != bits_of(best)).tolist():
            found.append([positions[row], pair, name, int(bits_of(ours)[row, pair])])
    return found


def count_exceptions(embedding, dtype):
    """Over 0 … LAST, of so many cosines and as many sines, and the largest distance in units in the last
    place."""
    counts, largest = [0, 0], 0
    for start in range(0, LAST + 1, 4096):
        positions = list(range(start, min(start + 4096, LAST + 1)))
        for i, (ours, best) in enumerate(zip(cos_sin(embedding, positions, dtype), nearest(embedding, positions, dtype))):
            apart = np.abs(bits_of(ours).astype(np.int64) - bits_of(best).astype(np.int64))
            counts[i] += int((apart != 0).sum())
            largest = max(largest, int(apart.max()))
    return {"cos": counts[0], "sin": counts[1], "of": (LAST + 1) * embedding.config.head_dim // 2,
            "largest_ulp": largest}


def turned(embedding, positions, x, dtype):
    """apply_rotary_pos_emb of rows x, one head."""
    cos, sin = embedding(torch.zeros(1, dtype=dtype), torch.tensor(positions)[None])
    rows = x.to(dtype)[None, None]
    return llama.apply_rotary_pos_emb(rows, rows, cos, sin)[0][0, 0]


def turned_once(embedding, positions, x, dtype):
    """The same in fp32 with one rounding at the end; cos, sin and x have the format."""
    cos, sin = (part.float() for part in embedding(torch.zeros(1, dtype=dtype), torch.tensor(positions)[None]))
    rows = x.to(dtype).float()[None, None]
    return llama.apply_rotary_pos_emb(rows, rows, cos, sin)[0][0, 0].to(dtype)


def eager(embedding, positions, x, dtype):
    q, k = (turned(embedding, positions, x[name], dtype) for name in "qk")
    scale = q.shape[-1] ** -0.5
    module = types.SimpleNamespace(num_key_value_groups=1, training=False)
    output, weights = llama.eager_attention_forward(
        module, q[None, None], k[None, None], x["v"].to(dtype)[None, None], None, scale)
    return {"logits": torch.matmul(q, k.T) * scale, "weights": weights[0, 0], "output": output[0, :, 0]}


def fused(embedding, positions, x, dtype):
    q, k = (turned_once(embedding, positions, x[name], dtype).float() for name in "qk")
    logits = torch.matmul(q, k.T) * q.shape[-1] ** -0.5
    weights = torch.softmax(logits, dim=-1)
    return {"logits": logits, "weights": weights, "output": torch.matmul(weights, x["v"].to(dtype).float()).to(dtype)}


def attention_case(embedding, run, dtype):
    N, d = 24, embedding.config.head_dim
    positions = [(7919 * i) % 30011 for i in range(N)]
    x = {name: draw(N, d, 10 + i) for i, name in enumerate("qkv")}
    return {"positions": positions,
            **{name: bits_of(value).tolist() for name, value in run(embedding, positions, x, dtype).items()}}


def shift_case(embedding, run, dtype):
    """Largest change of a logit when all positions move by a shift."""
    N, d = 64, embedding.config.head_dim
    positions = [(89 * i) % 512 for i in range(N)]
    x = {name: draw(N, d, 20 + i) for i, name in enumerate("qkv")}
    base = run(embedding, positions, x, dtype)["logits"].double()
    moved = {s: run(embedding, [m + s for m in positions], x, dtype)["logits"].double() for s in (1, 4096, 2 ** 20)}
    return {"tokens": N, "span": 512, "changes": {str(s): float((new - base).abs().max()) for s, new in moved.items()}}


def formats_of(embedding, positions, all_counts):
    d = embedding.config.head_dim
    result = {}
    for name, dtype in FORMATS.items():
        case = {"exceptions_over_all": all_counts(d, name)}
        cos, sin = cos_sin(embedding, positions, dtype)
        x = draw(len(positions), d, 1)
        if name == "fp32":
            few = list(range(0, len(positions), 61 * d // 64))
            case |= {"rows": few, "cos": bits_of(cos[few]).tolist(), "sin": bits_of(sin[few]).tolist(),
                     "turned": bits_of(turned(embedding, positions, x, dtype)[few]).tolist()}
        else:
            odd = exceptions(embedding, positions, dtype)
            plain = [i for i, m in enumerate(positions) if m not in {entry[0] for entry in odd}]
            case |= {"exceptions": odd, "cos": fnv1a(bits_of(cos)), "sin": fnv1a(bits_of(sin)),
                     "eager_turned": fnv1a(bits_of(turned(embedding, positions, x, dtype)[plain])),
                     "fused_turned": fnv1a(bits_of(turned_once(embedding, positions, x, dtype)[plain]))}
        result[name] = case
    return result


def main():
    torch.set_num_threads(1)
    counting = "--all" in sys.argv[1:]
    old = json.loads(target.read_text()) if target.exists() else {}
    positions = sampled_positions()
    cases = []
    for d in (64, 128):
        embedding = rotary(d, 10000.0)

        def all_counts(d, name):
            if counting:
                return count_exceptions(embedding, FORMATS[name])
            kept = [c for c in old.get("rotations", []) if c["d"] == d]
            return kept[0]["formats"][name]["exceptions_over_all"] if kept else None
        cases.append({"d": d, "base": 10000.0, "inv_freq": bits_of(embedding.inv_freq).tolist(),
                      "angles": fnv1a(bits_of(torch.tensor(positions).float()[:, None] * embedding.inv_freq[None])),
                      "formats": formats_of(embedding, positions, all_counts)})
    embedding = rotary(64, 10000.0)
    document = {
        "generator": "tests/golden/generate_pipelines.py",
        "versions": {"python": sys.version.split()[0], "torch": torch.__version__, "transformers": transformers.__version__,
                     "numpy": np.__version__, "cpu_capability": torch.backends.cpu.get_cpu_capability()},
        "positions": positions,
        "rotations": cases,
        "inv_freq_500000": bits_of(rotary(128, 500000.0).inv_freq).tolist(),
        "attention": {**{f"eager_{name}": attention_case(embedding, eager, dtype) for name, dtype in FORMATS.items()},
                      **{f"fused_{name}": attention_case(embedding, fused, FORMATS[name]) for name in ("bf16", "fp16")}},
        "shifts": {**{f"eager_{name}": shift_case(embedding, eager, dtype) for name, dtype in FORMATS.items()}},
    }
    target.write_text(json.dumps(document, separators=(",", ":")).replace('},"', '},\n"') + "\n")


main()
