#!/usr/bin/env python3
"""Draws ropes of all kinds at random, turns tensors by them, and judges what `orrery run identify` says of each.

Formulas are those of the papers and of the released models, in NumPy; nothing of Orrery is used. An answer is judged by what it
computes: a rope is built from the words of the answer, both turn the same vectors, and no number may differ by more than roundings
of the tensor and the digits that words have. So another base, scaling or divisor that does the same at these rows is right.
  named        explained, and the same turn; "loosely": the same rope, of frequencies that are off by 1e-3 at most (1e-2 of bf16);
               "other words": another rope that does the same at these rows
  unexplained  the program says that no rope is known
  wrong        explained by another turn, a defect or a coarse stage claimed that there is none of, or no answer
python3 compare_drawn_ropes.py PROGRAM N SEED [FIRST [FOLDER]]
Draw i of a seed is the same whatever N and FIRST are. What is not named in the words of the draw is kept in FOLDER, with the
command and the truth; results.json has all verdicts.
"""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

USUAL_BASES = (10000.0, 10000.0, 10000.0, 500000.0, 500000.0, 1e6, 1e6, 5e6, 1e7, 150000.0, 160000.0, 25000.0, 1000.0, 500.0)
WIDTHS = (16, 24, 32, 40, 48, 56, 64, 64, 64, 72, 80, 96, 112, 128, 128)
EPS = {"fp64": 2.0**-52, "fp32": 2.0**-23, "fp32 stages": 2.0**-23, "bf16": 2.0**-8, "fp16": 2.0**-11}
SECONDS = 300


# ---------------------------------------------------------------- frequencies

def series(pairs, base, width=None, f=np.float64):
    return f(1) / f(base) ** (np.arange(0, 2 * pairs, 2).astype(f) / f(width or 2 * pairs))


def llama3(theta, factor, length, low=1.0, high=4.0):
    """Llama 3.1."""
    f = theta.dtype.type
    wave = f(2 * np.pi) / theta
    smooth = (f(length) / wave - f(low)) / f(high - low)
    middle = (f(1) - smooth) * theta / f(factor) + smooth * theta
    return np.where(wave > length / low, theta / f(factor), np.where(wave < length / high, theta, middle))


def yarn(theta, base, factor, length, truncate=True, fast=32.0, slow=1.0):
    """YaRN as its code has it: linear in pairs."""
    f, dim = theta.dtype.type, 2 * len(theta)
    low, high = (dim * np.log(length / (n * 2 * np.pi)) / (2 * np.log(base)) for n in (fast, slow))
    if truncate:
        low, high = np.floor(low), np.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(len(theta)).astype(f) - f(low)) / f(high - low), f(0), f(1))
    return theta / f(factor) * ramp + theta * (f(1) - ramp)


def by_parts(theta, factor, length, fast=32.0, slow=1.0):
    """YaRN as its paper has it: linear in rotations."""
    f = theta.dtype.type
    kept = np.clip((f(length) * theta / f(2 * np.pi) - f(slow)) / f(fast - slow), f(0), f(1))
    return theta / f(factor) * (f(1) - kept) + theta * kept


def ntk_base(base, factor, pairs):
    return base * factor ** (2 * pairs / (2 * pairs - 2)) if pairs > 1 else base


def scaled(pairs, base, scaling, f=np.float64):
    """scaling: {"kind", "factor", "length", "truncate", "list"}."""
    kind, factor = scaling["kind"], scaling.get("factor", 1.0)
    if kind in ("ntk", "dynamic_ntk"):
        if kind == "dynamic_ntk":
            factor = factor * max(scaling["at"], scaling["length"]) / scaling["length"] - (factor - 1)
        return series(pairs, ntk_base(base, factor, pairs), f=f)
    theta = series(pairs, base, f=f)
    if kind == "linear":
        return theta / f(factor)
    if kind == "yarn":
        return yarn(theta, base, factor, scaling["length"], scaling.get("truncate", True))
    if kind == "ntk_by_parts":
        return by_parts(theta, factor, scaling["length"])
    if kind == "llama3":
        return llama3(theta, factor, scaling["length"])
    if kind == "list":
        return f(1) / (np.asarray(scaling["list"]).astype(f) * (f(1) / theta))
    return theta


def axes_of_pairs(design, sections):
    """The axis of each pair."""
    if design in ("interleaved", "alternating"):  # Qwen3-VL: axis a has a, a + A, …; what is left is of axis 0
        axes = np.zeros(sum(sections), int)
        for a in range(1, len(sections)):
            axes[a:len(sections) * sections[a]:len(sections)] = a
        return axes
    if design in ("time_last", "time_still"):  # VideoRoPE, HoPE
        left, axes = list(sections), []
        while any(left[1:]):
            for a in range(1, len(left)):
                if left[a]:
                    left[a] -= 1
                    axes.append(a)
        return np.array(axes + [0] * left[0], int)
    return np.repeat(np.arange(len(sections)), sections)


