#!/usr/bin/env python3
"""Writes the .npy files beside this script.

Written with NumPy 2.4.6 on Python 3.11.7, little-endian x86-64. To write them again:
    python3 -m venv VENV && VENV/bin/pip install numpy==2.4.6 && VENV/bin/python generate.py
The tests read the files and need neither Python nor NumPy.
"""
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent

REALS = [[0.0, 0.5, -1.5], [2.0, 3.25, -100.0]]
SIGNED = [[0, 1, -2], [3, -128, 127]]
UNSIGNED = [[0, 1, 2], [3, 4, 255]]
BOOLS = [[True, False, True], [False, True, False]]
HALVES = [2.0**-24, -(2.0**-24), 2.0**-14, 65504.0, -0.0, 0.333251953125]


def write(name, array, version=None, allow_pickle=False):
    with open(HERE / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version, allow_pickle=allow_pickle)


def valid():
    for order, sign in (("le", "<"), ("be", ">")):
        for size in (2, 4, 8):
            write(f"f{size}_{order}", np.array(REALS, dtype=f"{sign}f{size}"))
            write(f"i{size}_{order}", np.array(SIGNED, dtype=f"{sign}i{size}"))
            write(f"u{size}_{order}", np.array(UNSIGNED, dtype=f"{sign}u{size}"))
    write("i1", np.array(SIGNED, dtype="i1"))
    write("u1", np.array(UNSIGNED, dtype="u1"))
    write("bool", np.array(BOOLS))
    write("f8_fortran", np.asfortranarray(np.array(REALS)))
    write("f4_be_fortran", np.asfortranarray(np.array(REALS, dtype=">f4")))
    write("rank3_fortran", np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))
    write("rank4", np.arange(24.0).reshape(1, 2, 3, 4))
    write("rank1", np.arange(5.0))
    write("version2", np.array(REALS), version=(2, 0))
    write("version3", np.array(REALS), version=(3, 0))
    write("f2_special", np.array(HALVES, dtype="<f2"))
    write("i8_largest", np.array([2**53, -(2**53)], dtype="<i8"))


def refused():
    write("object", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    write("structured", np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")]))
    write("unicode", np.array(["a", "bc"]))
    write("bytestring", np.array([b"a", b"bc"]))
    write("complex", np.array([1 + 2j]))
    write("void", np.zeros(2, dtype="V5"))
    write("datetime", np.array(["2024-05-17"], dtype="datetime64[D]"))
    write("longdouble", np.array([1.0], dtype=np.longdouble))
    write("empty", np.zeros((3, 0)))
    write("rank0", np.array(1.0))
    write("rank5", np.zeros((1, 1, 1, 1, 2)))
    write("nan", np.array([[0.0, 1.0], [np.nan, np.inf]]))
    write("nan_fortran", np.asfortranarray([[0.0, 1.0, -np.inf], [np.nan, 1.0, 1.0]]))
    write("inf", np.array([0.0, -np.inf], dtype="<f2"))
    write("i8_too_large", np.array([[0, 1], [2, 2**53 + 1]], dtype="<i8"))
    write("i8_too_small", np.array([-(2**63)], dtype="<i8"))
    write("u8_too_large", np.array([2**64 - 1], dtype="<u8"))


if __name__ == "__main__":
    valid()
    refused()
