#!/usr/bin/env python3
"""Writes the .npz files beside this script.

Written with NumPy 2.4.6 on Python 3.11.7, little-endian x86-64. To write them again:
    python3 -m venv VENV && VENV/bin/pip install numpy==2.4.6 && VENV/bin/python generate.py
The tests read the files and need neither Python nor NumPy.
"""
import io
import struct
import warnings
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
REALS = np.array([[0.0, 0.5, -1.5], [2.0, 3.25, -100.0]])


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def archive(name, members, method=zipfile.ZIP_STORED, comment=b"", target=None):
    with zipfile.ZipFile(target or HERE / f"{name}.npz", "w", method) as file:
        file.comment = comment
        for member, content in members:
            file.writestr(zipfile.ZipInfo(member), content, method)


class Stream(io.RawIOBase):
    """Cannot seek, and so the sizes stand behind the members."""

    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, block):
        self.bytes += bytes(block)
        return len(block)


def valid():
    np.savez(HERE / "saved.npz", a=REALS, b=REALS.astype("<f2"), **{"layer0/θ": np.arange(3)})
    np.savez_compressed(HERE / "compressed.npz", a=REALS, zeros=np.zeros((64, 64)))
    np.savez(HERE / "one.npz", np.asfortranarray(REALS))
    archive("comment", [("a.npy", npy(REALS))], comment=b"written by hand")
    stream = Stream()
    archive("", [("a.npy", npy(REALS))], zipfile.ZIP_DEFLATED, target=stream)
    (HERE / "stream.npz").write_bytes(stream.bytes)
    zip64()


def zip64():
    """Ended as a writer of huge archives ends them: the directory's place in the records of Zip64."""
    archive("zip64", [("a.npy", npy(REALS))])
    data = (HERE / "zip64.npz").read_bytes()
    record = len(data) - 22
    length, offset = struct.unpack_from("<II", data, record + 12)
    end = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, length, offset)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, record, 1)
    last = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    (HERE / "zip64.npz").write_bytes(data[:record] + end + locator + last)


def central_field(data, offset, form, value):
    """Sets a field of the first entry of the zip directory."""
    struct.pack_into(form, data, data.index(b"PK\1\2") + offset, value)
    return bytes(data)


def refused():
    content = npy(REALS)
    warnings.simplefilter("ignore", UserWarning)
    archive("repeated", [("a.npy", content), ("b.npy", content), ("a.npy", content)])
    archive("no_members", [])
    archive("not_npy", [("a.npy", content), ("readme.txt", b"hello")])
    archive("folder", [("a/", b""), ("a/a.npy", content)])
    archive("absolute", [("/a.npy", content)])
    archive("up", [("a/../../b.npy", content)])
    archive("bzip2", [("a.npy", content)], zipfile.ZIP_BZIP2)
    archive("lzma", [("a.npy", content)], zipfile.ZIP_LZMA)
    np.savez(HERE / "nan.npz", a=np.array([[0.0, 1.0], [np.nan, np.inf]]), b=REALS)
    np.savez(HERE / "text.npz", a=np.array(["a"]))
    np.savez(HERE / "empty.npz", a=np.zeros((3, 0)))
    np.savez(HERE / "object.npz", a=np.array([{"a": 1}], dtype=object))
    archive("not_npy_inside", [("a.npy", b"hello")])
    stored = (HERE / "comment.npz").read_bytes()
    (HERE / "crc.npz").write_bytes(stored.replace(struct.pack("<d", 3.25), struct.pack("<d", 3.5)))
    encrypted = bytearray(stored)
    struct.pack_into("<H", encrypted, 6, 1)
    (HERE / "encrypted.npz").write_bytes(central_field(encrypted, 8, "<H", 1))
    # These declare other sizes than their members have, behind the member as in the directory, so that
    # only unpacking tells.
    for name, size in (("declares_fewer", 100), ("declares_more", 1 << 20), ("bomb", 1 << 31)):
        stream = bytearray((HERE / "stream.npz").read_bytes())
        struct.pack_into("<I", stream, stream.index(b"PK\7\x08") + 12, size)
        (HERE / f"{name}.npz").write_bytes(central_field(stream, 24, "<I", size))
    # The directory contradicts what stands behind the member.
    stream = bytearray((HERE / "stream.npz").read_bytes())
    (HERE / "contradicts.npz").write_bytes(central_field(stream, 24, "<I", 100))


if __name__ == "__main__":
    valid()
    refused()
