"""The rules of a confusion matrix, each with the sentence that is said when it is broken."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dissensus.data.tables.scale import Scale
from dissensus.errors import ConfusionError, Fix

Floats = NDArray[np.float64]
ROUNDING = 1e-6  # how far a row may be from summing to 1 before it is an error


def square(values: ArrayLike, what: str) -> Floats:
    """A square table of numbers from what users write."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfusionError(f"the {what} is not a table of numbers: {error}.") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 1:
        raise ConfusionError(f"the {what} has shape {array.shape}; a confusion is square, one row per grade.")
    return array


def shares(counts: Floats) -> Floats:
    """Rows divided by their sums; NaN for a row without counts."""
    total = counts.sum(axis=1, keepdims=True)
    out: Floats = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
    return out


def check_counts(counts: Floats, matrix: Floats) -> None:
    """Counts are finite, not negative, and as many as the matrix has cells."""
    if counts.shape != matrix.shape:
        raise ConfusionError(f"the counts have shape {counts.shape}, the matrix {matrix.shape}.")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ConfusionError("counts must be finite numbers, at least 0.")


def check_rows(matrix: Floats, counts: Floats | None, scale: Scale) -> None:
    """Every row is a distribution, or unknown for want of counts."""
    for i, row in enumerate(matrix):
        name = scale.names[i]
        if np.isnan(row).all() and counts is not None and not counts[i].any():
            continue  # nothing is known of this grade
        if not np.isfinite(row).all() or (row < 0).any() or (row > 1 + ROUNDING).any():
            raise ConfusionError(f"row {name} of the matrix holds {row.tolist()}; probabilities lie between 0 and 1.")
        if abs(row.sum() - 1) > ROUNDING:
            raise ConfusionError(
                f"row {name} of the matrix sums to {row.sum():.6g}, not 1.",
                "Rows are the reference: row i holds P(observed j | reference i). Is the matrix transposed?",
                Fix("Counts are Confusion(None, counts=…).", reader="python"),
                'In a file, counts are {"counts": [[160, 40], [30, 170]]}.',
            )


def noise_grades(grades: int | Scale, noise: float, profile: str) -> Scale:
    """The scale of a noise profile, its arguments checked."""
    if not isinstance(noise, int | float | np.floating) or not 0 <= noise <= 1:
        raise ConfusionError(f"Confusion.{profile}(noise={noise!r}): the noise is a share between 0 and 1.")
    if isinstance(grades, bool) or not isinstance(grades, int | np.integer | Scale):
        raise ConfusionError(f"Confusion.{profile}(grades={grades!r}): give the number of grades, or a Scale.")
    n = len(grades) if isinstance(grades, Scale) else int(grades)
    if n < 2:
        raise ConfusionError(f"Confusion.{profile} needs at least 2 grades, not {n}.")
    return grades if isinstance(grades, Scale) else Scale.range(0, n - 1)
