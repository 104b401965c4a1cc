"""Gains per grade, given as a table {grade: gain} by grade number or name, kept as a hashable tuple."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.scale import Scale
from dissensus.errors import MeasureError, Option, Text

Gains = tuple[tuple[int | str, float], ...]


def freeze_gains(gains: Mapping[Any, float] | Gains | None) -> Gains | None:
    """Gains as a hashable, sorted tuple of (grade, gain)."""
    if gains is None:
        return None
    if not isinstance(gains, Mapping | tuple):
        raise MeasureError(
            Text(Option("gains", gains), " is not a table."),
            "Write a gain for every grade: gains={0: 0, 1: 1, 2: 5}.",
        )
    pairs = [(_grade_key(g), v) for g, v in (gains.items() if isinstance(gains, Mapping) else gains)]
    for g, v in pairs:
        if isinstance(v, bool) or not isinstance(v, int | float | np.integer | np.floating) or not np.isfinite(v):
            raise MeasureError(f"the gain of grade {g!r} is {v!r}; gains must be finite numbers.")
    return tuple(sorted(((g, float(v)) for g, v in pairs), key=lambda p: (isinstance(p[0], str), p[0])))


def _grade_key(grade: Any) -> int | str:
    if isinstance(grade, int | np.integer) and not isinstance(grade, bool):
        return int(grade)
    text = str(grade).strip()
    return int(text) if text.isascii() and text.isdigit() else text


def gain_table(gains: Gains, scale: Scale, measure: object) -> NDArray[np.float64]:
    """Gain of each grade of the scale, lowest first, from a table keyed by grade number or name."""
    table = {scale.grade(g): v for g, v in gains if not (isinstance(g, int) and g < 0)}
    missing = [scale.name(int(g)) for g in scale.grades if int(g) not in table]
    if missing:
        raise MeasureError(
            f"{measure} has no gain for the grade {', '.join(missing)} of the scale {scale}.",
            "Give every grade of the scale a gain.",
        )
    return np.array([table[int(g)] for g in scale.grades])
