"""Labels cut in two at a grade: relevant from there, or not.

>>> j = Judgments.from_dict({"ann": {1: {"x": 0, "y": 1, "z": 3}}}, scale="0..3")
>>> at_least(j, 2).to_frame()["grade"].to_list()
['below 2', 'below 2', '2 or above']
"""

from __future__ import annotations

import numpy as np

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import InputError, Option, ScaleError, Text


def at_least(judgments: Judgments, grade: int | str) -> Judgments:
    """The same judgments on two grades, below `grade` and `grade` or above; grades below zero stay unjudged."""
    scale = judgments.scale
    if not scale.ordered:
        raise InputError(
            Text(
                Option("binary", grade),
                f": the labels {', '.join(scale.names)} have no order.",
            ),
            "Give the scale in order, lowest grade first.",
        )
    try:
        cut = scale.grade(grade)
    except ScaleError as error:
        raise InputError(
            Text(Option("binary", grade), f" is not a grade of the scale {scale}."), *error.fixes
        ) from None
    if cut == scale.low:
        raise InputError(
            Text(Option("binary", grade), " is the lowest grade: every label would be at or above it."),
            f"Choose one of {', '.join(scale.names[1:])}.",
        )
    name = scale.name(cut)
    two = Scale((f"below {name}", f"{name} or above"), declared=scale.declared)
    old = judgments.grade
    return judgments.with_grades(np.where(old >= 0, old >= cut, old).astype(np.int8), two)
