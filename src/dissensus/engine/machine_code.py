"""Kernels over raw memory are machine code or nothing: NUMBA_DISABLE_JIT, an aid in debugging, does not reach them.

Other kernels run as the Python they are written in where that is set; those that read bytes by their address cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import config


def njit(*signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit`, whatever NUMBA_DISABLE_JIT says; always with parentheses.

    >>> @njit(cache=False)
    ... def double(x):
    ...     return 2 * x
    >>> double(4), type(double).__name__
    (8, 'CPUDispatcher')
    """

    def decorate(function: Callable[..., Any]) -> Any:
        usual = config.DISABLE_JIT
        config.DISABLE_JIT = 0
        try:
            return numba.njit(*signature, **options)(function)
        finally:
            config.DISABLE_JIT = usual

    return decorate
