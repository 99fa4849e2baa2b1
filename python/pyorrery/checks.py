"""Is this rope right? Of a function of one's own, and of a model of Transformers."""

from __future__ import annotations

import functools
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
    """q or k of a layer before and after its position entered, [B, H, N, d].

    name is "x" where not q and k are turned but what they are made of, as in Wav2Vec2-Conformer. A
    layer that a model calls several times has a "q" and a "k" of each time.
    """

    layer: int
    name: str
    before: np.ndarray
    after: np.ndarray
    rows: list[int] = field(default_factory=list)  #: of each forward call, in their order


@dataclass
class _Turned:
    before: Any
    after: Any


@dataclass(eq=False)
class _Visit:
    """What was seen of a layer while it ran once."""

    layer: int
    tokens: int = 0  #: of the forward call; 0: not known
    turned: list[_Turned] = field(default_factory=list)
    sources: list[_Turned] = field(default_factory=list)  #: what q and k are made of
    attended: list[tuple[Any, Any]] = field(default_factory=list)
    numbered: bool = False  #: whether those are of modules that know their layer's number


class capture:  # pylint: disable=invalid-name
    """Records q and k before and after their positions enter, in every layer of a model.

    >>> with capture(model) as seen:
    ...     model(input_ids)
    >>> for one in seen.tensors():
    ...     print(one.layer, one.name, identify(one.before, one.after, expect=model.config,
    ...                                         layer=one.layer))

    Of calls that follow each other, as in decoding with a cache, tokens are joined. It looks at the
    functions apply_rotary… of the model's own modules and classes and at what attention is handed;
    a layer that calls none of them has the same before and after. A layer's number is its
    layer_idx, or else its place in the outermost list of modules. Towers that have a configuration
    of their own, of images say, are left out: they are models to capture by themselves.
    """

    _ROTARY = re.compile(r"^_?apply_.*(rotary|rope)")

    def __init__(self, model: Any):
        self._model = model
        self._undo: list[Callable[[], None]] = []
        self._calls: list[list[_Visit]] = []
        self._tokens = 0
        self._current: list[_Visit] = []
        self._inside = 0

    # -- watching

    def __enter__(self) -> "capture":
        seen = _own_modules(self._model)
        classes = {base for one in seen.values() for base in type(one).__mro__}
        modules = {sys.modules[one.__module__] for one in classes if one.__module__ in sys.modules}
        for owner in (*modules, *classes):
            for name, function in list(vars(owner).items()):
                if self._ROTARY.match(name) and callable(getattr(owner, name)):
                    self._replace(owner, name, self._watched_as(function))
        for module in modules:
            if hasattr(module, "ALL_ATTENTION_FUNCTIONS"):
                functions = module.ALL_ATTENTION_FUNCTIONS
                self._replace(module, "ALL_ATTENTION_FUNCTIONS", _Attentions(functions, self))
        for name, one in seen.items():
            number, own = _layer_number(name, one, seen)
            if number is not None:
                self._hook(one.register_forward_pre_hook(self._enters(number, own)))
                self._hook(one.register_forward_hook(self._leaves, always_call=True))
        self._hook(self._model.register_forward_pre_hook(self._begins, with_kwargs=True))
        return self

    def __exit__(self, *_: Any) -> None:
        while self._undo:
            self._undo.pop()()

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        old = vars(owner)[name]
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, old))

    def _hook(self, handle: Any) -> None:
        self._undo.append(handle.remove)

    def _begins(self, _: Any, args: Any, kwargs: Any) -> None:
        given = [*args, *(kwargs.get(name) for name in ("input_ids", "inputs_embeds"))]
        ids = next((one for one in given if getattr(one, "ndim", 0) >= 2), None)
        self._tokens = 0 if ids is None else ids.shape[1]
        self._current.clear()  # of a call that an error has ended
        self._calls.append([])

    def _enters(self, number: int, own: bool) -> Callable[..., None]:
        def enters(*_: Any) -> None:
            outer = self._current[-1] if self._current else None
            if outer is not None and (not own or outer.layer == number):
                self._current.append(outer)
            else:
                self._current.append(_Visit(number, self._tokens))

        return enters

    def _leaves(self, *_: Any) -> None:
        visit = self._current.pop()
        something = visit.turned or visit.sources or visit.attended
        if something and self._calls and visit not in self._current:
            self._calls[-1].append(visit)

    def _watched_as(self, function: Any) -> Any:
        if isinstance(function, staticmethod):
            return staticmethod(self._watched(function.__func__))
        return self._watched(function)

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        names = _positional(function)

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            given = {**dict(zip((*names, *map(str, range(len(names), len(args)))), args)), **kwargs}
            content = [(name, one) for name, one in given.items() if _is_content(name, one)][:2]
            # What a function changes in place is kept as it was.
            before = [one.detach().clone() for _, one in content]
            self._inside += 1
            try:
                result = function(*args, **kwargs)
            finally:
                self._inside -= 1
            if self._inside == 0 and self._current:
                visit = self._current[-1]
                after = result if isinstance(result, (tuple, list)) else (result,)
                for (name, _), x, y in zip(content, before, after):
                    seen = _Turned(x, y.detach().clone())
                    if name == "hidden_states" and x.ndim == 3:
                        visit.sources.append(seen)
                    else:
                        visit.turned.append(seen)
            return result

        return watched

    def attended(self, module: Any, query: Any, key: Any) -> None:
        """What the attention of the present layer is handed."""
        if not self._current or query.ndim != 4 or key.ndim != 4:
            return
        visit, numbered = self._current[-1], hasattr(module, "layer_idx")
        if numbered and not visit.numbered:
            # Inkling 2 attends over layers, too, by modules that have no number.
            visit.attended.clear()
            visit.numbered = True
        if numbered or not visit.numbered:
            visit.attended.append((query.detach().clone(), key.detach().clone()))

    # -- what was seen

    def tensors(self) -> Iterator[Captured]:
        """q and k of every layer, in the order of the layers."""
        for layer in sorted({visit.layer for call in self._calls for visit in call}):
            calls = [[visit for visit in call if visit.layer == layer] for call in self._calls]
            # The first run of a layer in one forward call goes with the first one in the next.
            for at in range(max(map(len, calls))):
                yield from self._of_visits([visits[at] for visits in calls if at < len(visits)])

    def _of_visits(self, visits: list[_Visit]) -> Iterator[Captured]:
        turned = any(visit.turned for visit in visits)
        for name in ("x",) if any(visit.sources for visit in visits) and not turned else ("q", "k"):
            parts = [part for part in (_part(visit, name) for visit in visits) if part is not None]
            alike = all(_alike(part.after, parts[0].after) for part in parts)
            for together in [parts] if parts and alike else [[part] for part in parts]:
                before, after = _joined(together)
                rows = [part.after.shape[2] for part in together]
                yield Captured(visits[0].layer, name, before, after, rows)


