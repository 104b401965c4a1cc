"""Real runs and labels: every judge audited many times as if few gold labels were known, against all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.inference.correction.api import estimated
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.estimate import Estimate, naive
from dissensus.inference.correction.pooled import pooled_estimate
from dissensus.inference.correction.questions import Target
from dissensus.inference.planning.api import plan
from dissensus.measures.measure import Linear, Measure
from dissensus.studies.audits.pooled_audits import METHODS, Counts, judged, refused_audit, table
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.tables.audit import Audit
from dissensus.tables.design import Frame
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.executor import run_units
from dissensus.work.seeds import block_sizes, generator

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BLOCK = 10
Unit = tuple[str, tuple[str, ...], int, str, int]  # judge, measures, labels, how audited, audits
#: what a judge's grades are worth on a gold scale of four, by how many grades it uses; its own classes stay for f(J)
GRADES = {2: (0, 2), 6: (0, 1, 1, 2, 3, 3)}


def some_runs(runs: Runs, n: int, seed: int) -> Runs:
    """`n` of the runs, drawn by the seed; all of them where there are no more."""
    if n <= 0 or n >= len(runs.systems):
        return runs
    chosen = np.sort(generator(seed).choice(len(runs.systems), n, replace=False))
    return runs.select(systems=[runs.systems[i] for i in chosen])


@dataclass(frozen=True, eq=False)
class Case:
    """A judge with gold labels of every document: who audits some of them sees a part of `design.gold`."""

    design: Design
    measure: Measure
    naive: Floats  # systems × topics
    truth: Floats

    def audited(self, keep: NDArray[np.bool_], pi: Floats) -> Design:
        """The design as it is when only `keep` was audited."""
        return replace(self.design, gold=np.where(keep, self.design.gold, -1), inclusion=pi, chances=pi)


def cases(given: GoldStandard, judge: str, measures: Sequence[Measure]) -> list[Case]:
    """Lay out one judge, once for all measures; its naive scores are those of its grades on the gold scale."""
    runs, bronze, truth = given.runs, given.alone(judge), given.alone(given.gold)
    design = lay_out(runs, bronze, Audit(truth, np.ones(len(truth))))
    grades = GRADES.get(len(bronze.scale)) if len(truth.scale) == 4 else None
    labels = bronze
    if grades is not None:
        labels = bronze.with_grades(np.array(grades, bronze.grade.dtype)[bronze.grade], truth.scale)
    plain = lay_out(runs, labels, None)
    right = lay_out(runs, truth.select(topics=list(design.joined.topics)), None)
    return [Case(design, m, naive(m, plain), np.nanmean(naive(m, right), axis=1)) for m in measures]


def chances(one: Case, runs: Runs, bronze: Judgments, budget: float, how: str) -> Floats:
    """π of every item: as `plan` draws for scores, from all judged documents, or from those that systems show."""
    design = one.design
    able = (design.bronze < design.n_labels - 1) & design.audited
    if how != "planned":
        frame = able if how == "random" else able & (design.best_rank() <= (one.measure.cutoff or 10))
        return np.where(frame, min(budget / frame.sum(), 1.0), 0.0)
    everyone = Frame(plan(runs, bronze, budget=budget, measures=one.measure).everyone)
    topics = pl.Series(np.array(design.joined.topics, dtype=object)[design.topic].tolist(), dtype=pl.String)
    pi = everyone.of(topics, pl.Series(design.joined.judgments.doc_ids(), dtype=pl.String))
    return np.where(able, pi, 0.0)


@lru_cache(maxsize=32)  # the blocks of one cell are one plan
def laid(
    given: GoldStandard, judge: str, measures: tuple[Measure, ...], budget: float, how: str
) -> tuple[list[Case], Floats]:
    """One judge under some measures, and the probabilities of its audits, planned for the first of them."""
    every = cases(given, judge, measures)
    return every, chances(every[0], given.runs, given.alone(judge), budget, how)


def estimates(one: Case, design: Design, seed: int) -> dict[str, tuple[Floats, Estimate | None]]:
    """Naive, rectified and pooled scores after one audit; those that are refused are left out."""
    m: Measure = one.measure
    target: Target = "these_topics"
    result = estimated(m, design, target, seed)
    rectified = result.estimate
    pooled = pooled_estimate(m, one.naive, rectified, design, result.weights, target)
    out: dict[str, tuple[Floats, Estimate | None]] = {"naive": (np.nanmean(one.naive, axis=1), None)}
    return out | {n: (e.theta, e) for n, e in (("rectified", rectified), ("pooled", pooled)) if not e.why_not}


def block(
    unit: Unit, given: GoldStandard, measures: dict[str, Measure], favoured: tuple[str, ...], rng: np.random.Generator
) -> dict[tuple[str, str], list[Counts]]:
    """Some audits of one judge, each planned for the first measure and used for all; by measure and method."""
    judge, names, budget, how, audits = unit
    every, pi = laid(given, judge, tuple(measures[name] for name in names), budget, how)
    out: dict[tuple[str, str], list[Counts]] = {}
    first = tuple(given.runs.systems.index(name) for name in favoured) or (0,)
    for _ in range(audits):
        design = every[0].audited(rng.random(len(pi)) < pi, pi)
        seed = int(rng.integers(2**31))
        for name, one in zip(names, every, strict=True):
            found = estimates(one, design, seed)
            for method in METHODS:
                known = method in found
                counts = judged(method, *found[method], one.truth, first=first) if known else refused_audit()
                out.setdefault((name, method), []).append(counts)
    return out


def groups(measures: dict[str, Measure]) -> list[tuple[str, ...]]:
    """Measures that one audit serves: linear ones each by itself, all others together, planned for the first."""
    single = [(name,) for name, m in measures.items() if isinstance(m, Linear)]
    rest = tuple(name for name, m in measures.items() if not isinstance(m, Linear))
    return [*single, rest] if rest else list(single)


def real_table(
    given: GoldStandard,
    measures: dict[str, Measure],
    budgets: Iterable[int],
    *,
    audits: int,
    hows: tuple[str, ...] = ("planned",),
    judges: tuple[str, ...] = (),
    favoured: tuple[str, ...] = (),
    seed: int = 0,
    executor: Any = None,
) -> pl.DataFrame:
    """One row per judge, measure, number of labels, kind of audit and method."""
    others, systems = given.others(judges), given.runs.systems
    if strange := [name for name in favoured if name not in systems]:
        raise InputError(f"no system is called {strange[0]!r}; there are {', '.join(systems)}.")
    units: list[Unit] = [
        (j, names, b, how, size)
        for size in block_sizes(audits, BLOCK)  # stopped half-way, every cell has some audits
        for j in others
        for names in groups(measures)
        for b in budgets
        for how in hows
    ]
    shared = {"given": given, "measures": measures, "favoured": favoured}
    done = run_units(block, units, shared=shared, seed=seed, executor=executor, progress="auditing")
    found: dict[tuple[Any, ...], list[Counts]] = {
        (j, m, b, how, method): []
        for j in others for m in measures for b in budgets for how in hows for method in METHODS
    }  # fmt: skip
    for (judge, _, budget, how, _), result in zip(units, done, strict=True):
        for (name, method), rows in result.items():
            found[judge, name, budget, how, method].extend(rows)
    return table(found, ("judge", "measure", "labels", "audit"))
