"""Experiments: one point, sweeps of many, and the claims of the papers."""

from __future__ import annotations

import concurrent.futures
import ctypes
import math
import os
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Union

import numpy as np

from . import _arrays, _settings
from ._library import Telling, Told, UsageError, check, lib


@dataclass
class Check:
    """A claim with its number: statement (equation): measured ≤ bound."""

    name: str
    statement: str
    equation: str
    measured: float
    relation: str
    bound: float
    holds: bool


@dataclass
class Curve:
    """A curve of a figure. A NaN in y is a gap; low and high are a band of spread, or empty."""

    name: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _numbers(values: list) -> np.ndarray:
    return np.array([_number(value) for value in values], dtype=np.float64)


def _check(json: Mapping[str, Any]) -> Check:
    return Check(
        name=json["name"],
        statement=json["statement"],
        equation=json["equation"],
        measured=_number(json["measured"]),
        relation=json["relation"],
        bound=_number(json["bound"]),
        holds=json["holds"],
    )


def _key(scalar: Mapping[str, Any]) -> str:
    return f"{scalar['name']}[{scalar['pipeline']}]" if scalar.get("pipeline") else scalar["name"]


class Result:
    """What an experiment found. In a notebook it shows its first figure.

    measures    numbers by name
    checks      claims with their numbers
    curves      by figure, and there by name: Curve
    tables      by name: columns by name
    arrays      by name, read-only
    figures     ids, for svg, png and plot
    settings    every setting that was read, with its value
    given       arrays that stood for files, by setting
    """

    def __init__(self, found: _arrays.Found, given: Optional[Mapping[str, Any]] = None):
        self._found = found
        self.given = dict(given or {})
        self.raw: dict[str, Any] = found.json
        self.experiment: str = self.raw["provenance"]["experiment"]
        self.settings: dict[str, Any] = self.raw["provenance"]["params"]
        self.measures = {_key(s): _number(s["value"]) for s in self.raw["scalars"]}
        self.checks = [_check(one) for one in self.raw["checks"]]
        self.arrays = found.arrays
        self.figures: list[str] = [one["id"] for one in self.raw["figures"]]
        self.notes: list[str] = self.raw["notes"]
        self._drawn = {one["id"]: one for one in self.raw["drawn"]}

    @property
    def curves(self) -> dict[str, dict[str, Curve]]:
        return {
            id: {
                series["name"]: Curve(
                    series["name"],
                    _numbers(series["x"]),
                    _numbers(series["y"]),
                    _numbers(series["band_low"]),
                    _numbers(series["band_high"]),
                )
                for series in drawn["content"]["series"]
            }
            for id, drawn in self._drawn.items()
            if drawn["kind"] == "lines"
        }

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        return {
            table["name"]: {
                column["name"]: _numbers(column["values"])
                if column["type"] == "number"
                else column["values"]
                for column in table["columns"]
            }
            for table in self.raw["tables"]
        }

    def to_pandas(self) -> Any:
        """All curves in long form: figure, curve, x, y, low, high."""
        import pandas

        rows = []
        for figure, curves in self.curves.items():
            for curve in curves.values():
                band = len(curve.low) == len(curve.y)
                for i, (x, y) in enumerate(zip(curve.x, curve.y)):
                    low, high = (curve.low[i], curve.high[i]) if band else (np.nan, np.nan)
                    rows.append((figure, curve.name, x, y, low, high))
        return pandas.DataFrame(rows, columns=["figure", "curve", "x", "y", "low", "high"])

    def _draw(self, figure: Optional[str], settings: Mapping[str, Any]) -> bytes:
        place, size = ctypes.c_void_p(), ctypes.c_size_t()
        name = None if figure is None else figure.encode()
        words = _settings.text(_settings.keyed(settings))
        handle = self._found.handle.pointer
        check(lib.orrery_draw(handle, name, words, ctypes.byref(place), ctypes.byref(size)))
        try:
            return ctypes.string_at(place, size.value)
        finally:
            lib.orrery_free(place)

    def svg(self, figure: Optional[str] = None, **look: Any) -> str:
        """A figure as the program draws it; the first without a name. look: theme ("light", "dark",
        "print"), width and height in points."""
        return self._draw(figure, {**look, "format": "svg"}).decode()

    def png(self, figure: Optional[str] = None, **look: Any) -> bytes:
        """The same as the bytes of a PNG, with scale pixels per point."""
        return self._draw(figure, {**look, "format": "png"})

    def plot(self, figure: Optional[str] = None, ax: Any = None) -> Any:
        """Draws a figure of curves or a map on axes of matplotlib, and returns them."""
        import matplotlib.pyplot

        id = self.figures[0] if figure is None else figure
        if id not in self._drawn:
            raise ValueError(f"{id!r} is no figure of this result; choose one of {self.figures}")
        drawn = self._drawn[id]
        if drawn["kind"] not in ("lines", "heatmap"):
            raise ValueError(f"{id!r} is of {drawn['kind']}: draw it with svg() or png()")
        if ax is None:
            ax = matplotlib.pyplot.subplots()[1]
        content = drawn["content"]
        if drawn["kind"] == "lines":
            self._plot_lines(id, content, ax)
        else:
            self._plot_map(content, ax)
        for side, axis in (("x", content["x"]), ("y", content["y"])):
            unit = f" [{axis['unit']}]" if axis["unit"] else ""
            getattr(ax, f"set_{side}label")(axis["label"] + unit)
        ax.set_title(drawn["title"])
        return ax

    def _plot_lines(self, figure: str, content: Mapping[str, Any], ax: Any) -> None:
        for curve in self.curves[figure].values():
            (line,) = ax.plot(curve.x, curve.y, label=curve.name)
            if len(curve.low):
                ax.fill_between(curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.2)
        for side, axis in (("x", content["x"]), ("y", content["y"])):
            scale = {"log2": "log", "log10": "log"}.get(axis["scale"], axis["scale"])
            options = {"base": 2} if axis["scale"] == "log2" else {}
            if scale == "symlog":
                options = {"linthresh": axis["symlog_threshold"]}
            getattr(ax, f"set_{side}scale")(scale, **options)
        ax.legend()

    def _plot_map(self, content: Mapping[str, Any], ax: Any) -> None:
        values = np.array(self.arrays[content["values"]["file"]])
        if content["masked"] is not None:
            values = np.ma.masked_where(self.arrays[content["masked"]["file"]] != 0, values)
        image = ax.imshow(values, aspect="auto", interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label=content["quantity"])

    def show(self, **options: Any) -> Any:
        """Opens it on the desktop, in a process of its own: see show."""
        from .desktop import show

        return show(self, **options)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = {"text/plain": str(self)}
        if self.figures:
            bundle["image/svg+xml"] = self.svg()
        return bundle

    def __str__(self) -> str:
        lines = [self.experiment]
        lines += [f"  {name}  {value:.6g}" for name, value in self.measures.items()]
        lines += [f"  {'holds' if c.holds else 'FAILS'}  {c.statement}" for c in self.checks]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Result of {self.experiment}: {len(self.measures)} measures, figures {self.figures}>"


