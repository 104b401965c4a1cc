"""Kernels that are compiled when it pays: numba for work, plain Python for a handful of numbers.

Importing numba and loading a kernel from its cache takes half a second, which is most of the time of a small job. A
function marked `@compiled` runs as the plain Python it is written in while its arrays are tiny and numba has not been
loaded; otherwise it is compiled, cached and run. Both do the same operations in the same order, so the results are the
same to the last bit (numba contracts nothing unless asked to).

A compiled function may not call another one: numba would not know what it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

TINY = 4096  # elements of the largest array below which plain Python is quick enough


class Compiled:
    """A function and, once it is needed, its compiled twin."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.python = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._fast: Callable[..., Any] | None = None

    @property
    def fast(self) -> Callable[..., Any]:
        """The compiled function."""
        if self._fast is None:
            from numba import njit

            self._fast = njit(cache=True, nogil=True)(self.python)
        return self._fast

    def __call__(self, *args: Any) -> Any:
        if self._fast is None and "numba" not in sys.modules and all(getattr(a, "size", 0) <= TINY for a in args):
            return self.python(*args)
        return self.fast(*args)


def compiled(function: Callable[..., Any]) -> Compiled:
    """Decorator for kernels; see the module."""
    return Compiled(function)