class _Attentions:
    """ALL_ATTENTION_FUNCTIONS of a module, whose functions tell a capture what they are handed."""

    def __init__(self, functions: Any, watcher: capture):
        self._functions, self._watcher = functions, watcher

    def __getattr__(self, name: str) -> Any:
        return getattr(self._functions, name)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def __getitem__(self, name: str) -> Any:
        return self._telling(self._functions[name])

    def get_interface(self, *args: Any, **kwargs: Any) -> Any:
        return self._telling(self._functions.get_interface(*args, **kwargs))

    def _telling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def telling(module: Any, query: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
            self._watcher.attended(module, query, key)
            return function(module, query, key, *args, **kwargs)

        return telling


def _own_modules(model: Any) -> dict[str, Any]:
    """Modules by name, without those of towers, unless it has no attention but theirs."""
    config = getattr(model, "config", None)
    kinds = {type(one) for one in (config, _text_config(config))}
    own: dict[str, bool] = {}  # parents before their parts
    modules = dict(model.named_modules())
    for name, one in modules.items():
        theirs = getattr(one, "config", None)
        if name and hasattr(theirs, "model_type"):
            own[name] = type(theirs) in kinds
        else:
            own[name] = own.get(name.rpartition(".")[0], True)
    found = {name: one for name, one in modules.items() if own[name]}
    return found if any("Attention" in type(one).__name__ for one in found.values()) else modules


def _text_config(config: Any) -> Any:
    """That of the language model; in ColPali it is a part of a part."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    for part in vars(config).values() if text is config and config is not None else ():
        if hasattr(part, "get_text_config") and part.get_text_config() is not part:
            return part.get_text_config()
    return text


def _layer_number(name: str, module: Any, modules: dict[str, Any]) -> tuple[Optional[int], bool]:
    """The layer that a module is or is a part of, and whether it knows that itself."""
    own = getattr(module, "layer_idx", None)
    if isinstance(own, int) and own >= 0:  # a block that layers share, as in Zamba2, has −1
        return own, True
    list_name, _, last = name.rpartition(".")
    if last.isdigit() and type(modules.get(list_name)).__name__ == "ModuleList":
        return int(last), False
    return None, False


def _positional(function: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # one of a compiled kernel
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.name for one in parameters if one.kind in kinds]


_NOT_CONTENT = re.compile(r"cos|sin|freq|pos|rot|rope|mask")


def _is_content(name: str, value: Any) -> bool:
    """Whether it may be q or k, by what functions call them and by its axes."""
    if not hasattr(value, "detach") or value.is_complex() or not value.is_floating_point():
        return False
    return value.ndim in (3, 4) and not _NOT_CONTENT.search(name)


@dataclass
class _Part:
    """q or k of one run of a layer, [B, H, N, d]."""

    before: Any
    after: Any
    handed: Any = None  #: what attention was handed of it


def _handed(visit: _Visit, index: int, tokens: int) -> Any:
    """What attention was handed as q or k: in one call, or in one for each of several windows."""
    if not visit.attended:
        return None
    queries = [pair[0].shape[2] for pair in visit.attended]
    if len(queries) > 1 and queries[0] != tokens and sum(queries) == tokens:
        import torch

        return torch.cat([pair[index] for pair in visit.attended], dim=2)
    return visit.attended[0][index]  # attention to another sequence comes after that to its own


def _part(visit: _Visit, name: str) -> Optional[_Part]:
    if name == "x":
        if not visit.sources:
            return None
        one = visit.sources[0]
        heads = visit.attended[0][0].shape[1] if visit.attended else 1
        return _Part(_of_heads(one.before, heads), _of_heads(one.after, heads))
    index = 0 if name == "q" else 1
    if len(visit.turned) <= index:
        handed = _handed(visit, index, 0)
        return None if handed is None else _Part(handed, handed)
    tokens = _tokens(visit)
    handed = _handed(visit, index, tokens)
    # GPT-J turns k first.
    for one in (visit.turned[index], *visit.turned) if handed is not None else ():
        whole = _whole(_heads_first(one.before, tokens), _heads_first(one.after, tokens), handed)
        if whole is not None:
            return whole
    turned = visit.turned[index]
    before, after = _heads_first(turned.before, tokens), _heads_first(turned.after, tokens)
    if handed is None or handed.shape[2] < tokens or not _alike(handed, after):
        return _Part(before, after)
    return _Part(before, after, handed[:, :, -after.shape[2] :])


def _alike(a: Any, b: Any) -> bool:
    """Whether they differ in tokens at most."""
    return bool(a.shape[:2] == b.shape[:2] and a.shape[-1] == b.shape[-1])


def _whole(before: Any, after: Any, handed: Any) -> Optional[_Part]:
    """Whole heads of this call, where attention is handed just what a function returned, which may
    have been given the channels that turn. Of keys that a cache has joined these are the last,
    unless others follow that were made of several tokens, as in DeepSeek-V4, or unused room."""
    rows, r = after.shape[2:]
    last, width = handed.shape[2] - rows, handed.shape[3] - r
    if handed.shape[:2] != after.shape[:2] or last < 0 or width < 0:
        return None
    for row in range(last, -1, -1):
        theirs = handed[:, :, row : row + rows]
        for channel in dict.fromkeys((0, width)):
            if (theirs[..., channel : channel + r] == after).all():
                if width == 0:
                    return _Part(before, after)
                whole = theirs.clone()
                whole[..., channel : channel + r] = before
                return _Part(whole, theirs)
    return None


def _joined(parts: list[_Part]) -> tuple[np.ndarray, np.ndarray]:
    before = np.concatenate([_numpy(part.before) for part in parts], axis=2)
    after = np.concatenate([_numpy(part.after) for part in parts], axis=2)
    if any(part.handed is None for part in parts):
        return before, after
    handed = np.concatenate([_numpy(part.handed) for part in parts], axis=2)
    return before, after if _scaled(after, handed, _rounding(parts[0].handed)) else handed


def _tokens(visit: _Visit) -> int:
    """How many tokens a call was of, as far as shapes tell."""
    shape = visit.turned[0].before.shape
    if len(shape) == 3:
        return shape[0]
    queries = [query.shape[2] for query, _ in visit.attended]
    if queries:
        return queries[0] if queries[0] in shape[1:3] else sum(queries)
    # Without what attention is handed, the axis of tokens is the one of their number.
    return shape[2] if shape[2] == visit.tokens else shape[1]


def _heads_first(x: Any, tokens: int) -> Any:
    if x.ndim == 3:  # towers of images have tokens, heads and channels
        return x.transpose(0, 1).unsqueeze(0)
    return x if x.shape[2] == tokens else x.transpose(1, 2)


def _of_heads(x: Any, heads: int) -> Any:
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def _numpy(x: Any) -> np.ndarray:
    return x.float().cpu().numpy()  # float32 holds what bf16 and fp16 do


def _rounding(x: Any) -> float:
    import torch

    return float(torch.finfo(x.dtype).eps)


def _scaled(a: np.ndarray, b: np.ndarray, rounding: float) -> bool:
    """Whether b is a with each row and each channel scaled: a temperature, a norm or a learned
    scale after the position is no rotation."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    most = max(1e-3, 2 * rounding) * np.linalg.norm(y)
    channels = np.ones((1, x.shape[1], 1, x.shape[3]))
    # Channels are only told from a rotation by rows that share their scales.
    for _ in range(8 if x.shape[2] >= 8 else 1):
        z = x * channels
        rows = (z * y).sum(-1, keepdims=True) / np.maximum((z * z).sum(-1, keepdims=True), 1e-30)
        if np.linalg.norm(y - rows * z) <= most:
            return True
        z = x * rows
        squares = np.maximum((z * z).sum((0, 2), keepdims=True), 1e-30)
        channels = (z * y).sum((0, 2), keepdims=True) / squares
    return False


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


def _stretches(rows: list[int], expect: Any, layer: int) -> list[tuple[int, int]]:
    """Rows of calls that one rope turns, where frequencies may depend on the length."""
    ends = np.cumsum(rows).tolist()
    if len(ends) < 2:
        return [(0, ends[-1])]
    ropes = {end: _rope_at(expect, layer, end) for end in (ends[0], ends[-1])}
    if ropes[ends[0]] == ropes[ends[-1]]:
        return [(0, ends[-1])]
    stretches: list[tuple[int, int]] = []
    for begin, end in zip([0, *ends], ends):
        ropes[end] = _rope_at(expect, layer, end)
        if stretches and ropes[end] == ropes[begin]:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((begin, end))
    return stretches


def _planned(expect: Any, model: Any) -> dict[int, dict[str, Any]]:
    """What is expected of each layer, by the number that the model gives it."""
    layers = plan_of(expect)["layers"]
    attention = [one for one in layers if one["encoding"] != "not_attention"]
    # Dory's files list attention and MLP as blocks of their own; its code numbers pairs of them.
    if len(attention) == getattr(model.config, "num_hidden_layers", 0):
        return dict(enumerate(attention))
    return {one["layer"]: one for one in layers}


def _rope_at(expect: Any, layer: int, length: int) -> Any:
    found = next(one for one in plan_of(expect, length=length)["layers"] if one["layer"] == layer)
    return found["inv_freq"], found["attention_factor"]


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
    plan = _planned(expect, model)
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
                if one.layer not in plan:
                    continue  # layers of a predictor, say, of which the configuration says nothing
                name = one.name + (" cached" if step_by_step else "")
                layer = plan[one.layer]["layer"]
                for begin, end in _stretches(one.rows, expect, layer):
                    found = identify(
                        one.before[:, :, begin:end],
                        one.after[:, :, begin:end],
                        positions=np.arange(begin, end),
                        expect=expect,
                        layer=layer,
                    )
                    checks.append(LayerCheck(one.layer, name, plan[one.layer]["encoding"], found))
    finally:
        model.train(training)
    return ModelCheck(checks)
