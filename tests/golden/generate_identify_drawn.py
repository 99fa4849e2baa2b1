#!/usr/bin/env python3
"""Writes identify_drawn.json: q before and after Transformers' rotary function, as tests/detective/run drew it, where the
identification once told another rope than the one that turned it.

Of a long draw every third row is kept. Numbers are the bits of bf16, four hexadecimal digits each, and fields are those of
identify.json. Run it with the packages of `versions` installed; the tests do not need it.
"""
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import pathlib
import platform

import torch

HERE = pathlib.Path(__file__)
loader = importlib.machinery.SourceFileLoader("draws", str(HERE.parents[1] / "detective" / "run"))
draws = importlib.util.module_from_spec(importlib.util.spec_from_loader("draws", loader))
loader.exec_module(draws)

inputs = {}


def bits(x):
    assert x.dtype == torch.bfloat16
    return "".join(f"{v & 0xffff:04x}" for v in x.reshape(-1).contiguous().view(torch.int16).tolist())


def case(kind, number, seed, facts, every=1):
    draw = draws.KINDS[kind](draws.Setting(kind, number, seed))
    rows = range(every - 1, len(draw.positions), every)
    before, after = (x[:, rows] for x in (draw.before, draw.after))
    return {"shape": list(before.shape), "positions": [draw.positions[row] for row in rows],
            "before": inputs.setdefault(bits(before), f"q{len(inputs)}"), "after": bits(after), "facts": facts}


cases = {
    "a fitted base, tables in bf16": case("angles taken for degrees", 4, 45, {
        "scaling": "yarn by 32 from 4096 tokens", "attention factor": "1.34657", "angles": "taken for degrees: divided by 57.3",
        "precision": "inv_freq fp32, angle fp32, cos_sin bf16"}, every=3),
    "a base between those of few digits, tables in bf16": case("padding counted", 6, 46, {
        "scaling": "linear by 16", "positions": "the number of the row", "precision": "inv_freq fp32, angle fp32, cos_sin bf16"})}

versions = {"python": platform.python_version(), **{n: importlib.metadata.version(n) for n in ("torch", "transformers")}}
HERE.with_name("identify_drawn.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_identify_drawn.py", "versions": versions, "cases": cases,
     "inputs": {name: text for text, name in inputs.items()}}, separators=(",", ":")).replace("},\"", "},\n\"") + "\n")
