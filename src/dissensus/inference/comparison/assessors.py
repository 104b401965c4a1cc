"""Assessors as a factor: do they disagree about which system is better, or only about how good all of them are?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import InputError
from dissensus.measures.other_names import the_one
from dissensus.measures.scores import ScoreArrays
from dissensus.stats.analysis_of_variance import Anova, anova

if TYPE_CHECKING:
    import xarray as xr


def assessor_anova(scores: xr.Dataset | ScoreArrays, measure: str) -> Anova:
    """Analysis of variance of scores by topic, system and assessor, with their interaction system × assessor.

    A large assessor effect shifts all systems equally and is harmless; a large system × assessor interaction means that
    assessors disagree about which system is better. With one assessor it is the two-way analysis topic × system.
    """
    scores = ScoreArrays.of(scores)
    values = scores.values[the_one(scores.values, measure)].transpose(2, 1, 0)
    values = values[np.isfinite(values).all(axis=(1, 2))]
    if len(values) < 2:
        raise InputError(
            f"{measure}: {len(values)} topics have a score from every assessor for every system. Two are needed."
        )
    factors: dict[str, int | Sequence[str]] = {"topic": len(values), "system": scores.systems}
    if len(scores.assessors) == 1:
        return anova(values[:, :, 0], factors)
    factors["assessor"] = scores.assessors
    return anova(values, factors, [("system", "assessor")])
