"""Kernels of small commands: numba for work, the Python that they are written in while there is little of it.

Loading numba and the first kernel takes 0.4 s of processor time, which is half of a small command. So a function marked
`@compiled` runs as it stands until it has walked as many elements as Python does in a tenth of a second. Then it is
compiled, kept for the next process (`machine_code`) and run. Where numba is loaded already it is compiled at once. Both
ways do the same operations in the same order, so the results are the same to the last bit (numba contracts nothing
unless asked to).

A compiled function may not call another one: numba would not know what it is. Kernels of which this is asked, and those
of long jobs, are compiled where they are defined (`machine_code.jit`). All let other threads run, so work on many items
(`work.threads`) takes all cores of this process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

PLAIN = 100_000  # elements: plain Python walks one in .5 to 1.3 microseconds


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
    """A function and, once it is needed, its machine code."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.python = function
        self.walked = 0
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._fast: Callable[..., Any] | None = None
        self._over_rankings = function.__code__.co_varnames[:4] == ("lo", "hi", "first", "last")

    @property
    def fast(self) -> Callable[..., Any]:
        """The machine code; for callers who know that there is more to walk than the arrays tell."""
        if self._fast is None:
            from dissensus.engine.machine_code import jit

            self._fast = jit(nogil=True)(self.python)
        return self._fast

    def __call__(self, *args: object) -> Any:
        if self._fast is None and "numba" not in sys.modules:
            self.walked += elements_of(args, self._over_rankings)
            if self.walked <= PLAIN:
                return self.python(*args)
        return self.fast(*args)


def is_little(elements: int) -> bool:
    """True where plain Python walks so many sooner than numba is loaded."""
    return elements <= PLAIN and "numba" not in sys.modules


def compiled(function: Callable[..., object]) -> Compiled:
    """Decorator for kernels; see the module."""
    return Compiled(function)
