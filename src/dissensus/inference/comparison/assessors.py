"""Assessors as a factor: do they disagree about which system is better, or only about how good all of them are?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import InputError
from dissensus.measures.other_names import the_one
from dissensus.measures.scores import ScoreArrays
from dissensus.results import Result, Table
from dissensus.stats.analysis_of_variance import Anova, anova

if TYPE_CHECKING:
    import xarray as xr

MANY = "a large system*assessor row means that assessors disagree about which system is better"
ONE = "there is one assessor only: nothing is said about how assessors differ"


@dataclass(frozen=True)
class AssessorEffects(Result):
    """The analysis of variance by each measure: what topics, systems and assessors do to scores."""

    analyses: Mapping[str, Anova] = field(repr=False)
    assessors: int
    policies: str = ""

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Analysis of variance of per-topic scores"

    @property
    def tables(self) -> dict[str, Table]:
        """A table for each measure."""
        return {name: found.tables["effects"] for name, found in self.analyses.items()}

    @property
    def notes(self) -> list[str]:
        """How the tables are read, and the policies."""
        return [MANY if self.assessors > 1 else ONE, *filter(None, [self.policies])]


def assessor_effects(scores: xr.Dataset | ScoreArrays) -> AssessorEffects:
    """`assessor_anova` by every measure of the scores."""
    arrays = ScoreArrays.of(scores)
    found = {name: assessor_anova(arrays, name) for name in arrays.values}
    return AssessorEffects(found, len(arrays.assessors), str(arrays.attrs.get("footer", "")))


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