def frequencies(rope, f=np.float64):
    """theta of each pair, of a dictionary of what a rope is."""
    base, scaling, sections, design = rope["base"], rope["scaling"], rope.get("sections"), rope.get("design")
    pairs = rope["pairs"]
    if rope.get("exponent_width"):
        base = base ** (2 * pairs / rope["exponent_width"])
    if sections and sum(sections) < pairs:  # what is left is of axis 0, and one series
        sections = None
    turning = np.arange(pairs) < (pairs if rope.get("turning") is None else rope["turning"])
    if not sections:
        return np.where(turning, scaled(pairs, base, scaling, f), f(0))
    axes = axes_of_pairs(design, sections)
    own = rope.get("series") == "own" or design == "axial"
    theta, common = np.zeros(pairs, f), scaled(pairs, base, scaling, f)
    for a, size in enumerate(sections):
        mine = np.flatnonzero(axes[:pairs] == a)
        if own:
            theta[mine] = scaled(size, base, scaling, f)[:len(mine)] if size else 0
        elif rope.get("series") == "in turn":  # Pixtral: a has every A-th frequency
            theta[mine] = common[np.minimum(len(sections) * np.arange(len(mine)) + a, pairs - 1)]
        else:
            theta[mine] = common[mine]
    if design == "time_still":
        theta[axes[:pairs] == 0] = 0
    return np.where(turning, theta, f(0))


# ---------------------------------------------------------------- turning

def channel_pairs(rope, halves):
    t = np.arange(rope["pairs"])
    first = rope["begin"]
    if "lie" in rope:  # anywhere
        return rope["lie"]
    return (first + t, first + t + rope["pairs"]) if halves else (first + 2 * t, first + 2 * t + 1)


def angles_of(rope, p, f=np.float64):
    """[…, N, pairs] at positions […, N, axes]."""
    axes = np.zeros(rope["pairs"], int)
    if rope.get("sections"):
        known = axes_of_pairs(rope["design"], rope["sections"])[:rope["pairs"]]
        known = np.array(rope.get("order", range(p.shape[-1] + len(rope["sections"]))))[known]
        axes[:len(known)] = np.where(known < p.shape[-1], known, 0)
    angles = p[..., axes].astype(f) * frequencies(rope, f)
    if "unit" in rope:
        angles = angles * rope["unit"]
    return -angles if rope["clockwise"] else angles


def turn(rope, x, angles, f=np.float64):
    """x [B, H, N, d], angles [B or 1, N, pairs]."""
    halves = rope["pairing"] == "half_split"
    a, b = channel_pairs(rope, halves)
    out_a, out_b = channel_pairs(rope, halves != rope["reordered"])
    amplitude = f(rope["amplitude"])
    cos, sin = (g(angles).astype(f)[:, None] * amplitude for g in (np.cos, np.sin))
    x = x.astype(f)
    y = x * amplitude if rope.get("on_all") else x.copy()
    y[..., out_a], y[..., out_b] = x[..., a] * cos - x[..., b] * sin, x[..., b] * cos + x[..., a] * sin
    return y


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


def stored(x, precision):
    if precision == "fp64":
        return x.astype(np.float64)
    if precision == "fp16":
        return x.astype(np.float16)
    return bf16(x) if precision == "bf16" else x.astype(np.float32)


# ---------------------------------------------------------------- draws

@dataclasses.dataclass
class Draw:
    rope: dict
    kinds: dict  # what of each property was drawn: rows of the tables
    p: np.ndarray  # [B or 1, N, axes]: where rows are
    stated: np.ndarray | None  # [N] or [N, axes]
    x: np.ndarray  # [B, H, N, d]
    y: np.ndarray
    arguments: list
    shaped: object  # from [B, H, N, d] to the tensor of the file


def pick(random, *options):
    return options[int(random.integers(len(options)))]


def draw_base(random):
    if random.random() < 0.5:
        return float(pick(random, *USUAL_BASES)), "usual base"
    base = float(np.exp(random.uniform(np.log(100), np.log(5e7))))
    digits = pick(random, 3, 5, 5, 17)
    return (float(f"{base:.{digits}g}"), "any base") if random.random() < 0.8 else (pick(random, 12345.0, 31623.0), "any base")


def draw_factor(random):
    return float(pick(random, 2, 4, 8, 16, 32, 40)) if random.random() < 0.5 else round(float(random.uniform(1.2, 20)), 3)


def draw_scaling(random, pairs, base, choices):
    kind = pick(random, *choices)
    factor, length = draw_factor(random), float(pick(random, 2048, 4096, 8192, 32768))
    if kind in ("linear", "ntk"):
        return {"kind": kind, "factor": factor}, kind
    if kind == "yarn":
        truncate = random.random() < 0.75
        name = "yarn" if truncate else "yarn, not truncated"
        return {"kind": kind, "factor": factor, "length": length, "truncate": truncate}, name
    if kind == "ntk_by_parts":
        return {"kind": kind, "factor": factor, "length": length}, kind
    if kind == "llama3":
        return {"kind": kind, "factor": float(pick(random, 8, 32, factor)), "length": 8192.0}, kind
    if kind == "longrope":  # factors grow with the wavelength
        grown = np.round(np.sort(1 + factor * random.random(pairs) ** 2), pick(random, 2, 4, 12))
        return {"kind": "list", "list": grown.tolist(), "factor": factor, "length": length}, kind
    if kind == "list":
        any_factors = np.exp(random.uniform(-0.5, 1.5, pairs))
        return {"kind": "list", "list": np.round(any_factors, pick(random, 2, 12)).tolist()}, "any list"
    return {"kind": "none"}, "none"


