"""What is asked of an audit in order: which contrasts of which systems, sign or equivalence, for which topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.sequential.stop import Kind, Question
from dissensus.stats.intervals import check_level
from dissensus.tables.runs import Runs

Target = Literal["these_topics", "population"]


@dataclass(frozen=True)
class Asked:
    """The contrasts as pairs of positions in `systems` (the second None for a single score), and the rules."""

    systems: tuple[str, ...]
    contrasts: list[tuple[int, int | None]]
    question: Question
    margin: float | None
    level: float
    kind: Kind
    target: Target
    mean_assessor: bool

    @property
    def alpha(self) -> float:
        return 1 - self.level

    @property
    def parts(self) -> int:
        """Among how many parts the error is shared: the audit's own, new topics, assessors."""
        return 1 + (self.target == "population") + self.mean_assessor

    def names(self, k: int) -> tuple[str, str | None]:
        a, b = self.contrasts[k]
        return self.systems[a], None if b is None else self.systems[b]


def ask(
    runs: Runs,
    systems: Sequence[str] | str | None,
    *,
    scores: bool,
    question: Question | None,
    margin: float | None,
    level: float,
    kind: Kind,
    target: Target,
    mean_assessor: bool,
) -> Asked:
    """Check what is asked, and spell it out."""
    chosen = _systems(runs, systems)
    check_level(level)
    if kind not in ("asymptotic", "exact"):
        raise InputError(
            Text(Option("kind", kind), " is not a valid kind."),
            Fix("Use ", Option("kind", "asymptotic"), " or ", Option("kind", "exact"), "."),
        )
    if target not in ("these_topics", "population"):
        raise InputError(
            Text(Option("target", target), " is not a valid target."),
            Fix("Use ", Option("target", "these_topics"), " or 'population'."),
        )
    if margin is not None and not (math.isfinite(margin) and margin > 0):
        raise InputError(f"margin={margin:g} must be above 0.", "Give the largest difference that does not matter.")
    single = scores or len(chosen) == 1
    contrasts: list[tuple[int, int | None]]
    contrasts = [(i, None) for i in range(len(chosen))] if single else list(combinations(range(len(chosen)), 2))
    asked: Question = "score" if single else question or ("difference" if margin is None else "both")
    if asked not in ("difference", "equivalence", "both", "score") or (question is not None and single):
        raise InputError(
            Text(Option("question", question), " is not a valid question here."),
            Fix("For a pair of systems use ", Option("question", "difference"), ", 'equivalence' or 'both'."),
        )
    if asked in ("equivalence", "both") and margin is None:
        raise InputError(
            Text(Option("question", asked), " needs a margin."), Fix("Add ", Option("margin", 0.02), ", for example.")
        )
    return Asked(chosen, contrasts, asked, margin, level, kind, target, mean_assessor)


def _systems(runs: Runs, systems: Sequence[str] | str | None) -> tuple[str, ...]:
    chosen = runs.systems if systems is None else (systems,) if isinstance(systems, str) else tuple(systems)
    for name in chosen:
        if name not in runs.systems:
            raise InputError(f"no system is called {name!r}; there are {', '.join(runs.systems[:10])}.")
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"systems must be different from each other, not {', '.join(chosen) or 'an empty list'}.")
    return chosen
