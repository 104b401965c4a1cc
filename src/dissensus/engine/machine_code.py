"""Machine code from numba, kept where it can be: numba's own folder, the user's cache folder, else a temporary one.

Compiling all kernels takes a quarter of a minute, so the code is kept for the next process. Numba keeps it next to the
source or in the user's cache folder, and gives up where both are read-only, as in many containers. Then it is kept in a
temporary folder of this user, and where there is none it is compiled anew in each process. Both are said in a warning.
The first compilation of a process is announced on a terminal.

Kernels over raw memory are machine code or nothing (`njit`): NUMBA_DISABLE_JIT, an aid in debugging, does not reach
them. It reaches the others (`jit`), which then run as the Python they are written in.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import config
from numba.core import event

from dissensus.errors import DissensusWarning


def jit(*signature: object, **options: object) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` whose code is kept for the next process; always with parentheses.

    @jit()
    def double(x):
        return 2 * x
    double(4)
    8
    """

    def decorate(function: Callable[..., object]) -> object:
        _announce()
        try:
            return numba.njit(*signature, cache=True, **options)(function)
        except RuntimeError as error:  # numba has no class of its own for this
            if "cannot cache function" not in str(error):
                raise
        place = temporary_place()
        usual = config.CACHE_DIR
        config.CACHE_DIR = str(place or "")
        try:
            return numba.njit(*signature, cache=place is not None, **options)(function)
        finally:
            config.CACHE_DIR = usual

    return decorate


def njit(*signature: object, **options: object) -> Callable[[Callable[..., Any]], Any]:
    """`jit`, whatever NUMBA_DISABLE_JIT says.

    @njit()
    def double(x):
        return 2 * x
    double(4), type(double).__name__
    (8, 'CPUDispatcher')
    """

    def decorate(function: Callable[..., object]) -> object:
        usual = config.DISABLE_JIT
        config.DISABLE_JIT = 0
        try:
            return jit(*signature, **options)(function)
        finally:
            config.DISABLE_JIT = usual

    return decorate


@cache
def temporary_place() -> Path | None:
    """A folder for compiled code that only this user can write to, or None; said once."""
    try:
        place = _own_folder(Path(tempfile.gettempdir()) / f"dissensus-{getattr(os, 'getuid', lambda: 'user')()}")
    except OSError:
        warnings.warn(
            "Compiled code can be kept nowhere, so it is compiled again in every process (about 15 s). "
            "Set NUMBA_CACHE_DIR to a folder that can be written to.",
            DissensusWarning,
            stacklevel=2,
        )
        return None
    warnings.warn(
        f"Compiled code is kept in the temporary folder {place}: no cache folder can be written to. "
        "Set NUMBA_CACHE_DIR to a folder that lasts.",
        DissensusWarning,
        stacklevel=2,
    )
    return place


def _own_folder(place: Path) -> Path:
    """The folder, made if need be; another one where somebody else could have written into it: it holds code."""
    place.mkdir(mode=0o700, exist_ok=True)
    about = place.lstat()
    if hasattr(os, "getuid") and (
        not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o022
    ):
        return Path(tempfile.mkdtemp(prefix="dissensus-"))
    return place


# ── the first compilation is said ────────────────────────────────────────────────────────────────────────────────────
class _Compiling(event.Listener):  # type: ignore[misc]
    """Says once that kernels of dissensus are compiled; code that is loaded compiles nothing."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        module = str(getattr(event.data.get("dispatcher"), "__module__", ""))
        if not self.said and module.startswith("dissensus") and _is_terminal():
            self.said = True
            sys.stderr.write("compiling (first use, about 15 s in all)\n")

    def on_end(self, event: object) -> None:
        """Nothing is said of the end."""


@cache
def _announce() -> _Compiling:
    listener = _Compiling()
    event.register("numba:compile", listener)
    return listener


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # replaced or closed
        return False
