"""`balance`: how top-heavy measures are, and which axioms they break."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.aliases import described
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.results import Result, Table
from dissensus.tables.scale import Scale
from dissensus.theory.axioms import AxiomCheck, check_axioms
from dissensus.theory.balancing import BalancingCurve, balancing_curve


@dataclass(frozen=True)
class Axioms(Result):
    """Which axioms each measure breaks."""

    checks: tuple[AxiomCheck, ...]
    title = "Does the measure ever punish an improvement?"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"properties": Table.of(pl.concat([check.to_frame() for check in self.checks]))}

    @property
    def notes(self) -> tuple[str, ...]:
        """The checks in words, with a counterexample of each axiom that is broken."""
        return tuple(line for check in self.checks for line in str(check).splitlines())

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {"utility_oriented": {check.measure: check.utility_oriented for check in self.checks}}


@described
def balance(
    measures: Iterable[str | Measure] | str | Measure,
    length: int | None = None,
    curve: int | None = None,
    low: int = 1,
    high: int = 1,
    *,
    axioms: bool = False,
    scale: Scale | Sequence[str] | str | None = None,
    seed: int = 0,
) -> BalancingCurve | Axioms:
    """The balancing index of measures, or the axioms they break.

    The index is the largest rank b such that documents of the lowest grade on ranks b…N make up for one top document at
    rank 1. It is close to N for measures that hardly care about rank, 1 for those that care for little else.

    Parameters
    ----------
    length
        Length of the rankings: 1000, with axioms 5.
    curve
        The index at so many lengths from 1 to `length`, not at `length` alone.
    low
        The lowest grade above 0.
    high
        The top grade.
    axioms
        Check replacement and swap instead, and show counterexamples.
    scale
        With axioms: the grades, lowest first. Binary without it.

    Returns
    -------
    BalancingCurve or Axioms
        `.indices` by measure, or `.checks`. The table of one and of the other:

        - `indices`: measure, length, index
        - `properties`: measure, property, holds, pairs, violations, unchanged, worse, better, score_worse, score_better

    Examples
    --------
    >>> import dissensus as ds
    >>> ds.balance(["RBP(p=0.8)", "ERR"], length=100).to_frame()["index"].to_list()
    [8, 1]
    """
    asked = measure_list(measures)
    if axioms:
        return Axioms(tuple(check_axioms(m, length or 5, scale, seed=seed) for m in asked))
    longest = length or 1000
    lengths = [longest]
    if curve is not None:
        lengths = np.unique(np.linspace(1, longest, curve).round().astype(int)).tolist()
    return balancing_curve(asked, lengths, low, high)