def run(
    experiment: str,
    settings: Optional[Mapping[str, Any]] = None,
    *,
    progress: Told = None,
    **more: Any,
) -> Result:
    """One point of an experiment or preset, as `orrery run`.

    >>> run("long_term_decay", dim=128, base=1e4).curves["decay_bound"]["B_m"].y

    settings    by key; keyword arguments are the same, with two underscores for a dot. An array
                stands for a file: run("attention_map", q=q, k=k)
    progress    called with a fraction and a word; False stops it
    """
    words, arrays = {}, {}
    for key, value in {**(settings or {}), **_settings.keyed(_without_arrays(more))}.items():
        words[key] = _settings.plain(value)
    for key, value in {**(settings or {}), **more}.items():
        if _settings.is_array(value):
            arrays[key.replace("__", ".")] = value
            words.pop(key, None)
    given = _arrays.GivenMany(arrays)
    telling = Telling(progress)
    name = os.fspath(experiment).encode()
    found = _arrays.found(
        lambda place: lib.orrery_run(
            name, _settings.text(words), given.c, given.count, telling.argument(), place
        ),
        telling.check,
    )
    return Result(found, arrays)


def _without_arrays(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if not _settings.is_array(value)}


@dataclass
class Point:
    """A point of a sweep: its swept settings, and its result or what went wrong."""

    swept: dict[str, Any]
    repeat: int
    result: Optional[Result]
    error: Optional[Exception]


