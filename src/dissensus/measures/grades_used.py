"""Does every assessor use the grades that a measure needs? A binary judge under P(rel=2) scores every system 0."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import DataWarning, Fix, MeasureError, Option, Text
from dissensus.measures.measure import Measure
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import grade_counts
from dissensus.tables.scale import Scale

ENOUGH = 10  # labels of an assessor from which on an unused grade is not an accident


def check_grades_used(judgments: Judgments, measures: Iterable[Measure], *, as_classes: bool = False) -> None:
    """Name assessors who never give a grade that a measure needs; an error where that is all of them.

    `as_classes`: the grades are only classes, whose worth an audit tells; then nothing is an error.
    """
    check_grades(judgments.scale, judgments.assessors, grade_counts(judgments), measures, as_classes=as_classes)


def check_grades(
    scale: Scale,
    assessors: Sequence[str],
    given: NDArray[np.int64],
    measures: Iterable[Measure],
    *,
    as_classes: bool = False,
) -> None:
    """The same from what was counted: how often each assessor gave each level of the scale."""
    labels = given.sum(axis=1)
    highest = scale.low + len(scale) - 1 - (given[:, ::-1] > 0).argmax(axis=1) if len(given) else labels
    if scale.binned and not as_classes:
        raise MeasureError(
            "the judge gives scores, not grades: which of them count as relevant is not known.",
            Fix("Cut them into grades with ", Option("threshold", 0.5), ", or at several values."),
            Fix("Give classes their mean score as gain: measure.with_gains(judgments.gains()).", reader="python"),
        )
    for m in measures:
        rel = getattr(m, "rel", None)
        if rel is None or scale.binned:
            continue
        coarse = [assessors[a] for a in np.flatnonzero((labels >= ENOUGH) & (highest < rel)).tolist()]
        if not coarse or (rel < 2 and len(coarse) < len(assessors)):  # a judge may find nothing relevant
            continue
        few = ", ".join(coarse[:5]) + (f" and {len(coarse) - 5} more" if len(coarse) > 5 else "")
        what = Text(f"{few} never give{'s' if len(coarse) == 1 else ''} grade {rel} or above, which {m} needs: by "
                    f"{'this assessor' if len(coarse) == 1 else 'them'} every system scores 0.")  # fmt: skip
        fix = (
            Fix(
                "On a scale with fewer grades, say what they are worth with ",
                Option("map"),
                f", as in {coarse[0]}:1={rel}.",
            )
            if rel > 1
            else Fix("Is this the right file? A ", Option("threshold"), " must be reached by some labels.")
        )
        if len(coarse) == len(assessors) and not as_classes:
            raise MeasureError(what, fix)
        warnings.warn(DataWarning(f"{what} {fix}"), stacklevel=4)


def reachable(m: Measure, scale: Scale) -> Measure:
    """The measure with a threshold that labels on this scale can reach: its highest grade, if it ends below."""
    rel = getattr(m, "rel", None)
    if not isinstance(rel, int) or rel <= scale.top:
        return m
    changed: Any = m
    return cast("Measure", replace(changed, rel=scale.top))
