"""liborrery by ctypes: its functions, their errors, and its results."""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Callable, Optional

ABI_VERSION = 1
MAX_RANK = 4


class OrreryError(Exception):
    """What Orrery refuses. The text has three parts: the value, the rule it breaks, the remedy."""


class UsageError(OrreryError, ValueError):
    """A setting, a key or a name."""


class DataError(OrreryError, ValueError):
    """An array, or what a file holds."""


class FileError(OrreryError, OSError):
    """A file that cannot be read, or too little memory."""


class NotFiniteError(OrreryError, ArithmeticError):
    """A computation gave an infinity or a NaN."""


class Stopped(OrreryError):
    """The progress callback asked for it."""


class Bug(OrreryError, RuntimeError):
    """An assumption of Orrery's own is broken: please report it."""


_ERRORS = {1: Bug, 2: UsageError, 3: DataError, 4: FileError, 5: NotFiniteError, 130: Stopped}


class CArray(ctypes.Structure):
    """orrery_array."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
    ]


_UPDATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p)


class CProgress(ctypes.Structure):
    """orrery_progress."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("update", _UPDATE), ("user", ctypes.c_void_p)]


def _candidates() -> list[str]:
    chosen = os.environ.get("ORRERY_LIBRARY")
    if chosen:
        return [chosen]
    bundled = pathlib.Path(__file__).parent / "lib" / f"liborrery.so.{ABI_VERSION}"
    return [str(bundled)] * bundled.exists() + [f"liborrery.so.{ABI_VERSION}"]


def _load() -> ctypes.CDLL:
    problems = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            problems.append(str(error))
    raise ImportError(
        "liborrery is not found; install Orrery, or set ORRERY_LIBRARY to its file. "
        + "; ".join(problems)
    )


lib = _load()
lib.orrery_abi_version.restype = ctypes.c_int
if lib.orrery_abi_version() != ABI_VERSION:
    raise ImportError(
        f"liborrery has version {lib.orrery_abi_version()} of its interface, and this package "
        f"needs {ABI_VERSION}; install both from one release"
    )

_Arrays = ctypes.POINTER(CArray)
_Place = ctypes.POINTER(ctypes.c_void_p)
_Progress = ctypes.POINTER(CProgress)
_text, _size, _handle = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
for _name, _restype, _argtypes in [
    ("version", _text, []),
    ("error_text", _text, []),
    ("result_json", _text, [_handle]),
    ("result_array_count", _size, [_handle]),
    ("result_array", ctypes.c_int, [_handle, _size, _Arrays]),
    ("result_destroy", None, [_handle]),
    ("list", ctypes.c_int, [_text, _Place]),
    ("describe", ctypes.c_int, [_text, _Place]),
    ("load_plugin", ctypes.c_int, [_text]),
    ("encoding_create", ctypes.c_int, [_text, _Arrays, _size, _Place]),
    ("encoding_destroy", None, [_handle]),
    ("encoding_settings", ctypes.c_int, [_handle, _Place]),
    ("apply", ctypes.c_int, [_handle, _Arrays, _Arrays, _Arrays]),
    ("bias", ctypes.c_int, [_handle, _Arrays, _Arrays, _Arrays]),
    ("constants", ctypes.c_int, [_handle, _Arrays, _Place]),
    ("positions", ctypes.c_int, [_text, ctypes.c_int64, _Place]),
    ("identify", ctypes.c_int, [_text, _handle, _Arrays, _size, _Place]),
    ("points", ctypes.c_int, [_text, _text, _Place]),
    ("run", ctypes.c_int, [_text, _text, _Arrays, _size, _Progress, _Place]),
    ("draw", ctypes.c_int, [_handle, _text, _text, _Place, ctypes.POINTER(_size)]),
    ("free", None, [ctypes.c_void_p]),
    ("verify", ctypes.c_int, [_text, _Progress, _Place]),
]:
    _function = getattr(lib, "orrery_" + _name)
    _function.restype, _function.argtypes = _restype, _argtypes


def check(status: int) -> None:
    """Raises the exception of a status."""
    if status != 0:
        raise _ERRORS.get(status, Bug)(lib.orrery_error_text().decode())


def version() -> str:
    """The version of liborrery, "0.1.0"."""
    return lib.orrery_version().decode()


class Handle:
    """An object of the library, destroyed with this one."""

    def __init__(self, pointer: ctypes.c_void_p, destroy: Callable[[Any], None]):
        self.pointer = pointer
        self._destroy = destroy

    def __del__(self) -> None:
        self._destroy(self.pointer)


Told = Optional[Callable[[float, str], Any]]


class Telling:
    """Passes progress on to a Python function, and what it raises back to the caller."""

    def __init__(self, told: Told):
        self._told = told
        self._raised: Optional[BaseException] = None
        self._struct = CProgress(ctypes.sizeof(CProgress), _UPDATE(self._update), None)

    def _update(self, _user: Any, fraction: float, stage: bytes) -> int:
        try:
            # Without a function it still lets Ctrl-C through: Python looks for it here.
            stop = self._told(fraction, stage.decode()) is False if self._told else False
        except BaseException as error:  # pylint: disable=broad-except
            self._raised = error
            stop = True
        return int(stop)

    def argument(self) -> Any:
        return ctypes.byref(self._struct)

    def check(self, status: int) -> None:
        if self._raised is not None:
            raise self._raised
        check(status)
