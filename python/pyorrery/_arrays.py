"""Arrays of anybody's, as liborrery takes them: NumPy, DLPack (torch, JAX, CuPy on the CPU), lists.

Nothing is copied on the way in, whatever the order and the strides, and nothing changes its type:
what the library cannot take is refused.
"""

from __future__ import annotations

import ctypes
import json
from typing import Any, Optional

import numpy as np

from ._library import MAX_RANK, CArray, Handle, check, lib

BF16 = 4
_TYPES = {
    "float64": 1, "float32": 2, "float16": 3, "bfloat16": BF16, "int64": 5, "int32": 6, "int16": 7,
    "int8": 8, "uint64": 9, "uint32": 10, "uint16": 11, "uint8": 12, "bool": 13,
}  # fmt: skip
_NUMPY: dict[int, np.dtype[Any]] = {1: np.dtype(np.float64), 2: np.dtype(np.float32), 3: np.dtype(np.float16)}


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_DL_NAMES = {0: "int", 1: "uint", 2: "float", 4: "bfloat"}
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Given:
    """An array as the library sees it. Its memory lives as long as this object."""

    def __init__(self, name: str, value: Any):
        if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
            self._from_numpy(name, value)
        else:
            self._from_dlpack(name, value)

    def _from_numpy(self, name: str, value: Any) -> None:
        if np.ma.is_masked(value):
            raise TypeError(f"{name} is a masked array, and no mask is read: give {name}.filled(number)")
        array = np.asarray(value)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        self.dtype: Optional[np.dtype] = array.dtype
        self._fill(name, array, array.dtype.name, array.ctypes.data, array.shape, array.strides)

    def _from_dlpack(self, name: str, value: Any) -> None:
        device = value.__dlpack_device__()
        if device[0] != 1:
            raise TypeError(f"{name} is on device {device}: Orrery computes on the CPU; move it there")
        capsule = value.__dlpack__()
        tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
        if tensor.code == 6:
            kind = "bool"
        else:
            kind = f"{_DL_NAMES.get(tensor.code, 'kind')}{tensor.bits}"
        shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        size = tensor.bits // 8
        if tensor.strides:
            strides = tuple(tensor.strides[i] * size for i in range(tensor.ndim))
        else:
            strides = tuple(int(np.prod(shape[i + 1 :])) * size for i in range(len(shape)))
        self.dtype = None if kind == "bfloat16" else np.dtype(kind) if kind in _TYPES else None
        # The capsule, never taken, gives the tensor back when it goes.
        self._fill(name, (capsule, value), kind, tensor.data + tensor.byte_offset, shape, strides)

    def _fill(
        self, name: str, owner: Any, kind: str, data: int, shape: tuple, strides: tuple
    ) -> None:
        if kind not in _TYPES:
            raise TypeError(f"{name} is of {kind}: give one of {', '.join(_TYPES)}")
        if len(shape) > MAX_RANK:
            raise ValueError(f"{name} has {len(shape)} dimensions: at most {MAX_RANK} are read")
        self.shape = tuple(int(n) for n in shape)
        self.type = _TYPES[kind]
        self._owner = owner
        self.c = CArray(ctypes.sizeof(CArray), name.encode(), data, self.type, len(shape))
        for axis, (count, stride) in enumerate(zip(shape, strides)):
            self.c.shape[axis], self.c.strides[axis] = count, stride

    def argument(self) -> Any:
        return ctypes.byref(self.c)


def optional(name: str, value: Any) -> Optional[Given]:
    return None if value is None else Given(name, value)


def argument(given: Optional[Given]) -> Any:
    return None if given is None else given.argument()


class GivenMany:
    """Named arrays as one C array of them; None is left out."""

    def __init__(self, arrays: dict[str, Any]):
        self._given = [Given(name, value) for name, value in arrays.items() if value is not None]
        self.count = len(self._given)
        self.c = (CArray * max(self.count, 1))(*[one.c for one in self._given])


def out_array(shape: tuple, dtype: Any) -> tuple[np.ndarray, Given]:
    """A new array in C order, and the same for the library to write to."""
    array = np.empty(shape, dtype)
    return array, Given("out", array)


def floating_dtype(given: Given, dtype: Any) -> np.dtype:
    """The type of what is computed from an array: its own, where NumPy has it; of bf16 float32,
    which holds more; of whole numbers float64."""
    if dtype is not None:
        return np.dtype(dtype)
    if given.dtype is not None and given.type in (1, 2, 3, BF16):
        return given.dtype
    return np.dtype(np.float32 if given.type == BF16 else np.float64)


class Found:
    """A result of the library: its JSON, and its arrays, which live as long as they are used."""

    def __init__(self, place: ctypes.c_void_p):
        self.handle = Handle(place, lib.orrery_result_destroy)
        self.json = json.loads(lib.orrery_result_json(place).decode())
        self.arrays: dict[str, np.ndarray] = {}
        for index in range(lib.orrery_result_array_count(place)):
            described = CArray()
            check(lib.orrery_result_array(place, index, ctypes.byref(described)))
            self.arrays[described.name.decode()] = self._array(described)

    def _array(self, described: CArray) -> np.ndarray:
        shape = tuple(described.shape[: described.rank])
        dtype = _NUMPY[described.type]
        count = int(np.prod(shape))
        buffer: Any = (ctypes.c_char * (count * dtype.itemsize)).from_address(described.data)
        buffer.handle = self.handle  # NumPy keeps the buffer, and the buffer its owner
        array = np.frombuffer(buffer, dtype).reshape(shape)
        array.flags.writeable = False
        return array


def found(call: Any, check_status: Any = check) -> Found:
    """The result that call(place) makes."""
    place = ctypes.c_void_p()
    check_status(call(ctypes.byref(place)))
    return Found(place)
