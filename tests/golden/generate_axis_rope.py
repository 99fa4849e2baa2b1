#!/usr/bin/env python3
"""Writes axis_rope.json: queries turned at positions with several axes, computed without Orrery.

M-RoPE chunked and interleaved by the rotary modules and apply_rotary_pos_emb of Transformers'
Qwen2-VL and Qwen3-VL, whose angles are fp32; axial, VideoRoPE and HoPE by loops over
pairs of channels in NumPy. "sequences" are texts around a grid of patches: grid by
Qwen2VLModel.get_rope_index, turned by Qwen2-VL; diagonal, VideoRoPE's, by loops. Run it with the packages of `versions` installed; the tests do not need
it.
"""
import importlib.metadata
import json
import pathlib
import platform
import types

import numpy as np
import torch
from transformers import Qwen2VLTextConfig, Qwen3VLTextConfig
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3

torch.set_default_dtype(torch.float64)
D, BASE = 16, 10000.0
AT = [[0, 0, 0], [1, 1, 1], [2, 5, 9], [2, 6, 3], [7, 40, 1000], [100, 3, 0]]
x = np.array([[((5 * i + 2 * c) % 9 - 4) / 4.0 for c in range(D)] for i in range(len(AT))])


def of_transformers(module, config_class, rotary, sections):
    config = config_class(hidden_size=2 * D, num_attention_heads=2, num_key_value_heads=2, head_dim=D,
                          rope_parameters={"rope_type": "default", "rope_theta": BASE, "mrope_section": sections})
    embedding = rotary(config)
    q = torch.tensor(x)[None, None]
    at = torch.tensor(AT).T[:, None]
    cos, sin = embedding(q, at)
    return module.apply_rotary_pos_emb(q, q, cos, sin)[0][0, 0].tolist()


def by_pairs(axes, theta):
    y = x.copy()
    for i, at in enumerate(AT):
        for t in range(D // 2):
            angle = at[axes[t]] * theta[t]
            a, b = x[i, t], x[i, t + D // 2]
            y[i, t], y[i, t + D // 2] = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return y.tolist()


theta = [BASE ** (-2 * t / D) for t in range(D // 2)]
time_last = [1, 2, 1, 2, 1, 2, 0, 0]
cases = {"chunked": {"sections": [2, 3, 3], "turned": of_transformers(qwen2, Qwen2VLTextConfig, qwen2.Qwen2VLRotaryEmbedding, [2, 3, 3])},
         "interleaved": {"sections": [4, 2, 2], "turned": of_transformers(qwen3, Qwen3VLTextConfig, qwen3.Qwen3VLTextRotaryEmbedding, [4, 2, 2])},
         "time_last": {"sections": [2, 3, 3], "turned": by_pairs(time_last, theta)},
         "time_still": {"sections": [2, 3, 3], "turned": by_pairs(time_last, theta[:6] + [0, 0])},
         "axial": {"sections": [0, 4, 4], "turned": by_pairs([1] * 4 + [2] * 4, 2 * [BASE ** (-t / 4) for t in range(4)])}}


def grid_of_transformers(before, frames, rows, columns, after):
    model = types.SimpleNamespace(config=types.SimpleNamespace(vision_config=types.SimpleNamespace(spatial_merge_size=1)))
    model.get_vision_position_ids = types.MethodType(qwen2.Qwen2VLModel.get_vision_position_ids, model)
    kinds = torch.tensor([[0] * before + [2] * (frames * rows * columns) + [0] * after])
    at, _ = qwen2.Qwen2VLModel.get_rope_index(model, kinds, kinds.int(), None, torch.tensor([[frames, rows, columns]]))
    return at[:, 0].T.tolist()


def diagonal(before, frames, rows, columns, after, step):
    at = [[m] * 3 for m in range(before)]
    for f in range(frames):
        for r in range(rows):
            for c in range(columns):
                time = before + step * f
                at.append([time, time + r - (rows - 1) // 2, time + c - (columns - 1) // 2])
    return at + [[before + step * (frames - 1) + 1 + i] * 3 for i in range(after)]


def turned_sequence(at):
    """Queries at every token, turned by Qwen2-VL with sections 2, 3, 3."""
    global AT, x
    keep = AT, x
    AT, x = at, np.array([[((5 * i + 2 * c) % 9 - 4) / 4.0 for c in range(D)] for i in range(len(at))])
    result = {"x": x.tolist(), "turned": of_transformers(qwen2, Qwen2VLTextConfig, qwen2.Qwen2VLRotaryEmbedding, [2, 3, 3])}
    AT, x = keep
    return result


shape = {"text_before": 3, "frames": 2, "rows": 3, "columns": 4}
grid = grid_of_transformers(3, 2, 3, 4, 3)
sequences = {"grid": {**shape, "time_step": 1, "positions": grid, **turned_sequence(grid)},
             "diagonal": {**shape, "time_step": 2, "positions": diagonal(3, 2, 3, 4, 3, 2), **turned_sequence(diagonal(3, 2, 3, 4, 3, 2))}}
versions = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in ("numpy", "torch", "transformers")}}
pathlib.Path(__file__).with_name("axis_rope.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_axis_rope.py", "versions": versions, "base": BASE, "positions": AT, "x": x.tolist(), "cases": cases, "sequences": sequences},
    separators=(",", ":")).replace("],\"", "],\n\"").replace("},\"", "},\n\"") + "\n")
