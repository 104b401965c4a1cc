"""What simulations of audits share: settings by name, and the error of a mean over repetitions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError


def settings_named(wanted: tuple[str, ...], known: Iterable[str]) -> tuple[str, ...]:
    """The settings asked for, all of them where none is; one that does not exist is an error."""
    every = tuple(known)
    unknown = [name for name in wanted if name not in every]
    if unknown:
        raise InputError(f"no setting is called {unknown[0]!r}; there are {', '.join(every)}.")
    return wanted or every


def error_of_mean(values: NDArray[np.float64]) -> float:
    """The standard error of the mean of values that are independent of each other; NaN for one alone."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
