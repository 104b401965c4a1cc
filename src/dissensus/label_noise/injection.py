"""Put noise into labels: each label passes through a confusion matrix on its own; and noise profiles, families of
confusion matrices by the level of noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, Option, ScaleError
from dissensus.io.options import ReadKeywords
from dissensus.judging.confusion.api import Confusion, as_confusion
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

Profile = Callable[[int, float], Confusion]
PROFILES: dict[str, Profile] = {"uniform": Confusion.uniform, "distance": Confusion.distance}
Family = str | Profile | Confusion | Mapping[str, Any] | Sequence[str]


@coerced
def inject_noise(
    judgments: Judgments, confusion: Confusion | ArrayLike, seed: int = 0, **reading: Unpack[ReadKeywords]
) -> Judgments:
    """The same judgments with every grade i replaced by grade j with probability c_ij, independently.

    Grades below zero (in the pool, unjudged) stay. Not a model of judges who err on the same documents.

    Parameters
    ----------
    confusion
        The noise: `Confusion.uniform(grades, γ)`, `Confusion.distance(grades, γ)` (Niu et al. 2015), or any
        matrix estimated from two judges.

    Returns
    -------
    Judgments
        What was changed is in `.notes`.

    Examples
    --------
    >>> j = Judgments.from_dict({"gold": {1: {"a": 1, "b": 0, "c": 0, "d": 1}}})
    >>> noisy = inject_noise(j, Confusion.uniform(2, 0.5), seed=2)
    >>> noisy.grade.tolist(), noisy.notes
    ([0, 0, 1, 0], ('noise injected: 3 of 4 labels changed (seed 2)',))
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


def as_profiles(family: Family) -> Values:
    """Noise profiles by name, each a function (grades, level) → Confusion.

    >>> profile = as_profiles("uniform")["uniform"]
    >>> profile(2, 0.1).matrix.round(2).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """
    if isinstance(family, str):
        if family not in PROFILES:
            raise InputError(f"there is no noise profile {family!r}.", f"There are: {', '.join(PROFILES)}.")
        return {family: PROFILES[family]}
    if isinstance(family, Confusion):
        return {"confusion": Mixture(family)}
    if isinstance(family, Mapping):
        return {name: as_profiles(f).popitem()[1] for name, f in family.items()}
    if callable(family):
        return {getattr(family, "__name__", "profile"): family}
    return {name: value for one in family for name, value in as_profiles(one).items()}


@dataclass(frozen=True, eq=False)
class Mixture:
    """A measured confusion as a family: level t keeps the label with 1 − t and else draws from C's row."""

    confusion: Confusion

    def __call__(self, grades: int, level: float) -> Confusion:
        if grades > len(self.confusion):
            raise InputError(f"the data have {grades} grades, the confusion matrix {len(self.confusion)}.")
        matrix = np.asarray(self.confusion.matrix)
        return Confusion(level * matrix + (1 - level) * np.eye(len(matrix)), scale=self.confusion.scale)
