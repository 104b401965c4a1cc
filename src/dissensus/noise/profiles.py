"""Noise profiles: families of confusion matrices by the level of noise.

>>> profile = as_profiles("uniform")["uniform"]
>>> profile(2, 0.1).matrix.round(2).tolist()
[[0.9, 0.1], [0.1, 0.9]]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.errors import InputError
from dissensus.judges.confusion.api import Confusion

Profile = Callable[[int, float], Confusion]
PROFILES: dict[str, Profile] = {"uniform": Confusion.uniform, "distance": Confusion.distance}
Family = str | Profile | Confusion | Mapping[str, Any] | Sequence[str]


def as_profiles(family: Family) -> dict[str, Any]:
    """Noise profiles by name, each a function (grades, level) → Confusion."""
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
