"""Put noise into labels: each label passes through a confusion matrix on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dissensus.data.tables.coercion import coerced
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import Fix, Option, ScaleError
from dissensus.judges.confusion.api import Confusion, as_confusion


@coerced
def inject_noise(judgments: Judgments, confusion: Confusion | ArrayLike, seed: int = 0) -> Judgments:
    """The same judgments with every grade i replaced by grade j with probability c_ij, independently.

    `Confusion.uniform(grades, γ)` and `Confusion.distance(grades, γ)` are the two profiles of Niu et al. (2015): a
    label is kept with 1 − γ, else changed to every other grade with equal chance, or ∝ 1/|i − j|. Any matrix estimated
    from two judges is a profile too. Grades below zero (in the pool, unjudged) stay. What was changed is in `.notes`.

    >>> j = Judgments.from_dict({"gold": {1: {"a": 1, "b": 0, "c": 0, "d": 1}}})
    >>> noisy = inject_noise(j, Confusion.uniform(2, 0.5), seed=2)
    >>> noisy.grade.tolist(), noisy.notes
    ([0, 0, 1, 0], ('noise injected: 3 of 4 labels changed (seed 2)',))

    Not a model of judges who err on the same documents: the draws are independent.
    """
    confusion = as_confusion(confusion)
    scale = _common_scale(judgments.scale, confusion.scale)
    grade = confusion.sample(judgments.grade, seed=seed)
    judged = judgments.grade >= 0
    changed = int(np.count_nonzero(grade != judgments.grade))
    note = f"noise injected: {changed:,} of {int(judged.sum()):,} labels changed (seed {seed})"
    return replace(judgments.with_grades(grade, scale), notes=(*judgments.notes, note))


def _common_scale(labels: Scale, matrix: Scale) -> Scale:
    """The labels' scale, or the matrix's where the labels were read off the data and do not reach its top."""
    if labels.low == matrix.low and labels.top == matrix.top:
        return labels
    if not labels.declared and matrix.low <= labels.low and labels.top <= matrix.top:
        return replace(matrix, declared=True)
    raise ScaleError(
        f"the labels are on the scale {labels}, the noise profile on {matrix}.",
        Fix(f"Give a profile for {len(labels)} grades, or declare the labels' scale with ", Option("scale"), "."),
        Fix(f"Make one with Confusion.uniform({len(labels)}, 0.1), for example.", reader="python"),
    )
