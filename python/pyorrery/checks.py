"""Is this rope right? Of a function of one's own, and of a model of Transformers."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional

import numpy as np

from . import _settings
from .encodings import Encoding
from .models import Identification, identify, is_model
from .models import positions as plan_of


@dataclass
class RopeCheck:
    """Whether a function turns vectors as it should, and the mistake where it does not."""

    ok: bool
    defect: str  #: "" where it is right
    identification: Identification

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "as expected" if self.ok else f"{self.defect}: it computes {self.identification}"


def _random(shape: tuple, seed: int, dtype: Any) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def check_rope(
    function: Callable[..., Any],
    spec: Any = "rope",
    *,
    dim: int = 64,
    heads: int = 2,
    positions: Any = None,
    dtype: Any = np.float32,
    wrap: Optional[Callable[[np.ndarray], Any]] = None,
    seed: int = 0,
    layer: Optional[int] = None,
    **settings: Any,
) -> RopeCheck:
    """Compares a function with a rope and names its mistake.

    function   called as function(x, positions) with x [heads, N, dim] and positions [N] (int64);
               returns x turned, as NumPy or DLPack has it
    spec       of the rope that it should be: an Encoding, settings, or a model, whose layer is meant
               (its first one with rope without a number)
    positions  [N]; 0 to 47 without them
    wrap       makes of an array what the function takes, torch.from_numpy say

    >>> check_rope(my_rope, "rope", base=5e5, rope__pairing="half_split")
    """
    at = np.arange(48) if positions is None else np.asarray(positions, dtype=np.int64)
    x = _random((heads, len(at), dim), seed, dtype)
    before = x.copy()
    take = wrap or (lambda array: array)
    turned = function(take(x), take(at.copy()))
    if is_model(spec):
        expect, number = spec, _first_rope_layer(spec) if layer is None else layer
    else:
        expect = spec if isinstance(spec, Encoding) else Encoding(spec, **settings)
        number = 0
    found = identify(before, turned, positions=at, expect=expect, layer=number)
    return RopeCheck(bool(found.as_expected), found.defect, found)


def _first_rope_layer(model: Any) -> int:
    for layer in plan_of(model)["layers"]:
        if layer["encoding"] == "rope":
            return layer["layer"]
    raise ValueError("no layer of the model has rope")


# ---- Models of Transformers ---------------------------------------------------------------------


@dataclass
class Captured:
    """q or k of a layer before and after its position entered, [B, H, N, d]."""

    layer: int
    name: str
    before: np.ndarray
    after: np.ndarray


@dataclass
class _Turned:
    before: Any
    after: Any


@dataclass
class _Layer:
    """What was seen of one layer in one forward call."""

    tokens: int = 0  #: of the call; 0: not known
    turned: list[_Turned] = field(default_factory=list)
    attended: dict[str, Any] = field(default_factory=dict)


class capture:  # pylint: disable=invalid-name
    """Records q and k before and after their positions enter, in every layer of a model.

    >>> with capture(model) as seen:
    ...     model(input_ids)
    >>> for one in seen.tensors():
    ...     print(one.layer, one.name, identify(one.before, one.after, expect=model.config,
    ...                                         layer=one.layer))

    Of calls that follow each other, as in decoding with a cache, tokens are joined. It looks at the
    functions apply_rotary… of the model's own module and at what attention is handed; a layer that
    calls none of them has the same before and after.
    """

    _ROTARY = re.compile(r"^_?apply_(?!.*vision).*rotary.*")

    def __init__(self, model: Any):
        self._model = model
        self._undo: list[Callable[[], None]] = []
        self._calls: list[dict[int, _Layer]] = []
        self._tokens = 0
        self._current: list[int] = []
        self._inside = 0

    # -- watching

    def __enter__(self) -> "capture":
        modules = {sys.modules[type(one).__module__] for one in self._model.modules()}
        for module in modules:
            for name, function in list(vars(module).items()):
                if callable(function) and self._ROTARY.match(name):
                    self._replace(module, name, self._watched(function))
            if hasattr(module, "ALL_ATTENTION_FUNCTIONS"):
                functions = module.ALL_ATTENTION_FUNCTIONS
                self._replace(module, "ALL_ATTENTION_FUNCTIONS", _Attentions(functions, self))
        for one in self._model.modules():
            if isinstance(getattr(one, "layer_idx", None), int):
                self._hook(one.register_forward_pre_hook(self._enters(one.layer_idx)))
                self._hook(one.register_forward_hook(self._leaves))
        self._hook(self._model.register_forward_pre_hook(self._begins, with_kwargs=True))
        return self

    def __exit__(self, *_: Any) -> None:
        while self._undo:
            self._undo.pop()()

    def _replace(self, module: Any, name: str, value: Any) -> None:
        old = getattr(module, name)
        setattr(module, name, value)
        self._undo.append(lambda: setattr(module, name, old))

    def _hook(self, handle: Any) -> None:
        self._undo.append(handle.remove)

    def _begins(self, _: Any, args: Any, kwargs: Any) -> None:
        given = [*args, *(kwargs.get(name) for name in ("input_ids", "inputs_embeds"))]
        ids = next((one for one in given if getattr(one, "ndim", 0) >= 2), None)
        self._tokens = 0 if ids is None else ids.shape[1]
        self._calls.append({})

    def _enters(self, layer: int) -> Callable[..., None]:
        return lambda *_: self._current.append(layer)

    def _leaves(self, *_: Any) -> None:
        self._current.pop()

    def _layer(self) -> Optional[_Layer]:
        if not self._current or not self._calls:
            return None
        return self._calls[-1].setdefault(self._current[-1], _Layer(self._tokens))

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            tensors = [one for one in args if _is_content(one)]
            # What a function changes in place is kept as it was.
            before = [one.detach().clone() for one in tensors[:2]]
            self._inside += 1
            try:
                result = function(*args, **kwargs)
            finally:
                self._inside -= 1
            layer = self._layer()
            if self._inside == 0 and layer is not None:
                after = result if isinstance(result, (tuple, list)) else (result,)
                for x, y in zip(before, after):
                    layer.turned.append(_Turned(x, y.detach().clone()))
            return result

        return watched

    def attended(self, query: Any, key: Any) -> None:
        """What the attention of the present layer is handed."""
        layer = self._layer()
        if layer is not None:
            layer.attended = {"q": query.detach().clone(), "k": key.detach().clone()}

    # -- what was seen

    def tensors(self) -> Iterator[Captured]:
        """q and k of every layer, in the order of the layers."""
        for layer in sorted({number for call in self._calls for number in call}):
            seen = [call[layer] for call in self._calls if layer in call]
            for name in ("q", "k"):
                parts = [part for one in seen for part in self._parts(one, name)]
                if parts:
                    before = np.concatenate([_numpy(x) for x, _ in parts], axis=2)
                    after = np.concatenate([_numpy(y) for _, y in parts], axis=2)
                    yield Captured(layer, name, before, after)

    def _parts(self, layer: _Layer, name: str) -> list[tuple[Any, Any]]:
        index = 0 if name == "q" else 1
        handed = layer.attended.get(name)
        if len(layer.turned) <= index:
            return [] if handed is None else [(handed, handed)]
        turned = layer.turned[index]
        tokens = _tokens(layer)
        before, after = _heads_first(turned.before, tokens), _heads_first(turned.after, tokens)
        if handed is None:
            return [(before, after)]
        # Of keys that a cache has joined, the last are this call's.
        handed = handed[:, :, -after.shape[2] :]
        if handed.shape[1] != after.shape[1]:
            return [(before, after)]
        if after.shape[-1] < handed.shape[-1]:
            return [_widened(before, after, handed)]
        return [(before, after if _proportional(after, handed) else handed)]


class _Attentions:
    """ALL_ATTENTION_FUNCTIONS of a module, whose functions tell a capture what they are handed."""

    def __init__(self, functions: Any, watcher: capture):
        self._functions, self._watcher = functions, watcher

    def __getattr__(self, name: str) -> Any:
        return getattr(self._functions, name)

    def __getitem__(self, name: str) -> Any:
        return self._telling(self._functions[name])

    def get_interface(self, *args: Any, **kwargs: Any) -> Any:
        return self._telling(self._functions.get_interface(*args, **kwargs))

    def _telling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def telling(module: Any, query: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
            self._watcher.attended(query, key)
            return function(module, query, key, *args, **kwargs)

        return telling


def _is_content(value: Any) -> bool:
    """Whether it may be q or k: cos and sin have no axis of heads."""
    return hasattr(value, "detach") and value.ndim == 4 and not value.is_complex()


def _tokens(layer: _Layer) -> int:
    """How many tokens a call was of, as far as shapes tell."""
    if "q" in layer.attended:
        return layer.attended["q"].shape[2]
    # Without what attention is handed, the axis of tokens is the one of their number.
    shape = layer.turned[0].before.shape
    return shape[2] if shape[2] == layer.tokens else shape[1]


def _heads_first(x: Any, tokens: int) -> Any:
    return x if x.shape[2] == tokens else x.transpose(1, 2)


def _numpy(x: Any) -> np.ndarray:
    return x.float().cpu().numpy()  # float32 holds what bf16 and fp16 do


def _proportional(a: Any, b: Any) -> bool:
    """Whether rows of b are multiples of those of a: a temperature is no rotation."""
    x, y = a.double(), b.double()
    factor = (x * y).sum(-1, keepdim=True) / (x * x).sum(-1, keepdim=True).clamp_min(1e-30)
    return bool(((y - factor * x).norm() <= 1e-3 * y.norm()).item())


def _widened(before: Any, after: Any, handed: Any) -> tuple[Any, Any]:
    """Whole heads, where a function was given the channels that turn."""
    r = after.shape[-1]
    for begin in (0, handed.shape[-1] - r):
        if (handed[..., begin : begin + r] == after).all():
            whole = handed.clone()
            whole[..., begin : begin + r] = before
            return whole, handed
    return before, after


@dataclass
class LayerCheck:
    """What was found of q or k of one layer."""

    layer: int
    name: str
    encoding: str  #: what the configuration says: "rope", "nope" …
    identification: Identification

    @property
    def ok(self) -> bool:
        # None: the configuration names no encoding, and nothing is expected of it.
        return self.identification.as_expected is not False

    @property
    def defect(self) -> str:
        return self.identification.defect


@dataclass
class ModelCheck:
    """Whether a model turns q and k as its configuration says, layer by layer."""

    layers: list[LayerCheck]

    @property
    def ok(self) -> bool:
        return bool(self.layers) and all(one.ok for one in self.layers)

    @property
    def defects(self) -> list[str]:
        """The mistakes, each once, those of most tensors first."""
        found = [one.defect for one in self.layers if not one.ok]
        return sorted(set(found), key=lambda defect: (-found.count(defect), defect))

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return f"{len(self.layers)} tensors are as the configuration says"
        wrong = [one for one in self.layers if not one.ok]
        lines = [f"layer {one.layer} {one.name}: {one.defect}" for one in wrong]
        return "\n".join(lines or ["no layer was seen"])


def _tokens_of(model: Any, count: int, seed: int) -> Any:
    import torch

    vocabulary = getattr(model.config, "vocab_size", None)
    if vocabulary is None:
        vocabulary = model.config.get_text_config().vocab_size
    generator = torch.Generator().manual_seed(seed)
    device = next(model.parameters()).device
    return torch.randint(0, vocabulary, (1, count), generator=generator).to(device)


def _decode(model: Any, tokens: Any, prompt: int) -> None:
    """The prompt at once, and then token by token with a cache."""
    taken = inspect.signature(model.forward).parameters
    name = "cache" if "cache" in taken else "past_key_values"  # before Transformers 5.40
    out = model(tokens[:, :prompt], use_cache=True)
    if name not in out and "past_key_values" not in out:
        return  # a model without a cache
    for at in range(prompt, tokens.shape[1]):
        cache = out[name] if name in out else out["past_key_values"]
        out = model(tokens[:, at : at + 1], use_cache=True, **{name: cache})


def _whole_heads(seen: Captured, layer: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Where only the channels that turn were seen, as in GPT-J, zeros stand for the others."""
    d, r = layer["head_dim"], seen.before.shape[-1]
    if layer["encoding"] != "rope" or d is None or r >= d or r != layer["rotary_dims"]:
        return seen.before, seen.after
    begin = layer["rotary_begin"]
    margin = [(0, 0)] * 3 + [(begin, d - r - begin)]
    return np.pad(seen.before, margin), np.pad(seen.after, margin)


def check_model(
    model: Any,
    *,
    config: Any = None,
    tokens: int = 48,
    cached: bool = True,
    seed: int = 0,
) -> ModelCheck:
    """Whether a model of Transformers turns q and k as its configuration says, and which mistake it
    makes.

    model    of PyTorch; it is run over random tokens, without gradients
    config   what should have happened, where that is not model.config
    tokens   in the sequence
    cached   whether half of them are decoded one by one with a cache, as well
    """
    import torch

    ids = _tokens_of(model, tokens, seed)
    expect = model.config if config is None else config
    plan = {one["layer"]: one for one in plan_of(expect)["layers"]}
    checks = []
    training = model.training
    model.eval()
    try:
        for step_by_step in (False, True) if cached else (False,):
            with torch.no_grad(), capture(model) as seen:
                if step_by_step:
                    _decode(model, ids, tokens // 2)
                else:
                    model(ids)
            for one in seen.tensors():
                layer = plan[one.layer]
                before, after = _whole_heads(one, layer)
                found = identify(before, after, expect=expect, layer=one.layer)
                name = one.name + (" cached" if step_by_step else "")
                checks.append(LayerCheck(one.layer, name, layer["encoding"], found))
    finally:
        model.train(training)
    return ModelCheck(checks)
