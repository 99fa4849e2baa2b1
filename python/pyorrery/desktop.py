"""The desktop, opened as a process of its own: closing its window ends nothing of Python's."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _settings
from ._library import FileError, UsageError, lib


def _program() -> str:
    """orrery-desktop: $ORRERY_DESKTOP, the one installed beside the library, or that of PATH."""
    chosen = os.environ.get("ORRERY_DESKTOP")
    if chosen:
        return chosen
    # A library that was found by its name alone lies in no folder that is known.
    library = pathlib.Path(lib._name)  # pylint: disable=protected-access
    beside = list(library.resolve().parents)[1:3] if library.is_absolute() else []
    for up in beside:
        if (up / "bin" / "orrery-desktop").exists():
            return str(up / "bin" / "orrery-desktop")
    found = shutil.which("orrery-desktop")
    if not found:
        raise FileError(
            "orrery-desktop is not found; install Orrery's programs, or set ORRERY_DESKTOP to the file"
        )
    return found


def _words(
    experiment: str, settings: Mapping[str, Any], arrays: Mapping[str, Any]
) -> list[str]:
    words = ["--view", experiment]
    if arrays:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="orrery-show-"))
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", np.asarray(array))
    for key, value in settings.items():
        value = folder / f"{key}.npy" if key in arrays else _settings.plain(value)
        if isinstance(value, bool):
            value = str(value).lower()
        words.append(f"{key}={value}")
    return words


def show(
    what: Any = None,
    settings: Optional[Mapping[str, Any]] = None,
    *,
    render: Union[None, str, "os.PathLike[str]"] = None,
    **more: Any,
) -> Any:
    """Opens the desktop on a result, an experiment, or the folder or file of one, and returns at once.

    >>> show(run("long_term_decay", dim=128))
    >>> show("attention_map", q=q, k=k, encoding="alibi")

    what     a Result; the name of an experiment, with settings as run takes them; or a path that the
             desktop opens; nothing: as it was left
    render   draws the view into this folder instead, without a display, and returns the PNG files
    Returns the process of the window. Raises UsageError where there is no display.
    """
    words: list[str] = []
    if hasattr(what, "experiment") and hasattr(what, "given"):
        kept = {key: value for key, value in what.settings.items() if value != ""}
        words = _words(what.experiment, kept, what.given)
    elif isinstance(what, os.PathLike) or (isinstance(what, str) and os.path.exists(what)):
        words = [os.path.abspath(what)]
    elif what is not None:
        given = {**(settings or {}), **{key.replace("__", "."): one for key, one in more.items()}}
        arrays = {key: value for key, value in given.items() if _settings.is_array(value)}
        words = _words(str(what), given, arrays)
    if render is not None:
        return _render(words, pathlib.Path(render))
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise UsageError("show: there is no display; draw into a folder: show(…, render=FOLDER)")
    return subprocess.Popen([_program(), *words], start_new_session=True)


def _render(words: list[str], folder: pathlib.Path) -> list[pathlib.Path]:
    command = [_program(), *words, "--no-restore", "--render", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UsageError(done.stderr.strip() or f"orrery-desktop ended with {done.returncode}")
    return sorted(folder.glob("*.png"))
