"""`noise`: how much noise in single labels reaches document pairs, and what would make the labels safer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.io.options import ReadKeywords
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.forecast import NoiseForecast, forecast_noise
from dissensus.label_noise.pairs import PairNoise, pair_noise
from dissensus.results import Result, Table
from dissensus.tables.coercion import as_judgments, coerced
from dissensus.tables.judgments import Judgments

Profile = str | Confusion


@dataclass(frozen=True, eq=False)
class NoiseForecasts(Result):
    """Forecasts by profile of the noise."""

    forecasts: Mapping[str, NoiseForecast]
    labels: tuple[str, ...] = ()  # what was done when labels were read
    title = "pNoise against dNoise"

    @property
    def tables(self) -> dict[str, Table]:
        """A table for each profile."""
        return {name: one.tables["forecast"] for name, one in self.forecasts.items()}

    @property
    def advice(self) -> dict[str, str]:
        """What would make the labels safer, by profile."""
        several = len(self.forecasts) > 1
        return {name: f"{name}: {f.advice}" if several else f.advice for name, f in self.forecasts.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """The advice, and how the numbers came about."""
        how = dict.fromkeys(note for f in self.forecasts.values() for note in f.notes)
        return (*self.advice.values(), *how, *self.labels)

    @property
    def facts(self) -> Values:
        """The single values of the result."""
        return {"advice": self.advice}


@coerced
def noise(
    judgments: Judgments,
    profile: Profile | Mapping[str, Profile] | Sequence[str] = "uniform",
    levels: Sequence[float] | None = None,
    *,
    against: Any = None,
    replicates: int = 20,
    assessor: str | None = None,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> NoiseForecasts | PairNoise:
    """How much of the noise in single labels (dNoise) reaches document pairs (pNoise).

    For the labels as they are, for every merging of neighbouring grades, and for labellings you could ask for instead.
    A forecast for noise that strikes documents independently of each other.

    Parameters
    ----------
    profile
        The noise: uniform, distance, or a Confusion. Several as a list, or by name.
    levels
        dNoise, between 0 and 1. With a Confusion, shares of its noise.
    against
        Labels with noise: measure their pNoise against `judgments` instead, as `pair_noise` does.
    replicates
        Draws behind each sampled value.

    Returns
    -------
    NoiseForecasts or PairNoise
        `.advice` by profile. A table for each profile:

        - `uniform`: labels, grades, dnoise, expected, sampled, sampled_se

    Examples
    --------
    >>> import dissensus as ds
    >>> found = ds.noise({"gold": {1: {f"d{i}": int(i > 6) for i in range(8)}}}, levels=[0.1])
    >>> found.to_frame("uniform")["expected"].round(3).to_list()[0]
    0.206
    """
    if assessor is not None:
        judgments = judgments.select(assessors=[assessor])
    if against is not None:
        if assessor is not None:
            raise InputError("against= compares the same assessors in two files.", "Leave out the assessor.")
        return pair_noise(judgments, as_judgments(against))
    if isinstance(profile, str | Confusion):
        named: Mapping[str, Profile] = {profile if isinstance(profile, str) else "matrix": profile}
    else:
        named = profile if isinstance(profile, Mapping) else {str(p): p for p in profile}
    found = {n: forecast_noise(judgments, p, levels, replicates=replicates, seed=seed) for n, p in named.items()}
    return NoiseForecasts(found, judgments.notes)
