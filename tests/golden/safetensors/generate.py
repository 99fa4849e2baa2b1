#!/usr/bin/env python3
"""Writes the .safetensors files beside this script.

Written with safetensors 0.8.0, NumPy 2.4.6 and ml_dtypes 0.5.4 on Python 3.11.7, little-endian
x86-64. To write them again:
    python3 -m venv VENV && VENV/bin/pip install safetensors==0.8.0 numpy==2.4.6 ml_dtypes==0.5.4
    VENV/bin/python generate.py
The tests read the files and need no Python.
"""
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).resolve().parent

REALS = [[0.0, 0.5, -1.5], [2.0, 3.25, -100.0]]
SIGNED = [[0, 1, -2], [3, -128, 127]]
UNSIGNED = [[0, 1, 2], [3, 4, 255]]
BOOLS = [[True, False, True], [False, True, False]]
HALVES = [2.0**-24, -(2.0**-24), 2.0**-14, 65504.0, -0.0, 0.333251953125]
# The smallest and largest subnormal, the smallest normal and the largest number, −0, near 1/3.
BRAINS = [0x0001, 0x807F, 0x0080, 0x7F7F, 0x8000, 0x3EAB]


def bits(dtype, *words):
    return np.array(words, dtype="<u2").view(dtype)


def write(name, metadata=None, **tensors):
    save_file(tensors, HERE / f"{name}.safetensors", metadata)


def valid():
    numbers = {f"f{size}": np.array(REALS, dtype=f"<f{size}") for size in (2, 4, 8)}
    numbers["bf16"] = np.array(REALS, dtype=ml_dtypes.bfloat16)
    for size in (1, 2, 4, 8):
        numbers[f"i{size}"] = np.array(SIGNED, dtype=f"<i{size}")
        numbers[f"u{size}"] = np.array(UNSIGNED, dtype=f"<u{size}")
    write("dtypes", bool=np.array(BOOLS), **numbers)
    write("halves", f16=np.array(HALVES, dtype="<f2"), bf16=bits(ml_dtypes.bfloat16, *BRAINS))
    write("rank4", {"format": "np"}, only=np.arange(24.0).reshape(1, 2, 3, 4))
    write("unicode", **{"layer0.θ": np.arange(2.0), "層/q": np.arange(3.0), 'a"\\\n': np.ones(1)})
    write("written", b=np.array(REALS), a=np.array(REALS, dtype="<f4"), θ=np.arange(3.0),
          z=np.zeros((3, 0)))


def refused():
    write("float8", w=np.zeros(4, dtype=ml_dtypes.float8_e4m3fn))
    write("complex", w=np.zeros(4, dtype="<c8"))
    write("none")
    write("empty", w=np.zeros((3, 0)), x=np.ones(1))
    write("rank0", w=np.array(1.0), x=np.ones(1))
    write("rank5", w=np.zeros((1, 1, 1, 1, 2)))
    write("nan", w=np.array([[0.0, 1.0], [np.nan, np.inf]]), x=np.ones(1))
    write("f16_inf", w=bits("<f2", 0x0000, 0xFC00))
    write("bf16_inf", w=bits(ml_dtypes.bfloat16, 0x0000, 0x7F80))
    write("bf16_nan", w=bits(ml_dtypes.bfloat16, 0x7FC1))
    write("i8_too_large", w=np.array([[0, 1], [2, 2**53 + 1]], dtype="<i8"))
    write("u8_too_large", w=np.array([2**64 - 1], dtype="<u8"))


if __name__ == "__main__":
    valid()
    refused()
