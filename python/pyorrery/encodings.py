"""Position encodings applied to arrays: q, k, biases, attention."""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Any, Mapping, Optional

import numpy as np

from . import _arrays, _settings
from ._library import Handle, Telling, Told, UsageError, check, lib


class Encoding:
    """An encoding with its settings and tables, made once and applied often.

    >>> rope = Encoding("rope", base=5e5, rope__pairing="half_split")
    >>> q_turned = rope.apply(q, positions)      # [N, d], [heads, N, d] or [batch, heads, N, d]

    spec      "rope"; "encoding=rope base=5e5"; or a mapping with these keys. Further settings are
              keyword arguments, with two underscores for a dot: rope__scaling="yarn".
    tables    what it looks up, by the names that describe(encoding) lists; those that are missing
              are drawn by seed
    Raises UsageError for a setting that is unknown, out of range or not read.
    """

    def __init__(
        self,
        spec: _settings.Spec = "rope",
        *,
        tables: Optional[Mapping[str, Any]] = None,
        **settings: Any,
    ):
        given = _arrays.GivenMany(dict(tables or {}))
        place = ctypes.c_void_p()
        words = _settings.text(_settings.of_spec(spec, settings))
        check(lib.orrery_encoding_create(words, given.c, given.count, ctypes.byref(place)))
        self._handle = Handle(place, lib.orrery_encoding_destroy)

    @functools.cached_property
    def _described(self) -> dict[str, Any]:
        pointer = self._handle.pointer
        return _arrays.found(lambda place: lib.orrery_encoding_settings(pointer, place)).json

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting that is read, with its value."""
        return dict(self._described["settings"])

    @property
    def arithmetic(self) -> str:
        """"fp64" or "fp32": what is computed in, whatever the types of arrays."""
        return self._described["arithmetic"]

    def apply(self, x: Any, positions: Any = None, *, dtype: Any = None) -> np.ndarray:
        """x with the encoding applied at its positions: x + p, or rotated queries (keys with
        side="keys"), in the shape of x.

        x           [N, d], [heads, N, d] or [batch, heads, N, d], any type, order and strides
        positions   [N] whole numbers; 0 to N − 1 without them
        dtype       of the result, to which it is rounded once; that of x without it. NumPy has no
                    bfloat16, of which the result is float32, and not rounded further
        """
        given = _arrays.Given("x", x)
        at = _arrays.optional("positions", positions)
        result, out = _arrays.out_array(given.shape, _arrays.floating_dtype(given, dtype))
        check(
            lib.orrery_apply(
                self._handle.pointer, given.argument(), _arrays.argument(at), out.argument()
            )
        )
        return result

    def bias(self, m: Any, n: Any = None, *, dtype: Any = np.float64) -> np.ndarray:
        """What it adds to the logits of every content, [heads, N_q, N_k], heads as set.

        m, n   positions of queries and keys, [N_q] and [N_k]; n is m without it. A number stands for
               0 to it − 1
        Raises UsageError for an encoding that adds none, or whose terms depend on contents.
        """
        queries = _arrays.Given("m", _positions(m))
        keys = queries if n is None else _arrays.Given("n", _positions(n))
        heads = int(self.settings.get("heads", 1))
        result, out = _arrays.out_array((heads, *queries.shape, *keys.shape), dtype)
        check(
            lib.orrery_bias(
                self._handle.pointer, queries.argument(), keys.argument(), out.argument()
            )
        )
        return result

    def constants(self, positions: Any = None) -> dict[str, np.ndarray]:
        """Columns by name: theta [d/2] in rad per token with its wavelength, or the slope of each
        head, or the rows of its table that positions look up."""
        at = _arrays.optional("positions", None if positions is None else _positions(positions))
        pointer = self._handle.pointer
        found = _arrays.found(
            lambda place: lib.orrery_constants(pointer, _arrays.argument(at), place)
        )
        return {name: array.copy() for name, array in found.arrays.items()}

    def __repr__(self) -> str:
        words = " ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"<Encoding {words}; {self.arithmetic}>"


def _positions(value: Any) -> Any:
    return np.arange(value) if isinstance(value, (int, np.integer)) else value


@functools.lru_cache(maxsize=64)
def _remembered(words: bytes) -> Encoding:
    import json  # of the words, which are a key here

    return Encoding(json.loads(words))


def _encoding(spec: Any, tables: Any, settings: Mapping[str, Any]) -> Encoding:
    if isinstance(spec, Encoding):
        if tables or settings:
            raise ValueError("an Encoding has its settings: give others to a new one")
        return spec
    if tables:
        return Encoding(spec, tables=tables, **settings)
    return _remembered(_settings.text(_settings.of_spec(spec, settings)))


def apply(
    x: Any,
    spec: _settings.Spec | Encoding = "rope",
    positions: Any = None,
    *,
    tables: Optional[Mapping[str, Any]] = None,
    dtype: Any = None,
    **settings: Any,
) -> np.ndarray:
    """x with an encoding applied: see Encoding.apply.

    >>> apply(q, "rope", positions, base=5e5)
    """
    return _encoding(spec, tables, settings).apply(x, positions, dtype=dtype)


def bias(
    spec: _settings.Spec | Encoding,
    m: Any,
    n: Any = None,
    *,
    tables: Optional[Mapping[str, Any]] = None,
    dtype: Any = np.float64,
    **settings: Any,
) -> np.ndarray:
    """What an encoding adds to logits, [heads, N_q, N_k]: see Encoding.bias.

    >>> bias("alibi", 128, heads=8)
    """
    return _encoding(spec, tables, settings).bias(m, n, dtype=dtype)


def rope_frequencies(
    spec: Any = "rope", *, layer: int = 0, length: int = 0, **settings: Any
) -> np.ndarray:
    """theta (inv_freq), rad per token, [rotary_dims / 2], the fastest first, float64.

    spec    of a rope; or a model (a path, a configuration as a mapping, or one of Transformers),
            whose layer is meant, at sequences of that length where its scaling asks
    """
    if _settings.is_model(spec) or (isinstance(spec, str) and spec.endswith((".json", ".gguf"))):
        from .models import positions

        layers = {one["layer"]: one for one in positions(spec, length=length)["layers"]}
        if layer not in layers:
            raise ValueError(f"layer {layer}: the model has {len(layers)} layers")
        return np.array(layers[layer]["inv_freq"])
    return _encoding(spec, None, settings).constants()["theta"]


@dataclass
class Attention:
    """What attend found. Arrays of one head are [N_q, N_k] and [N_q, d_v]; of several [heads, …];
    of a batch [batch, heads, …]. Read-only, in C order, float64 or float32 as computed."""

    output: np.ndarray
    logits: Optional[np.ndarray]
    weights: Optional[np.ndarray]
    terms: dict[str, np.ndarray]  #: named summands of the logits, "content" among them
    arrays: dict[str, np.ndarray]  #: all of them by name
    report: dict[str, Any]  #: rows that are unusual, notes, settings and arithmetic


def attend(
    q: Any = None,
    k: Any = None,
    v: Any = None,
    spec: _settings.Spec = "rope",
    *,
    x: Any = None,
    mask: Any = None,
    padding: Any = None,
    segments: Any = None,
    positions: Any = None,
    query_positions: Any = None,
    tables: Optional[Mapping[str, Any]] = None,
    arrays: Optional[list[str]] = None,
    progress: Told = None,
    **settings: Any,
) -> Attention:
    """Softmax or linear attention with a position encoding.

    q, k, v    [N, d], [heads, N, d] or [batch, heads, N, d]; k and v may have fewer heads
    x          [N, d_model] or [batch, N, d_model] in place of them, projected by W_q, W_k, W_v of
               tables
    mask       [N_q, N_k], additive or true where seen; padding, segments [N_k]
    positions, query_positions    [N_k], [N_q]; queries are the last of the keys without theirs
    arrays     of "logits", "weights", "terms" those that are wanted; all without it
    progress   called with a fraction and a word; False stops it

    >>> attend(q, k, v, "alibi", causal=True).weights
    """
    words = _settings.of_spec(spec, settings)
    if arrays is not None:
        words["arrays"] = "+".join(arrays)
    named = dict(q=q, k=k, v=v, x=x, mask=mask, padding=padding, segments=segments)
    named.update(positions=positions, query_positions=query_positions, **dict(tables or {}))
    if all(named[name] is None for name in ("q", "k", "v", "x")):
        raise UsageError("no q: attention needs q and k, or x")
    given = _arrays.GivenMany(named)
    telling = Telling(progress)
    found = _arrays.found(
        lambda place: lib.orrery_run(
            b"attend", _settings.text(words), given.c, given.count, telling.argument(), place
        ),
        telling.check,
    )
    # Those that its figure alone shows are left out.
    arrays_found = {one["name"]: found.arrays[one["name"]] for one in found.json["arrays"]}
    terms = {
        name[len("term_") :]: array
        for name, array in arrays_found.items()
        if name.startswith("term_")
    }
    return Attention(
        output=arrays_found["output"],
        logits=arrays_found.get("logits"),
        weights=arrays_found.get("weights"),
        terms=terms,
        arrays=arrays_found,
        report=_report(found),
    )


_COUNTED = (
    "fully_masked_rows",
    "nan_rows",
    "overflowed_rows",
    "overflowed_layer_rows",
    "zero_normalizers",
    "infinite_normalizers",
    "nan_normalizers",
)


def _report(found: _arrays.Found) -> dict[str, Any]:
    counted = {one["name"]: int(one["value"]) for one in found.json["scalars"]}
    notes = [table["columns"][0]["values"] for table in found.json["tables"]]
    single = found.arrays["output"].dtype == np.float32
    return {
        **{name: counted.get(name, 0) for name in _COUNTED},
        "notes": [note for column in notes for note in column],
        "settings": found.json["provenance"]["params"],
        "arithmetic": "fp32" if single else "fp64",
    }
