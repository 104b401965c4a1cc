"""Does a measure ever punish an improvement?

A measure is *utility-oriented* (a measurement in the sense of Ferrante, Ferro & Maistro, ICTIR 2015) if and only if it
never decreases under

- *replacement*: a document gives way to a more relevant one on the same rank;
- *swap*: a more relevant document changes places with a less relevant one above it.

The two moves generate the order ⪯ of rankings (`dissensus.order`), so checking them is checking the whole order. Short
rankings are checked exhaustively, long ones at random; a violation comes back as the two rankings that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.aliases import described
from dissensus.errors import Fix, InputError, MeasureError, Option, Text
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Measure
from dissensus.results import Result, Table, single_values
from dissensus.tables.scale import Scale, as_scale
from dissensus.wording import counted
from dissensus.work.seeds import generator

EXHAUSTIVE = 20_000  # rankings; beyond that, random ones
ROUNDING = 1e-12  # relative: a smaller loss is arithmetic, not the measure

Run = tuple[int, ...]


@dataclass(frozen=True)
class Violation:
    """Two rankings, the second better than the first, that the measure puts the other way round."""

    worse: Run
    better: Run
    score_worse: float
    score_better: float

    def __str__(self) -> str:
        before, after = (written(run) for run in (self.worse, self.better))
        return f"({before}) → ({after}) takes it from {self.score_worse:.4f} to {self.score_better:.4f}"


def written(run: Run) -> str:
    """A ranking in words: its grades, or for long ones the ranks of what is not at the bottom.

    >>> written((1, 0, 2)), written((0,) * 40 + (1, 2))
    ('1 0 2', '42 documents, grade 1 at 41, 2 at 42')
    """
    if len(run) <= 20:
        return " ".join(map(str, run))
    found = [f"{grade} at {rank}" for rank, grade in enumerate(run, start=1) if grade > min(run)]
    shown = ", ".join(found[:10]) + (f", … ({len(found)} in all)" if len(found) > 10 else "")
    return f"{len(run)} documents, grade {shown or f'{run[0]} throughout'}"


@dataclass(frozen=True)
class AxiomCheck(Result):
    """What was checked and what was found.

    `replacement` and `swap` hold the violation with the largest loss, None where the property held. `violations` and
    `unchanged` count the pairs that lost and that did not move, out of `pairs`, for (replacement, swap).
    """

    measure: str
    length: int
    scale: str
    relevant: int
    exhaustive: bool
    runs: int
    pairs: tuple[int, int]
    violations: tuple[int, int]
    unchanged: tuple[int, int]
    replacement: Violation | None
    swap: Violation | None

    @property
    def utility_oriented(self) -> bool:
        """True where neither property was violated; for random checks: as far as they went."""
        return self.replacement is None and self.swap is None

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {**single_values(self), "utility_oriented": self.utility_oriented}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"properties": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """One row per property."""
        return pl.DataFrame(
            [
                {
                    "measure": self.measure,
                    "property": name,
                    "holds": found is None,
                    "pairs": self.pairs[i],
                    "violations": self.violations[i],
                    "unchanged": self.unchanged[i],
                    "worse": None if found is None else " ".join(map(str, found.worse)),
                    "better": None if found is None else " ".join(map(str, found.better)),
                    "score_worse": None if found is None else found.score_worse,
                    "score_better": None if found is None else found.score_better,
                }
                for i, (name, found) in enumerate((("replacement", self.replacement), ("swap", self.swap)))
            ],
            schema_overrides={
                "worse": pl.String,
                "better": pl.String,
                "score_worse": pl.Float64,
                "score_better": pl.Float64,
            },
        )

    def __str__(self) -> str:
        how = f"all {self.runs:,} rankings" if self.exhaustive else f"{self.runs:,} random rankings"
        verdict = "is utility-oriented" if self.utility_oriented else "is not utility-oriented"
        if self.utility_oriented and not self.exhaustive:
            verdict = "showed no violation"
        runs = f"{how} of {counted(self.length, 'document')}, grades {self.scale}, R = {self.relevant}"
        lines = [f"{self.measure} {verdict} ({runs})"]
        for i, (name, found) in enumerate((("replacement", self.replacement), ("swap", self.swap))):
            pairs = counted(self.pairs[i], "pair")
            if found is None:
                lines.append(f"  {name}: holds on {pairs}, {self.unchanged[i]:,} of them unchanged")
            else:
                lines.append(f"  {name}: broken by {self.violations[i]:,} of {pairs}, e.g. {found}")
        return "\n".join(lines)


@described
def check_axioms(
    measure: str | Measure,
    length: int,
    scale: Scale | Sequence[str] | str | None = None,
    *,
    relevant: int | None = None,
    replicates: int = 2_000,
    seed: int = 0,
) -> AxiomCheck:
    """Does the measure ever punish an improvement? Replacement and swap, with counterexamples.

    Up to 20,000 rankings are checked exhaustively. Of more, random ones are, each with one random replacement and one
    random swap.

    Parameters
    ----------
    measure
        The measure, by name.
    length
        Length of the rankings.
    scale
        The grades, lowest first. Binary without it.
    relevant
        Documents of the top grade in the pool. As many as the ranking is long without it.
    replicates
        How many random rankings are checked where there are too many.

    Returns
    -------
    AxiomCheck
        `.utility_oriented` is True where neither property is broken. Its table:

        - `properties`: measure, property, holds, pairs, violations, unchanged, worse, better, score_worse,
          score_better

    Examples
    --------
    >>> print(check_axioms("MP(model='GL_AD_ID')", 4))
    MP(model='GL_AD_ID') is not utility-oriented (all 16 rankings of 4 documents, grades 0…1, R = 4)
      replacement: broken by 4 of 32 pairs, e.g. (1 0 0 0) → (1 0 0 1) takes it from 1.0000 to 0.7500
      swap: holds on 24 pairs, 0 of them unchanged
    >>> check_axioms("AP", 5).utility_oriented
    True
    """
    m, grades = named(measure), as_scale(scale) or Scale.range(0, 1)
    if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 1:
        raise InputError(Text(Option("length", length), ": rankings have one document or more."))
    if len(grades) < 2:
        raise InputError(
            f"the scale {grades} has one grade: no document is better than another.",
            Fix(
                "Write the grades, lowest first: ",
                Option("scale", "0..3"),
                " or ",
                Option("scale", "Non,Rel,HRel"),
                ".",
            ),
        )
    total = length if relevant is None else relevant
    if total < 1:
        raise InputError(Text(Option("relevant", relevant), ": R is 1 or more."))
    score = _scorer(m, grades, length, total)
    pairs: Iterator[tuple[int, Run, Run]]
    exhaustive = len(grades) ** length <= EXHAUSTIVE
    if exhaustive:
        runs = [run for run in product(grades.grades.tolist(), repeat=length) if _fits(run, total)]
        pairs = (
            (kind, run, better) for run in runs for kind, better in _improvements(run, grades) if _fits(better, total)
        )
        n_runs = len(runs)
    else:
        pairs, n_runs = _random_pairs(grades, length, total, replicates, seed), replicates
    counts = np.zeros((2, 3), np.int64)  # pairs, violations, unchanged
    worst: list[Violation | None] = [None, None]
    loss = [0.0, 0.0]
    for kind, run, better in pairs:
        low, high = score(run), score(better)
        counts[kind, 0] += 1
        if high < low - ROUNDING * max(abs(low), 1.0):
            counts[kind, 1] += 1
            if low - high > loss[kind] + ROUNDING:
                loss[kind] = low - high
                sign = 1 if m.higher_is_better else -1
                worst[kind] = Violation(run, better, sign * low, sign * high)
        elif high <= low + ROUNDING * max(abs(low), 1.0):
            counts[kind, 2] += 1
    return AxiomCheck(
        measure=str(m),
        length=int(length),
        scale=str(grades),
        relevant=int(total),
        exhaustive=exhaustive,
        runs=n_runs,
        pairs=(int(counts[0, 0]), int(counts[1, 0])),
        violations=(int(counts[0, 1]), int(counts[1, 1])),
        unchanged=(int(counts[0, 2]), int(counts[1, 2])),
        replacement=worst[0],
        swap=worst[1],
    )


def _scorer(m: Measure, scale: Scale, length: int, relevant: int) -> Callable[[Run], float]:
    """Score a ranking against the fixed pool, larger is better; remembers what it has scored."""
    pool = np.array([scale.top] * relevant + [scale.low] * length, np.int8)
    known: dict[Run, float] = {}
    sign = 1.0 if m.higher_is_better else -1.0

    def score(run: Run) -> float:
        value = known.get(run)
        if value is None:
            value = sign * m.compute(np.array(run, np.int8), pool, scale)
            if np.isnan(value):
                raise MeasureError(f"{m} is undefined for ({' '.join(map(str, run))}) with R = {relevant}.")
            known[run] = value
        return value

    return score


def _fits(run: Run, relevant: int) -> bool:
    """No ranking holds more relevant documents than there are."""
    return sum(g > 0 for g in run) <= relevant


def _improvements(run: Run, scale: Scale) -> Iterator[tuple[int, Run]]:
    """Every ranking one step better: (0, replaced by the next grade) and (1, swapped)."""
    for i, grade in enumerate(run):
        if grade < scale.top:
            yield 0, (*run[:i], grade + 1, *run[i + 1 :])
        for j in range(i + 1, len(run)):
            if run[j] > grade:
                yield 1, (*run[:i], run[j], *run[i + 1 : j], grade, *run[j + 1 :])


def _random_pairs(scale: Scale, length: int, relevant: int, number: int, seed: int) -> Iterator[tuple[int, Run, Run]]:
    """Random rankings of varying density, each with one random replacement and one random swap."""
    rng = generator(seed)
    for _ in range(number):
        density = rng.beta(0.5, 1.0)
        run = np.where(rng.random(length) < density, rng.integers(scale.low, scale.top + 1, length), scale.low)
        run[np.flatnonzero(run > 0)[relevant:]] = scale.low
        before: Run = tuple(run.tolist())
        for kind, after in ((0, _replaced(run, scale, rng)), (1, _swapped(run, scale, rng))):
            if after is not None:
                better: Run = tuple(after.tolist())
                if _fits(better, relevant):
                    yield kind, before, better


def _replaced(run: NDArray[np.int64], scale: Scale, rng: np.random.Generator) -> NDArray[np.int64] | None:
    places = np.flatnonzero(run < scale.top)
    if not len(places):
        return None
    i = rng.choice(places)
    out = run.copy()
    out[i] = rng.integers(run[i] + 1, scale.top + 1)
    return out


def _swapped(run: NDArray[np.int64], scale: Scale, rng: np.random.Generator) -> NDArray[np.int64] | None:
    lower = np.flatnonzero(run > np.minimum.accumulate(run))  # somewhere above is something worse
    if not len(lower):
        return None
    j = rng.choice(lower)
    i = rng.choice(np.flatnonzero(run[:j] < run[j]))
    out = run.copy()
    out[[i, j]] = run[[j, i]]
    return out