class Sweep:
    """The points of a sweep, in order."""

    def __init__(self, experiment: str, points: list[Point]):
        self.experiment = experiment
        self.points = points

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Each point's swept settings and measures; those that failed have "error"."""
        rows = []
        for point in self.points:
            row = {**point.swept, "repeat": point.repeat}
            if point.result is not None:
                row.update(point.result.measures)
            else:
                row["error"] = str(point.error)
            rows.append(row)
        return rows

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.rows)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        failed = sum(point.result is None for point in self.points)
        return f"<Sweep of {self.experiment}: {len(self)} points, {failed} failed>"


MOST_POINTS = 1_000_000


def _require_few_points(values: list[Any]) -> None:
    """Before a range of a billion becomes a list."""
    points = math.prod(
        value.size if isinstance(value, np.ndarray) else len(value)
        for value in values
        if isinstance(value, (list, tuple, range, np.ndarray))
    )
    if points > MOST_POINTS:
        raise UsageError(f"{points} points: a sweep has at most {MOST_POINTS}; give fewer values, or sweeps one by one")


def sweep(
    experiment: str,
    settings: Optional[Mapping[str, Any]] = None,
    *,
    threads: int = 0,
    progress: Told = None,
    **more: Any,
) -> Sweep:
    """All combinations of settings, as `orrery sweep`, in memory. A list has several values.

    >>> sweep("long_term_decay", dim=[64, 128], base=[1e4, 5e5]).to_pandas()

    threads     points computed at a time; 0: all cores. A point that fails is recorded
    progress    called with a fraction and a label; False stops it
    """
    _require_few_points([*(settings or {}).values(), *more.values()])
    words = {key: _settings.plain(value) for key, value in (settings or {}).items()}
    words.update(_settings.keyed(more))
    name = os.fspath(experiment).encode()
    plan = _arrays.found(lambda place: lib.orrery_points(name, _settings.text(words), place)).json
    stop = False

    def compute(json: Mapping[str, Any]) -> Point:
        try:
            result = run(plan["experiment"], json["settings"], progress=lambda *_: not stop)
            return Point(json["swept"], json["repeat"], result, None)
        except Exception as error:  # pylint: disable=broad-except
            return Point(json["swept"], json["repeat"], None, error)

    points = []
    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        try:
            for json, point in zip(plan["points"], pool.map(compute, plan["points"])):
                points.append(point)
                if progress and progress(len(points) / len(plan["points"]), json["label"]) is False:
                    break
        finally:
            stop = True
            pool.shutdown(cancel_futures=True)
    return Sweep(plan["experiment"], points)


def verify(
    *, seed: int = 0, draws: int = 4, only: str = "", progress: Told = None
) -> list[dict[str, Any]]:
    """The claims of RoFormer and the papers it cites with their measured numbers, as
    `orrery verify`: name, kind, equation, statement, measured, bound, holds …

    only   part of a name, statement or equation
    """
    words: dict[str, Any] = {"seed": seed, "draws": draws}
    if only:
        words["only"] = only
    telling = Telling(progress)
    return _arrays.found(
        lambda place: lib.orrery_verify(_settings.text(words), telling.argument(), place),
        telling.check,
    ).json


def describe(name: str) -> dict[str, Any]:
    """An experiment, an encoding or a preset: its parameters with ranges, defaults and choices."""
    return _arrays.found(lambda place: lib.orrery_describe(name.encode(), place)).json


def names(what: str = "all") -> dict[str, list[str]]:
    """Names of "experiments", "encodings" and "presets", or of one of these."""
    found = _arrays.found(lambda place: lib.orrery_list(what.encode(), place)).json
    return {kind: [next(iter(one.values())) for one in many] for kind, many in found.items()}


def load_plugin(file: Union[str, os.PathLike[str]]) -> None:
    """Adds the encodings of a plug-in (`orrery help plugins`) to this process, for good. To be
    called before anything that reads names of encodings."""
    check(lib.orrery_load_plugin(os.fsencode(os.path.abspath(file))))
