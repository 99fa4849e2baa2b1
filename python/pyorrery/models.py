"""Models: what they do with positions, which rope explains their tensors, and a pass over one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

import numpy as np

from . import _arrays, _settings
from ._library import lib
from .encodings import Encoding
from .results import Result, run


def positions(model: Any, *, length: int = 0) -> dict[str, Any]:
    """What a model does with positions, layer by layer, and why: "layers" (encoding, pairing, base,
    inv_freq, window, reasons …), "assumed"; of an encoder-decoder the other stack's layers, too, as
    "decoder" or "encoder".

    model    a config.json, params.json or .gguf, a folder with one; a configuration as a mapping, or
             of Transformers
    length   of the sequence, by which LongRoPE and dynamic scaling choose; 0: that of the training
    """
    text = _settings.model_text(model)
    return _arrays.found(lambda place: lib.orrery_positions(text, length, place)).json


@dataclass
class Hypothesis:
    """One explanation of a tensor. residual is a root mean square in units of rounding."""

    text: str
    defect: str  #: the name of a known mistake of the expected rope, or ""
    defect_description: str  #: what it computes instead
    defect_source: str  #: where it was reported
    expected: bool
    tied: bool  #: the tensor cannot tell it from the first
    residual: float
    facts: dict[str, str]
    tells: str  #: the input that would tell it from the first
    setting: str  #: words for run and Encoding that compute the same


@dataclass
class Identification:
    """What is known of a tensor that was turned, or of a bias."""

    explained: bool  #: whether the first hypothesis fits to within rounding
    as_expected: Optional[bool]  #: None where nothing was expected
    deviations: list[dict[str, str]]  #: field, expected, found
    hypotheses: list[Hypothesis]
    notes: list[str]
    format: str
    raw: dict[str, Any] = field(repr=False)

    @property
    def best(self) -> Optional[Hypothesis]:
        return self.hypotheses[0] if self.hypotheses else None

    @property
    def rows(self) -> str:
        """Positions that were read off the tensor, "rows 0–23 at 7–30"; "" where they are as told."""
        return str(self.raw["rows"])

    @property
    def defect(self) -> str:
        """The mistake by which the tensor differs from what was expected: a known one's name, or the
        fields that differ; "" where it is as expected or nothing was expected."""
        if self.as_expected is not False:
            return ""
        if not self.explained:
            return "unexplained"
        tied = [one for one in self.hypotheses if one.tied or one is self.best]
        named = [one.defect for one in tied if one.defect]
        if named:
            return named[0]
        return "; ".join(f"{d['field']} {d['found']}, not {d['expected']}" for d in self.deviations)

    def __str__(self) -> str:
        if self.best is None:
            return "nothing is seen of it"
        verdict = "" if self.explained else "nearest, but not within rounding: "
        text = "; ".join(part for part in (verdict + self.best.text, self.rows) if part)
        return f"{text} (expected otherwise: {self.defect})" if self.defect else text


def _hypothesis(json: dict[str, Any]) -> Hypothesis:
    defect = json["defect"] or {"name": "", "description": "", "source": ""}
    return Hypothesis(
        text=json["text"],
        defect=defect["name"],
        defect_description=defect["description"],
        defect_source=defect["source"],
        expected=json["expected"],
        tied=json["tied"],
        residual=json["residual"],
        facts=json["facts"],
        tells=json["tells"],
        setting=json["setting"],
    )


def identify(
    before: Any = None,
    after: Any = None,
    *,
    inv_freq: Any = None,
    cos: Any = None,
    sin: Any = None,
    bias: Any = None,
    q: Any = None,
    k: Any = None,
    logits: Any = None,
    positions: Any = None,
    expect: Any = None,
    layer: int = 0,
    format: Optional[str] = None,  # pylint: disable=redefined-builtin
    tokens_first: bool = False,
    most: int = 6,
    threads: int = 0,
) -> Identification:
    """Which rope, bias or known mistake explains arrays, to within rounding.

    before, after   q or k before and after it is turned, [N, d], [H, N, d] or [B, H, N, d]
    inv_freq        [d/2] alone; cos and sin, [N, d] or [N, d/2]; bias, [(H,) N_q, N_k]; or q, k and
                    logits
    positions       [N], 0 to N − 1 without them
    expect          what should have happened: an Encoding or settings of a rope, or a model, whose
                    layer is meant
    format          "bf16", "fp16", "fp32" or "fp64": what the tensor was rounded to
    """
    settings: dict[str, Any] = {"most": most, "threads": threads}
    if tokens_first:
        settings["tokens_first"] = True
    if format is not None:
        settings["format"] = format
    expected = None
    if isinstance(expect, Encoding):
        expected = expect
    elif is_model(expect):
        settings["expect"] = _settings.model_text(expect).decode()
        settings["layer"] = layer
    elif expect is not None:
        expected = Encoding(expect)
    given = _arrays.GivenMany(
        dict(before=before, after=after, inv_freq=inv_freq, cos=cos, sin=sin, bias=bias, q=q, k=k,
             logits=logits, positions=positions)
    )  # fmt: skip
    handle = expected._handle.pointer if expected else None
    found = _arrays.found(
        lambda place: lib.orrery_identify(
            _settings.text(settings), handle, given.c, given.count, place
        )
    )
    report = found.json["tensors"][0]
    return Identification(
        explained=report["explained"],
        as_expected=report["as_expected"],
        deviations=report["deviations"],
        hypotheses=[_hypothesis(one) for one in report["hypotheses"]],
        notes=report["notes"],
        format=report["format"],
        raw=report,
    )


def is_model(expect: Any) -> bool:
    """Whether it is a configuration or the path of a model, and not settings of a rope."""
    if isinstance(expect, str):
        return "=" not in expect and ("/" in expect or expect.endswith((".json", ".gguf")))
    return expect is not None and (_settings.is_model(expect) or hasattr(expect, "__fspath__"))


@dataclass
class Pass:
    """What forward found."""

    loss: np.ndarray  #: −ln p of each next token, nats, [N − 1]; empty where there are none
    arrays: dict[str, np.ndarray]  #: those that were asked for, read-only
    result: Result  #: all of it: measures, tables, figures

    @property
    def mean_loss(self) -> float:
        return self.result.measures.get("loss", float("nan"))


def forward(
    model: Any,
    tokens: Any = None,
    *,
    arrays: Sequence[str] = (),
    layers: Sequence[int] = (),
    heads: Sequence[int] = (),
    precision: str = "exact_fp32",
    **more: Any,
) -> Pass:
    """A pass over a model on the disk: run("forward", model=…).

    model    a folder with config.json and weights, or a .gguf
    tokens   [N] ids; or text=, a file that the model's own tokenizer reads
    arrays   by name, `orrery describe forward` lists them; of these layers and heads, or of all
    more     other settings: text, length; segments and decoder_tokens, [N]
    """
    settings: dict[str, Any] = {"model": _settings.plain(model), "precision": precision, **more}
    for key, wanted in (("arrays", arrays), ("layers", layers), ("only_heads", heads)):
        if len(wanted):
            settings[key] = "+".join(str(one) for one in wanted)
    if tokens is not None:
        settings["tokens"] = np.asarray(tokens)
    result = run("forward", settings)
    loss = result.tables["loss"]["loss"] if "loss" in result.tables else np.empty(0)
    return Pass(loss=loss, arrays=result.arrays, result=result)
