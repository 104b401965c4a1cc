"""Bytes at an address, one or eight at a time: the machine instructions that kernels over text need.

Kernels walk over text by address (`address_of(array)` plus an offset) rather than by array and index: every array that
is handed to a function costs numba two atomic counts, which is more than most of the functions here do. Nothing checks
an address when it is read. So the kernels that rooms call check first that all their ids lie inside the text
(`refuse_outside`), with the spare bytes behind them that whole words need.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from dissensus.engine.machine_code import njit

_I8 = ir.IntType(8)
_I64 = ir.IntType(64)
_I128 = ir.IntType(128)


@njit(nogil=True)
def address_of(array):  # type: ignore[no-untyped-def]
    """Where an array's bytes begin; the array must outlive every use of the address."""
    return np.int64(array.ctypes.data)


@njit(nogil=True)
def refuse_outside(size, start, length, spare):  # type: ignore[no-untyped-def]
    """IndexError where an id does not lie inside a text of `size` bytes, with `spare` bytes behind it."""
    for i in range(len(start)):
        first = np.int64(start[i])
        if first < 0 or first + np.int64(length[i]) + spare > size:
            raise IndexError("an id lies outside the text that holds it")


@intrinsic
def byte_at(typing, address):  # type: ignore[no-untyped-def]
    """The byte at an address."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.zext(builder.load(builder.inttoptr(args[0], _I8.as_pointer())), _I64)

    return types.int64(types.int64), generate


@intrinsic
def word_at(typing, address):  # type: ignore[no-untyped-def]
    """The eight bytes at an address, aligned or not, as one little-endian word."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        word = builder.load(builder.inttoptr(args[0], _I64.as_pointer()))
        word.align = 1
        return word

    return types.uint64(types.int64), generate


@intrinsic
def put_word(typing, address, word):  # type: ignore[no-untyped-def]
    """Write a word as eight bytes."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        builder.store(args[1], builder.inttoptr(args[0], _I64.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), generate


@intrinsic
def trailing_zeros(typing, word):  # type: ignore[no-untyped-def]
    """Number of zero bits below the lowest one bit."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def leading_zeros(typing, word):  # type: ignore[no-untyped-def]
    """Number of zero bits above the highest one bit."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def swap_bytes(typing, word):  # type: ignore[no-untyped-def]
    """The word with its bytes in the other order: then words compare as texts do."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.bswap(args[0])

    return types.uint64(types.uint64), generate


@intrinsic
def high_product(typing, a, b):  # type: ignore[no-untyped-def]
    """The upper 64 bits of the 128-bit product."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        wide = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        return builder.trunc(builder.lshr(wide, ir.Constant(_I128, 64)), _I64)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def double_of(typing, bits):  # type: ignore[no-untyped-def]
    """The double with these bits."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@njit(nogil=True)
def compare_spans(a, a_length, b, b_length):  # type: ignore[no-untyped-def]
    """−1, 0 or 1: how the bytes at two addresses compare, the shorter first where one begins the other."""
    n = min(a_length, b_length)
    i = 0
    while i + 8 <= n:
        v, w = word_at(a + i), word_at(b + i)
        if v != w:
            return -1 if swap_bytes(v) < swap_bytes(w) else 1
        i += 8
    if n >= 8:  # the last eight bytes at once: those looked at before are the same
        v, w = word_at(a + n - 8), word_at(b + n - 8)
        if v != w:
            return -1 if swap_bytes(v) < swap_bytes(w) else 1
        i = n
    while i < n:
        x, y = byte_at(a + i), byte_at(b + i)
        if x != y:
            return -1 if x < y else 1
        i += 1
    return 0 if a_length == b_length else (-1 if a_length < b_length else 1)