def draw_rows(random, kind, n, sequences):
    """[sequences or 1, N]"""
    p = np.arange(n)
    if kind == "offset":
        p = p + int(random.integers(1, 5000))
    elif kind == "far offset":
        p = p + int(random.integers(5000, 1_000_000))
    elif kind == "jump":
        far = int(random.integers(2, 900_000) if random.random() < 0.4 else random.integers(2, 3000))
        p = p + np.where(p >= int(random.integers(2, n - 1)), far, 0)
    elif kind == "stale row":
        p[int(random.integers(1, n))] = int(random.integers(0, 4000))
    elif kind == "exchanged rows":
        a, b = random.choice(n, 2, replace=False)
        p[[a, b]] = p[[b, a]]
    elif kind in ("packed", "packed, of one token"):
        starts = np.sort(random.choice(np.arange(2, n - 2), int(random.integers(1, 6)), replace=False))
        if kind != "packed":
            starts = np.unique(np.append(starts, starts[0] + 1))
        p = np.concatenate([np.arange(len(part)) for part in np.split(p, starts)])
    elif kind in ("left padding", "padding by sequence"):
        at = pick(random, 0, 0, 1)
        pads = random.integers(1, n // 2, sequences if kind != "left padding" else 1)
        return np.stack([np.where(p < pad, at, p - pad) for pad in pads])
    elif kind == "chunks":
        cut, first = int(random.integers(4, n - 4)), int(random.integers(0, 500))
        p = np.where(p < cut, first + p, first + cut + int(random.integers(10, 9000)) + p)
    elif kind == "tree":  # tokens that were accepted, and drafts at their depth in a tree
        trunk = int(random.integers(2, n // 2))
        depth = [0]
        for _ in range(n - trunk - 1):
            depth.append(depth[int(random.integers(max(len(depth) - 6, 0), len(depth)))] + 1)
        if random.random() < 0.5:
            depth.sort()
        p = np.concatenate([np.arange(trunk), trunk + np.array(depth)]) + pick(random, 0, int(random.integers(1, 2000)))
    return p[None]


def draw_grid(random, axes, n):
    """Rows of [time,] row and column, and how they lie."""
    rows, columns = int(random.integers(3, 9)), int(random.integers(3, 9))
    frames = 1 if axes == 2 else pick(random, 1, 2, 3, 4)
    grid = np.stack(np.meshgrid(np.arange(frames) * pick(random, 1, 1, 2), np.arange(rows), np.arange(columns), indexing="ij"), -1)
    grid = grid.reshape(-1, 3)
    if axes == 2:
        if random.random() < 0.3:  # blocks of 2×2, as Qwen2-VL's vision merges them
            grid = grid[np.lexsort((grid[:, 2], grid[:, 1], grid[:, 2] // 2, grid[:, 1] // 2))]
        kind = "image"
        p = grid[:, 1:]
        if random.random() < 0.2:
            p, kind = p + random.integers(0, 40, 2), "image, moved"
        return p[:96], kind
    kind = "time stands still" if frames == 1 else "video"
    if random.random() < 0.5:  # between texts, as Qwen2-VL has it
        before, after = int(random.integers(1, 300)), int(random.integers(1, 9))
        short = min(before, 8)
        text = np.repeat(np.arange(before - short, before)[:, None], 3, 1)
        end = before + grid.max() + 1
        grid = np.concatenate([text, before + grid[:80], np.repeat(np.arange(end, end + after)[:, None], 3, 1)])
        kind += ", between texts"
    return grid[:96], kind


def share(random, pairs, parts):
    """Whole numbers from 1 on of that sum."""
    cuts = np.sort(random.choice(np.arange(1, pairs), parts - 1, replace=False))
    return np.diff(np.concatenate([[0], cuts, [pairs]])).astype(int).tolist()


def draw_axes(random):
    """d, sections, design, series, pairing, name."""
    kind = pick(random, "chunked", "chunked", "interleaved", "interleaved", "axial, 2 axes", "axial, 3 axes", "released axial",
                "time_last", "time_still", "Pixtral", "MoonViT", "one number")
    d = int(pick(random, *WIDTHS))
    pairs = d // 2
    halves = pick(random, "half_split", "half_split", "half_split", "interleaved")
    if kind == "released axial":
        name, d, sections, pairing = pick(
            random, ("Qwen2.5-VL vision", 80, [20, 20], "half_split"), ("EVA02", 64, [16, 16], "interleaved"),
            ("Flux", 128, [8, 28, 28], "interleaved"), ("HunyuanVideo", 128, [8, 28, 28], "interleaved"),
            ("Wan", 128, [22, 21, 21], "interleaved"), ("CogVideoX", 64, [8, 12, 12], "interleaved"))
        return d, sections, "axial", None, pairing, name
    if kind == "axial, 2 axes":
        return (d, [pairs // 2, pairs - pairs // 2] if random.random() < 0.7 else share(random, pairs, 2), "axial", None,
                pick(random, "half_split", "interleaved"), kind)
    if kind == "axial, 3 axes":
        return d, share(random, pairs, 3), "axial", None, pick(random, "half_split", "interleaved"), kind
    if kind in ("Pixtral", "MoonViT"):
        d += d % 4
        sections = [d // 4, d // 4]
        if kind == "Pixtral":
            return d, sections, "chunked", "in turn", "half_split", kind
        return d, sections, "alternating", "own", "interleaved", kind
    usual = {"chunked": [pairs // 4, 3 * pairs // 8], "interleaved": [0, 5 * pairs // 16]}.get(kind, [pairs // 4, 3 * pairs // 8])
    if kind == "interleaved":
        rows = usual[1] if random.random() < 0.5 else int(random.integers(1, pairs // 3 + 1))
        columns = rows if random.random() < 0.7 else int(random.integers(1, pairs // 3 + 1))
        sections = [pairs - rows - columns, rows, columns]
    else:
        sections = [*usual, pairs - sum(usual)] if random.random() < 0.5 else share(random, pairs, 3)
    if kind == "one number":
        fits = 3 * sections[1] <= pairs and 3 * sections[2] <= pairs
        return d, sections, pick(random, "chunked", "interleaved") if fits else "chunked", None, halves, kind
    return d, sections, kind, None, halves, kind


def draw(seed, number):
    random = np.random.default_rng([seed, number])
    many_axes = random.random() < 0.35
    kinds, rope = {}, {"begin": 0, "clockwise": random.random() < 0.12, "reordered": False}
    base, base_kind = draw_base(random)
    n = int(random.integers(16, 65))
    layout = pick(random, "[N, d]", "[H, N, d]", "[H, N, d]", "[B, H, N, d]", "tokens first", "tokens first, batch",
                  "side by side")
    if many_axes:
        d, sections, design, own, pairing, name = draw_axes(random)
        rope |= {"sections": sections, "design": design, "series": own, "pairing": pairing, "pairs": d // 2}
        simple = ("none", "none", "none", "linear")
        scaling, scaling_kind = draw_scaling(random, d // 2, base,
                                             simple if design == "axial" or own else (*simple, "yarn", "ntk"))
        kinds["axes"], width, kinds["width"] = name, d, "all"
        stated, rows_kind = draw_grid(random, len(sections), n)
        if name == "one number":
            rows_kind = "text on all axes"
            stated = np.repeat(np.arange(n)[:, None] + pick(random, 0, int(random.integers(1, 3000))), 3, 1)
        p = stated[None]
        if random.random() < 0.08 and name != "one number":
            p, rows_kind = np.repeat(np.arange(len(stated))[:, None], len(sections), 1)[None], "row number for all axes"
        if layout == "side by side":
            layout = "tokens first"
    else:
        d = int(pick(random, *WIDTHS))
        rope["pairing"] = pick(random, "half_split", "interleaved")
        choices = ("none",) * 5 + ("linear", "linear", "ntk", "yarn", "yarn", "ntk_by_parts", "llama3", "longrope", "list")
        chance, width = random.random(), d
        kinds["width"] = "all"
        if layout != "side by side" and chance < 0.3:
            width = d // 2 // 2 * 2 if random.random() < 0.4 else 2 * int(random.integers(2, d // 2))
            rope["begin"] = 0 if random.random() < 0.65 else d - width
            kinds["width"] = "first channels" if rope["begin"] == 0 else "last channels"
        elif layout != "side by side" and chance < 0.38:
            rope["turning"] = int(random.integers(2, d // 2))
            kinds["width"], choices = "p-RoPE", ("none", "none", "linear")
        elif chance < 0.46:
            d = width = 2 * int(random.integers(4, 33)) if layout != "side by side" else d
            kinds["width"] = "rotated alone"
        rope["pairs"] = width // 2
        scaling, scaling_kind = draw_scaling(random, width // 2, base, choices)
        if rope["pairing"] == "interleaved" and random.random() < 0.18:
            rope["reordered"] = True
        kinds["axes"], stated = "one", None
        rows_kind = pick(random, "0 on", "0 on", "offset", "offset", "far offset", "jump", "stale row", "exchanged rows", "packed",
                         "packed, of one token", "left padding", "chunks", "tree", "stated")
        if random.random() < 0.04:
            n, layout, rows_kind = 4096, pick(random, "[N, d]", "side by side"), pick(random, "0 on", "offset")
            if kinds["width"] not in ("all", "rotated alone"):
                layout = "[N, d]"
    if layout == "side by side" and d < 16:
        layout = "[N, d]"
    rope |= {"d": d, "base": base, "scaling": scaling}

    batch = int(random.integers(1, 4)) if "B" in layout or "batch" in layout else 1
    heads = 1 if layout == "[N, d]" else int(random.integers(2 if layout == "side by side" else 1, 5))
    if not many_axes:
        if batch > 1 and random.random() < 0.2:
            rows_kind = "padding by sequence"
        p = draw_rows(random, "far offset" if rows_kind == "stated" else rows_kind, n, batch)[..., None]
        if rows_kind == "stated":
            stated = p[0, :, 0] if random.random() < 0.5 else np.sort(random.choice(9000, n, replace=False))
            p = stated[None, :, None]
    n = p.shape[1]

    rope["amplitude"], kinds["factor"] = 1.0, "none"
    if scaling_kind.startswith("yarn") and random.random() < 0.7:
        rope["amplitude"], kinds["factor"] = 0.1 * float(np.log(scaling["factor"])) + 1, "of the scaling"
    elif scaling_kind == "longrope" and random.random() < 0.6:
        rope["amplitude"] = float(np.sqrt(1 + np.log(max(scaling["factor"], 1.01)) / np.log(scaling["length"])))
        kinds["factor"] = "of the scaling"
    elif random.random() < 0.2:
        rope["amplitude"], kinds["factor"] = pick(random, (d**-0.5, "1/√d"), (round(float(random.uniform(0.3, 3)), 3), "any"),
                                                  (float(random.uniform(0.3, 3)), "any"))

    precision = pick(random, "fp32", "fp32", "fp32 stages", "fp32 stages", "bf16", "bf16", "fp16", "fp64")
    f = np.float64 if precision in ("fp32", "fp64") else np.float32
    x = random.standard_normal((batch, heads, n, d))
    if random.random() < 0.25:  # channels of unlike sizes, as learned ones are
        x = x * np.exp(random.standard_normal(d))
    x = stored(x, precision)
    y = stored(turn(rope, x, angles_of(rope, p, f), f), precision)

    arguments, shaped = [], {
        "[N, d]": lambda v: v[0, 0], "[H, N, d]": lambda v: v[0], "[B, H, N, d]": lambda v: v,
        "tokens first": lambda v: v[0].swapaxes(0, 1), "tokens first, batch": lambda v: v.swapaxes(1, 2),
        "side by side": lambda v: v[0].swapaxes(0, 1).reshape(n, heads * d)}[layout]
    if "tokens first" in layout:
        arguments.append("tokens_first=true")
    if random.random() < 0.2:
        arguments.append("format=" + precision.split()[0])
    kinds = {"layout": layout, "pairing": rope["pairing"] + (", halves written" if rope["reordered"] else "")
             + (", clockwise" if rope["clockwise"] else ""), "width": kinds["width"], "base": base_kind, "scaling": scaling_kind,
             "factor": kinds["factor"], "axes": kinds["axes"], "rows": rows_kind, "precision": precision,
             "number of rows": "4096" if n == 4096 else "16 to 96"}
    return Draw(rope, kinds, p, stated, x, y, arguments, shaped)


# ---------------------------------------------------------------- what the program says

def number_in(text):
    """"1.34657/√64 on all channels" and the like."""
    match = re.match(r"([-+0-9.e]+)(?:/√(\d+))?", text)
    return float(match[1]) / (np.sqrt(float(match[2])) if match[2] else 1)


def said_scaling(text, pairs):
    """The scaling, and the ratios of a list that are not said as NaN."""
    if text.startswith("by pair"):
        ratios = []
        for value, count in re.findall(r"(\d[-+0-9.e]*)(?: \((\d+) pairs\))?", text.split("times ")[1]):
            ratios += [float(value)] * int(count or 1)
        ratios += [np.nan] * (pairs - len(ratios))
        return {"kind": "list", "list": [1 / r for r in ratios[:pairs]]}
    match = re.match(r"(\w+) by ([-+0-9.e]+)(?: from (\d+) tokens)?(?:.* at length (\d+))?", text)
    return {"kind": match[1], "factor": float(match[2]), "length": float(match[3] or 0), "at": float(match[4] or 0),
            "truncate": "not truncated" not in text}


def said_rope(hypothesis, d):
    """The rope of the first hypothesis, and what its words say that no rope is built from."""
    facts = hypothesis["facts"]
    odd = [f"{key}: {facts[key]}" for key in ("wiring", "lengths") if key in facts]
    rope = {"d": d, "pairing": facts["pairing"], "clockwise": "direction" in facts, "begin": 0, "pairs": d // 2,
            "reordered": facts.get("order of channels after", "as before") != "as before", "base": float(facts["base"]),
            "amplitude": number_in(facts.get("attention factor", "1")), "on_all": "on all" in facts.get("attention factor", "")}
    channels = facts.get("channels", "")
    if match := re.match(r"p-RoPE, (\d+) of", channels):
        rope["turning"] = int(match[1]) // 2
    elif match := re.match(r"(\d+) to (\d+) of", channels):
        rope["begin"], rope["pairs"] = int(match[1]), (int(match[2]) - int(match[1]) + 1) // 2
    rope["scaling"] = said_scaling(facts["scaling"], rope["pairs"]) if "scaling" in facts else {"kind": "none"}
    if match := re.match(r"−2t/(\d+)", facts.get("exponents", "")):
        rope["exponent_width"] = int(match[1])
    elif "exponents" in facts:
        odd.append("exponents: " + facts["exponents"])
    if "angles" in facts:
        rope["unit"] = {"in degrees": 180 / np.pi, "taken for ": np.pi / 180, "2π times t": 2 * np.pi}[facts["angles"][:10]]
    if facts["pairing"].startswith("pairs"):
        lie = [(int(a), int(b)) for a, b in re.findall(r"\((\d+), (\d+)\)", facts["pairing"])]
        while len(lie) < rope["pairs"]:  # words end: as they began
            lie.append(tuple(2 * u - v for u, v in zip(lie[-1], lie[-2])))
        rope["lie"], rope["begin"] = tuple(np.clip(np.array(lie[:rope["pairs"]]).T, 0, d - 1)), 0
    if match := re.match(r"sections ([\d+]+), (\w+)", facts.get("axes", "")):
        rope["sections"], rope["design"] = [int(v) for v in match[1].split("+")], match[2]
        if match := re.search(r", of axes ([\d, ]+)", facts["axes"]):
            rope["order"] = [int(v) for v in match[1].split(",")]
        rope["series"] = ("own" if "of its own" in facts["axes"] else "in turn" if "in turn" in facts["axes"] else None)
    # Where words are settings too, these have all digits.
    if match := re.search(r" base=([-+0-9.e]+)", hypothesis["setting"]):
        rope["base"] = float(match[1])
        if match := re.search(r" rope.factor=([-+0-9.e]+)", hypothesis["setting"]):
            rope["scaling"]["factor"] = float(match[1])
    if match := re.search(r" rope.factors=([-+0-9.e]+)", hypothesis["setting"]):
        rope["scaling"]["list"] = [float(v) for v in re.split(r"(?<!e)\+", match[1])]
    coarse = re.findall(r"\w+ (?:bf16|fp16)", facts.get("precision", ""))
    return rope, odd, coarse


def said_positions(report, facts, draw):
    """[B or 1, N, axes], NaN where words end, and what is no position of a rope."""
    n = draw.p.shape[1]
    row = np.arange(n)
    if draw.stated is not None:
        p = np.asarray(draw.stated, float).reshape(n, -1)[None]
    elif report["rows"]:
        p = np.full((1, n, 1), np.nan)
        for first, last, at in re.findall(r"(\d+)(?:–(\d+))? at (-?\d+)", report["rows"]):
            first, last, at = int(first), int(last or first), int(at)
            p[0, first:last + 1, 0] = at + np.arange(last - first + 1)
    else:
        p = row[None, :, None].astype(float)
    rule = facts.get("positions", "as stated")
    match = re.search(r"(?:^|, )([+-]\d+)$", rule)
    offset = int(match[1]) if match else 0
    if rule.startswith("as stated"):
        return p + offset
    if rule.startswith("twice"):
        return 2 * (p + offset)
    if rule.startswith("the number of the row"):
        return np.repeat(row[None, :, None] + float(offset), p.shape[2], 2)
    if rule.startswith("all 0"):
        return 0 * p
    if match := re.match(r"(0|one too far|\d+ too far) from row (\d+) on", rule):
        later = row[None, :, None] >= int(match[2])
        q = p + offset
        return np.where(later, 0 if match[1] == "0" else q + (1 if match[1] == "one too far" else int(match[2])), q)
    padding = re.search(r"padding at position (-?\d+)", rule)
    at = int(padding[1]) if padding else 0
    if "of the batch" in rule:
        said = dict((int(b), int(a)) for a, b in re.findall(r"(\d+) in sequence (\d+)", rule))
        return np.stack([np.where(row < said[s], at, row - said[s]) for s in sorted(said)])[..., None].astype(float)
    if rule.startswith(("start again", "count from")):
        starts = re.search(r"at rows ([\d, ]+)", rule)
        starts = [int(v) for v in starts[1].replace(" ", "").split(",") if v] if starts else [
            int(re.search(r"after (\d+) row", rule)[1]) if "after" in rule else 0]
        place = np.searchsorted(starts, row, side="right") - 1
        q = np.where(place < 0, at, row - np.array(starts)[np.maximum(place, 0)]).astype(float)
        if "more" in rule:
            q[starts[-1]:] = np.nan
        return q[None, :, None]
    return None


def judge(draw, report):
    """named, unexplained or wrong, and why."""
    first = report["hypotheses"][0] if report["hypotheses"] else None
    if not report["explained"]:
        defect = first and first["defect"]
        return ("wrong", "a defect of what is unexplained: " + defect) if defect else ("unexplained", "")
    if first["defect"]:
        return "wrong", "defect " + first["defect"]
    batch, heads, n, d = draw.x.shape
    x = draw.x.astype(np.float64)
    joined = [int(m[1]) for note in report["notes"] if (m := re.match(r"heads of (\d+) channels lie", note))]
    said_d = joined[0] if joined else draw.shaped(draw.x).shape[-1]
    try:
        said, odd, coarse = said_rope(first, said_d)
        p = said_positions(report, first["facts"], draw)
    except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
        return "wrong", f"words that the judge cannot read: {error!r}"
    if odd or p is None:
        return "wrong", "; ".join(odd) or "positions: " + first["facts"]["positions"]

    eps = EPS[draw.kinds["precision"]]
    true_angles, said_angles = angles_of(draw.rope, draw.p), angles_of(said, p)
    unknown = np.isnan(said_angles)
    y = turn(draw.rope, x, true_angles)
    # [B, H, N, d], or all channels of a row beside one another where the answer has other heads.
    as_said = x if said_d == d else x.swapaxes(1, 2).reshape(batch, n, -1, said_d).swapaxes(1, 2)
    z = turn(said, as_said, np.nan_to_num(said_angles))
    unknown_channels = np.zeros((unknown.shape[0], 1, n, said_d), bool)
    said_halves = said["pairing"] == "half_split"
    for c in (*channel_pairs(said, said_halves), *channel_pairs(said, said_halves != said["reordered"])):
        unknown_channels[:, 0][..., c] |= unknown
    unknown_channels = np.broadcast_to(unknown_channels, z.shape)
    if said_d != d:
        z, unknown_channels = (v.swapaxes(1, 2).reshape(batch, n, heads, d).swapaxes(1, 2) for v in (z, unknown_channels))

    # Words have six digits, those of a list four; angles of fp32 are off by a part in 10^7.
    exact = first["setting"] != ""
    per_angle = 4e-7 + (0 if exact else 5e-6 if said["scaling"]["kind"] != "none" else 0)
    if said["scaling"]["kind"] == "list" and not exact:
        per_angle = 6e-4
    with np.errstate(divide="ignore"):
        powers = np.abs(np.log(np.maximum(np.abs(frequencies(draw.rope)), 1e-30))) / np.log(max(draw.rope["base"], 1.01))
    off = 8 * eps + np.abs(true_angles) * (per_angle + (0 if exact else 5e-6) * np.minimum(powers, 1.5))
    off += 5e-6 if "attention factor" in first["facts"] else 0
    length = np.sqrt(np.mean(x**2, -1, keepdims=True)) * draw.rope["amplitude"]
    bound = np.broadcast_to(8 * eps * (length + np.abs(y)), y.shape).copy()
    halves = draw.rope["pairing"] == "half_split"
    a, b = channel_pairs(draw.rope, halves)
    size = draw.rope["amplitude"] * np.hypot(x[..., a], x[..., b])
    for c in channel_pairs(draw.rope, halves != draw.rope["reordered"]):
        bound[..., c] += size * np.minimum(off, 2.5)[:, None]
    bad = (np.abs(z - y) > bound) & ~unknown_channels
    same = (np.isnan(p) | (p == draw.p)).all(-1)
    loose = 1e-2 if draw.kinds["precision"] == "bf16" else 1e-3
    if bad.any() and same.all() and not coarse and alike_within(loose, said, draw.rope):
        return "named", "loosely"
    if bad.any():
        worst = np.unravel_index(np.argmax(np.where(bad, np.abs(z - y) / bound, 0)), bad.shape)
        rows = np.flatnonzero(bad.any((0, 1, 3)))
        return "wrong", (f"{bad.mean():.1%} of numbers, {len(rows)} of {n} rows from {rows[0]} on, "
                         f"{bad.any((0, 1, 2)).sum()} of {d} channels; most at {[int(v) for v in worst]}: "
                         f"{np.abs(z - y)[worst] / bound[worst]:.3g} of what words allow")
    # Where words have too few digits for the angle, the positions themselves must be right.
    blind = (off > 0.5).any(-1)
    if (blind & ~same).any():
        return "wrong", "positions, where words have too few digits for the angle"
    if draw.kinds["precision"] == "bf16":  # of a bf16 tensor tables in fp16 are no coarse ones
        coarse = [stage for stage in coarse if stage != "cos_sin fp16"]
    if coarse:
        return "wrong", "a coarse stage: " + ", ".join(coarse)
    other = [] if same.all() else ["positions"]
    one, two = plain(said), plain(draw.rope)
    other += [key for key in ("pairing", "begin", "clockwise", "reordered", "turning", "pairs") if one.get(key) != two.get(key)]
    other += ["base"] if abs(one["base"] / two["base"] - 1) > loose else []
    other += ["scaling"] if one["scaling"]["kind"] != two["scaling"]["kind"] else []
    if draw.p.shape[2] > 1 and "all axes" not in draw.kinds["rows"]:
        other += ["axes"] if one["axes"] != two["axes"] or one.get("series") != two.get("series") else []
    return "named", f"in other words: {', '.join(other)}" if other else ""


def plain(rope):
    """NTK's base as a base, and p-RoPE of neighbours as that of the channels that turn."""
    rope = dict(rope)
    if rope["scaling"]["kind"] == "ntk":
        rope |= {"base": ntk_base(rope["base"], rope["scaling"]["factor"], rope["pairs"]), "scaling": {"kind": "none"}}
    if rope.get("turning") is not None and rope["pairing"] == "interleaved":
        rope |= {"exponent_width": 2 * rope["pairs"], "pairs": rope.pop("turning")}
    rope["axes"] = axes_of_pairs(rope["design"], rope["sections"]).tolist() if rope.get("sections") else None
    rope["series"] = "own" if rope.get("design") == "axial" else rope.get("series")
    return rope


def alike_within(loose, said, rope):
    """The same pairs in the same order, with the same factor and frequencies to within the share of `loose`."""
    keys = ("pairing", "begin", "pairs", "clockwise", "reordered")
    if any(said[key] != rope[key] for key in keys) or abs(said["amplitude"] / rope["amplitude"] - 1) > loose:
        return False
    if plain(said)["axes"] != plain(rope)["axes"] or "lie" in said or "unit" in said:
        return False
    a, b = frequencies(said), frequencies(rope)
    return bool(np.all(np.isnan(a) | (np.abs(a - b) <= loose * b)))


# ---------------------------------------------------------------- runs

def truth_words(draw):
    rope = dict(draw.rope)
    rope["positions"] = (draw.p[0] if draw.p.shape[0] == 1 else draw.p)[..., :200, :].squeeze().tolist()
    return rope


def run(program, draw, folder):
    np.save(folder / "before.npy", np.ascontiguousarray(draw.shaped(draw.x)))
    np.save(folder / "after.npy", np.ascontiguousarray(draw.shaped(draw.y)))
    command = [program, "run", "identify", "before=before.npy", "after=after.npy", *draw.arguments]
    if draw.stated is not None:
        np.save(folder / "positions.npy", np.asarray(draw.stated, np.int64))
        command.append("positions=positions.npy")
    answer = folder / "out" / "identify.json"
    answer.unlink(missing_ok=True)
    start = time.monotonic()
    try:
        done = subprocess.run([*command, "--out", "out", "--force", "--format", "none"], cwd=folder, capture_output=True,
                              text=True, timeout=SECONDS)
        said = done.stderr.strip()[-300:]
    except subprocess.TimeoutExpired:
        said = f"no answer in {SECONDS} s"
    seconds = time.monotonic() - start
    report = json.loads(answer.read_text())["tensors"][0] if answer.exists() else None
    return command, report, said, seconds


def tables(results):
    yield f"{'':34}{'drawn':>7}{'named':>7}{'other words':>13}{'unexplained':>13}{'wrong':>7}{'median s':>10}"
    for key in ("all", *results[0]["kinds"]):
        if key != "all":
            yield key
        for value in sorted({r["kinds"].get(key, "all") for r in results}):
            of = [r for r in results if r["kinds"].get(key, "all") == value]
            count = [sum(r["verdict"] == v for r in of) for v in ("named", "unexplained", "wrong")]
            other = [sum(r["why"].startswith(w) for r in of) for w in ("loosely", "in other words")]
            yield (f"  {value:32}{len(of):7}{count[0]:7}{other[0]:9}{other[1]:13}{count[1]:13}{count[2]:7}"
                   f"{np.median([r['seconds'] for r in of]):10.2f}")


def main():
    program, count, seed = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]), int(sys.argv[3])
    begin = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    keep = pathlib.Path(sys.argv[5] if len(sys.argv) > 5 else pathlib.Path(tempfile.gettempdir()) / "identify_draws_wrong")
    results = []
    for number in range(begin, begin + count):
        one = draw(seed, number)
        folder = keep / f"{seed}_{number}"
        folder.mkdir(parents=True, exist_ok=True)
        command, report, said, seconds = run(program, one, folder)
        verdict, why = judge(one, report) if report else ("wrong", "no answer: " + said)
        results.append({"number": number, "kinds": one.kinds, "verdict": verdict, "why": why, "seconds": seconds})
        if verdict == "named" and not why:
            for path in sorted(folder.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            folder.rmdir()
            continue
        (folder / "truth.json").write_text(json.dumps(
            {"command": ["orrery", *command[1:]], "verdict": verdict, "why": why, "seconds": round(seconds, 2), "kinds": one.kinds,
             "rope": truth_words(one), "shape": list(one.shaped(one.x).shape)}, indent=1, ensure_ascii=False) + "\n")
        first = report["hypotheses"][0]["text"] if report and report["hypotheses"] else "nothing"
        print(f"{seed} {number} {verdict} ({seconds:.1f} s): {why}\n  truth {'; '.join(one.kinds.values())}; "
              f"base {one.rope['base']:.9g}; d {one.rope['d']}, {2 * one.rope['pairs']} from {one.rope['begin']} on\n"
              f"  said  {first} | {report and report['rows']}", flush=True)
    (keep / "results.json").write_text(json.dumps(results, ensure_ascii=False).replace("}, {", "},\n{") + "\n")
    print("\n".join(tables(results)))
    for r in sorted(results, key=lambda r: -r["seconds"])[:8]:
        words = [r["kinds"][key] for key in ("rows", "axes", "scaling", "precision")]
        print(f"slow: {r['number']} {r['seconds']:.1f} s, {', '.join(words)}, {r['verdict']}")


if __name__ == "__main__":
    main()
