"""What tests of rotary embeddings compare with: vectors that Transformers has turned, and the ropes
of a model's configuration."""

from __future__ import annotations

import functools
import importlib.resources
import json
import os
import pathlib
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from .checks import RopeCheck, check_rope
from .models import positions


@dataclass
class Golden:
    """Queries before and after the rotary function of a model of Transformers turned them, in fp32.

    settings    of the rope, for Encoding, with dim
    positions   [N]
    x, turned   [N, dim], float32
    tolerance   [N, 1]: how far fp32 angles let a right answer be from turned
    """

    name: str
    settings: dict[str, Any]
    positions: np.ndarray
    x: np.ndarray
    turned: np.ndarray
    tolerance: np.ndarray = field(repr=False)

    def check(self, function: Callable[..., Any]) -> None:
        """Raises AssertionError unless function(x, positions) is turned, to within tolerance."""
        found = np.asarray(function(self.x.copy(), self.positions.copy()), dtype=np.float64)
        if found.shape != self.turned.shape:
            raise AssertionError(f"{self.name}: shape {found.shape}, not {self.turned.shape}")
        wrong = np.abs(found - self.turned) > self.tolerance
        if not wrong.any() and np.isfinite(found).all():
            return
        row, channel = np.argwhere(wrong | ~np.isfinite(found))[0]
        raise AssertionError(
            f"{self.name}: {wrong.sum()} of {wrong.size} numbers differ; the first at position "
            f"{self.positions[row]}, channel {channel}: {found[row, channel]:.6g}, not "
            f"{self.turned[row, channel]:.6g}; check_rope names the mistake"
        )


@functools.lru_cache(maxsize=None)
def _vectors() -> dict[str, Any]:
    text = (importlib.resources.files(__package__) / "golden.json").read_text(encoding="utf-8")
    return {one["name"]: one for one in json.loads(text)["vectors"]}


def golden_names() -> list[str]:
    """Names for golden: "llama", "llama 3.1", "gpt-neox yarn" …"""
    return list(_vectors())


def golden(name: str) -> Golden:
    """The vectors of that name."""
    if name not in _vectors():
        raise ValueError(f"{name!r} names no vectors; choose one of {golden_names()}")
    one = _vectors()[name]
    x = np.array(one["x"], dtype=np.float32)
    at = np.array(one["positions"], dtype=np.int64)
    # An angle is rounded relative to its size, and then cos, sin, products and sum by a few units more.
    tolerance = 2.0**-24 * (8 + at[:, None]) * np.abs(x).max()
    turned = np.array(one["turned"], dtype=np.float32)
    return Golden(name, dict(one["settings"]), at, x, turned, tolerance)


@dataclass
class ModelRope:
    """A rope of a model's configuration, and the layers that have it."""

    name: str
    model: Any
    layers: list[int]
    head_dim: int
    inv_freq: np.ndarray  #: [rotary_dims / 2], rad per token

    def check(self, function: Callable[..., Any], **options: Any) -> RopeCheck:
        """Raises AssertionError with the mistake unless function(x, positions) turns vectors as this
        rope does; options are those of check_rope: wrap, dtype, positions …"""
        found = check_rope(
            function, self.model, dim=self.head_dim, layer=self.layers[0], **options
        )
        if not found:
            raise AssertionError(f"{self.name}: {found}")
        return found


def _layers_text(layers: list[int]) -> str:
    """3, 4, 5 and 9 are "3-5,9"; of many runs the first are named."""
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ",".join(texts if len(texts) < 5 else [*texts[:3], "..."])


def ropes_of(model: Any) -> list[ModelRope]:
    """The ropes of a model, each once: of a folder, a config.json, a .gguf or a configuration."""
    seen: dict[str, ModelRope] = {}
    label = ""
    if isinstance(model, (str, os.PathLike)):
        model = pathlib.Path(model)
        label = model.resolve().name
    for layer in positions(model)["layers"]:
        if layer["encoding"] != "rope":
            continue
        turns = ("inv_freq", "pairing", "rotary_begin", "head_dim", "attention_factor", "sections")
        key = json.dumps([layer[name] for name in turns])
        if key not in seen:
            inv_freq = np.array(layer["inv_freq"])
            seen[key] = ModelRope("", model, [], layer["head_dim"], inv_freq)
        seen[key].layers.append(layer["layer"])
    for rope in seen.values():
        rope.name = " ".join(filter(None, [label, "layers", _layers_text(rope.layers)]))
    return list(seen.values())
