"""The texts of a Polars column where they lie in memory: Arrow's C stream interface, nothing copied.

Polars keeps texts as *views* of 16 bytes: the length in four; a text of at most twelve bytes follows at once, a longer
one is named by its first four bytes, the number of a buffer and the place in it. Kernels (`view_kernels`) walk over the
views by their address. The layout is fixed by Arrow's specification, so no other library is needed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

VIEW = 16  # bytes
_TEXT_VIEWS = b"vu"
_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", ctypes.c_char_p), ("name", _POINTER), ("metadata", _POINTER), ("flags", _INT),
        ("n_children", _INT), ("children", _POINTER), ("dictionary", _POINTER), ("release", _POINTER),
        ("private", _POINTER),
    )  # fmt: skip


class _Array(ctypes.Structure):
    _fields_ = (
        ("length", _INT), ("null_count", _INT), ("offset", _INT), ("n_buffers", _INT), ("n_children", _INT),
        ("buffers", ctypes.POINTER(_POINTER)), ("children", _POINTER), ("dictionary", _POINTER),
        ("release", _POINTER), ("private", _POINTER),
    )  # fmt: skip


_GET = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER)
_RELEASE = ctypes.CFUNCTYPE(None, _POINTER)


class _Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", _GET), ("get_next", _GET), ("get_last_error", _POINTER), ("release", _POINTER),
        ("private", _POINTER),
    )  # fmt: skip


@dataclass(frozen=True)
class Views:
    """One chunk: `rows` views at the address `at`; long texts lie in buffers at `buffers`, `sizes` bytes long."""

    rows: int
    at: int
    buffers: NDArray[np.int64]
    sizes: NDArray[np.int64]


@contextmanager
def views_of(column: pl.Series) -> Iterator[list[Views] | None]:
    """The chunks of a column of texts, for as long as the `with` lasts; None for columns of another kind."""
    if column.dtype != pl.String or column.null_count():
        yield None
        return
    capsule: object = column.__arrow_c_stream__(None)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = _POINTER, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)  # the capsule, which lives until the end, releases it
    schema, arrays = _Schema(), list[_Array]()
    try:
        known = stream.get_schema(address, ctypes.addressof(schema)) == 0 and schema.format == _TEXT_VIEWS
        while known:
            array = _Array()
            known = stream.get_next(address, ctypes.addressof(array)) == 0
            if not known or not array.release:  # an error, or the end
                break
            arrays.append(array)
        yield [_chunk(array) for array in arrays if array.length] if known else None
    finally:
        for given in (schema, *arrays):
            if given.release:
                _RELEASE(given.release)(ctypes.addressof(given))
        del capsule


def _chunk(array: _Array) -> Views:
    """Buffers are: which values are there, the views, the buffers of long texts, and how long those are."""
    n = array.n_buffers - 3
    sizes = (_INT * n).from_address(array.buffers[2 + n]) if n else ()
    return Views(
        int(array.length),
        int(array.buffers[1]) + VIEW * int(array.offset),
        np.array([array.buffers[2 + i] or 0 for i in range(n)], np.int64),
        np.array(list(sizes), np.int64),
    )
