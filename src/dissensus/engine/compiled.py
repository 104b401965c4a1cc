"""Kernels that are compiled when it pays, numba for work, plain Python or numpy for small studies.

Importing numba and loading kernels from their cache takes about a second of processor time (scipy.linalg among it),
which is most of the time of a small job. A function marked `@compiled` first runs as the plain Python it is written in,
or as its numpy form where it has one. Once the process has walked as many elements in this way as loading numba would
have cost, it is compiled, cached and run. So no job takes more than twice what the better choice would have taken, and
a large one is compiled at its first call. Both ways do the same operations in the same order, so the results are the
same to the last bit (numba contracts nothing unless asked to).

A compiled function may not call another one: numba would not know what it is. Kernels let other threads run, so work
on many items (`work.threads`) takes all cores of this process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

# Plain Python walks an element of a kernel in .5 to 1.3 microseconds, numpy in 6 to 35 nanoseconds; numba with
# scipy.linalg and a handful of cached kernels is there after 1.0 s: a million elements would be even, and half of that
# is where even an unlucky guess costs little.
PLAIN = 500_000
NUMPY_FASTER = 100

_walked = 0
_lock = Lock()


def plain_is_quick(elements: int) -> bool:
    """True while it is quicker to walk `elements` more of them in plain Python than to load numba; they then count."""
    global _walked
    if "numba" in sys.modules:
        return False
    with _lock:
        if _walked + elements > PLAIN:
            return False
        _walked += elements
    return True


def elements_of(args: tuple[Any, ...], over_rankings: bool = False) -> int:
    """What a kernel walks: its longest list times the width of its widest table, and every table once.

    Kernels `over_rankings` begin with (lo, hi, first, last) and walk from first[s] to last[s] for s = lo … hi − 1.
    """
    if over_rankings:
        lo, hi, first, last = args[:4]
        return int((last[lo:hi] - first[lo:hi]).sum()) * max(
            (a.shape[-1] for a in args[4:] if np.ndim(a) > 1), default=1
        )
    lists = [a.size for a in args if getattr(a, "ndim", 0) == 1]
    tables = [a for a in args if getattr(a, "ndim", 0) > 1]
    width = max((a.shape[-1] for a in tables), default=1)
    return int(max(lists, default=0) * width + sum(a.size for a in tables))


class Compiled:
    """A function and, once it is needed, its compiled twin."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.python = function
        self.vectorised: Callable[..., Any] | None = None
        self.prepare: Callable[[], None] | None = None
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._fast: Callable[..., Any] | None = None
        self._elements: Callable[..., int] | None = None
        self._over_rankings = function.__code__.co_varnames[:4] == ("lo", "hi", "first", "last")

    @property
    def fast(self) -> Callable[..., Any]:
        """The compiled function."""
        if self._fast is None:
            from dissensus.engine.machine_code import kept

            if self.prepare is not None:
                self.prepare()
            self._fast = kept(nogil=True)(self.python)
        return self._fast

    def in_numpy(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator for the numpy form of the kernel: the same additions in the same order."""
        self.vectorised = function
        return function

    def counting(self, elements: Callable[..., int]) -> Callable[..., int]:
        """Decorator for what a call walks, of the same arguments, where the lengths of its arrays do not tell."""
        self._elements = elements
        return elements

    def before_compiling(self, prepare: Callable[[], None]) -> None:
        """What must be done before numba sees the kernel, such as telling it what a function is."""
        self.prepare = prepare

    def walking(self, elements: int) -> Callable[..., Any]:
        """The form to call where a kernel walks `elements`, which its arrays do not tell: rounds, or searches."""
        return self.python if self._fast is None and plain_is_quick(elements) else self.fast

    def __call__(self, *args: Any) -> Any:
        if self._fast is None and "numba" not in sys.modules:
            elements = self._elements(*args) if self._elements else elements_of(args, self._over_rankings)
            if self.vectorised is not None and plain_is_quick(elements // NUMPY_FASTER):
                return self.vectorised(*args)
            if self.vectorised is None and plain_is_quick(elements):
                return self.python(*args)
        return self.fast(*args)


def compiled(function: Callable[..., Any]) -> Compiled:
    """Decorator for kernels; see the module."""
    return Compiled(function)
