"""Score tables corrected topic by topic: a judge scored every topic, the gold judge a random sample of them.

No labels are needed, and any measure will do: what is rectified are the scores themselves. With the judge's scores B on
all n topics and gold scores G on m of them (`topicwise`),

    θ = λ·mean B + mean over the gold topics of (G − λ·B),   λ = 1, or the slope of G on B from 15 gold topics.

    >>> import numpy as np, xarray as xr
    >>> b = np.array([[.5, .6, .7, .8], [.4, .4, .6, .6]])          # 2 systems on 4 topics, by the judge
    >>> g = np.array([[.4, np.nan, .5, np.nan], [.4, np.nan, .5, np.nan]])   # 2 of the topics, by people
    >>> scores = xr.Dataset({"AP": (("assessor", "system", "topic"), [b, g])},
    ...     coords={"assessor": ["llm", "people"], "system": ["A", "B"], "topic": list("pqrs")})
    >>> correct_scores(scores, "AP", gold="people").table.select("system", "naive", "corrected").rows()
    [('A', 0.65, 0.5), ('B', 0.5, 0.45)]

The gold topics must be a random sample of the topics: gold for the hardest topics only answers for the hardest topics.
With labels at hand rather than scores, audit documents instead (`ds.correct`): that takes fewer gold labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.data.readers.choices import Missing
from dissensus.data.tables.coercion import coerced
from dissensus.errors import InputError, Option, Text
from dissensus.inference.comparison.engine import Family, Ints, naive_differences, t_pairs
from dissensus.inference.comparison.power import units_needed
from dissensus.inference.correction.gold_topics import GoldTopics, gold_topics
from dissensus.inference.correction.topicwise import Topicwise, rectify_topics
from dissensus.inference.correction.weights import Floats
from dissensus.measures.scores import How, ScoreArrays, aggregate_of, for_means
from dissensus.results import Result, as_json
from dissensus.stats.intervals import check_level, quantile

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr

    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences

TARGETS = ("population", "these_topics")
USUAL, DIFFERENT = 5, 3  # the judge errs equally on so many gold topics, and differently on fewer than so many
METHOD = "per-topic"


@dataclass(frozen=True, eq=False)
class RectifiedScores:
    """One measure: scores as they are averaged (logarithms where the mean is geometric), and what follows from them."""

    topics: GoldTopics
    aggregate: How
    target: str
    judge: Floats
    gold: Floats
    made: Topicwise

    @property
    def complete(self) -> bool:
        """Does every topic have gold scores?"""
        return bool(self.topics.audited.all())

    def untold(self, a: int, b: int | None = None) -> bool:
        """For these topics only: is the judge's error the same on nearly all gold topics, so that its spread is unseen?

        Of one system, or of the difference of two.
        """
        if self.target == "population" or self.complete:
            return False
        audited = self.topics.audited
        error = (self.gold - self.made.slope[:, None] * self.judge)[:, audited]
        error = error[a] if b is None else error[a] - error[b]
        if b is not None and np.array_equal(self.judge[a], self.judge[b]) and not np.abs(error).max() > 1e-12:
            return False  # the same system twice
        _, count = np.unique(error.round(12), return_counts=True)
        other = len(error) - int(count.max())
        return other == 0 or (other < DIFFERENT and int(count.max()) >= USUAL)

    def means(self) -> Floats:
        """Corrected scores, NaN where nothing is said of a system's error."""
        theta = np.array([np.nan if self.untold(s) else t for s, t in enumerate(self.made.theta)])
        return self.back(theta)

    def back(self, values: Floats) -> Floats:
        """From the scale of means to that of scores."""
        return np.asarray(np.exp(values) if self.aggregate == "geometric" else values, np.float64)

    def family(self, pairs: tuple[Ints, Ints]) -> Family:
        """The pairs of systems for the engine; NaN where nothing is said of a pair."""
        a, b = pairs
        made = t_pairs(self.topics.measure, self.made.theta, self.made.covariance, self.made.df, pairs=pairs)
        closed = np.array([self.untold(i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True)])
        difference, se = np.where(closed, np.nan, made.difference), np.where(closed, np.nan, made.se)
        p, interval = np.where(closed, np.nan, made.p), made.interval
        if self.complete and self.target == "these_topics":  # nothing is left to chance

            def exact(level: float) -> tuple[Floats, Floats]:
                return difference, difference

            p, interval = (difference == 0).astype(np.float64), exact
        n = np.full(len(a), self.judge.shape[1])
        nothing = np.full(len(a), np.nan)
        return replace(made, difference=difference, se=se, p=p, interval=interval, topics=n, effect=nothing)


@dataclass(frozen=True, eq=False)
class CorrectedScores(Result):
    """Corrected scores of all systems and measures of a table.

    `.table` one row per system and measure: naive, corrected, se, low, high, gold_low and gold_high (from the gold
    topics alone), topics, gold_topics. `.compare(a, b)` one difference, `.compare_all()` all, adjusted together.
    Nothing is clipped.
    """

    results: dict[str, RectifiedScores]
    scores: ScoreArrays = field(repr=False)
    judge: str
    gold: str
    target: str = "population"
    level: float = 0.95
    missing: Missing | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.scores.systems

    @cached_property
    def table(self) -> pl.DataFrame:
        import polars as pl

        return pl.concat([pl.DataFrame(self._columns(r)) for r in self.results.values()])

    def _columns(self, r: RectifiedScores) -> dict[str, Any]:
        """The rows of one measure, NaN where nothing is said of a system."""
        n, theta, se = len(self.systems), r.means(), np.sqrt(np.diag(r.made.covariance))
        half = quantile(self.level, r.made.df) * se
        alone = _alone(r, self.level)
        known = {
            "se": se * (theta if r.aggregate == "geometric" else 1.0),
            "low": r.back(r.made.theta - half),
            "high": r.back(r.made.theta + half),
        }
        return {
            "measure": [r.topics.measure] * n,
            "system": list(self.systems),
            "naive": r.back(r.judge.mean(axis=1)),
            "corrected": theta,
            **{name: np.where(np.isnan(theta), np.nan, x) for name, x in known.items()},
            "method": [METHOD] * n,
            "gold_low": alone[0],
            "gold_high": alone[1],
            "topics": [r.judge.shape[1]] * n,
            "gold_topics": [int(r.topics.audited.sum())] * n,
        }

    def to_frame(self) -> pl.DataFrame:
        return self.table

    @property
    def notes(self) -> tuple[str, ...]:
        """How the numbers were got, what they assume, and what was left out."""
        return tuple(dict.fromkeys(note for r in self.results.values() for note in notes_of(r)))

    def to_json(self) -> str:
        return as_json({"table": self.table.to_dicts(), "notes": self.notes, "footer": self.footer})

    @property
    def footer(self) -> str:
        return f"judge={self.judge}  gold={self.gold}  target={self.target}  level={self.level:.0%}"

    def __str__(self) -> str:
        lines = [
            f"{row['measure']}  {row['system']}  naive {row['naive']:.4f}  corrected {row['corrected']:.4f} "
            f"[{row['low']:.4f}, {row['high']:.4f}]"
            for row in self.table.iter_rows(named=True)
        ]
        return "\n".join((*lines, *self.notes, self.footer))

    def compare_all(
        self, correction: str = "max-t", *, baseline: str | None = None, difference: float | None = None, seed: int = 0
    ) -> Differences:
        """Every pair under every measure, as `ds.compare(…, gold=…)` gives them."""
        from dissensus.inference.comparison.api import compare

        return compare(
            self.scores, list(self.results), "t", correction, baseline=baseline, assessor=self.judge, gold=self.gold,
            target=self.target, missing=self.missing, difference=difference, level=self.level, seed=seed,
        )  # fmt: skip

    def compare(self, a: str, b: str, measure: str | None = None) -> Difference:
        """The corrected difference a − b of one pair, not adjusted."""
        if measure is None and len(self.results) > 1:
            raise InputError(f"several measures were corrected: {', '.join(self.results)}.")
        for system in (a, b):
            if system not in self.systems:
                raise InputError(f"no system is called {system!r}; there are {', '.join(self.systems[:10])}.")
        name = measure or next(iter(self.results))
        for d in self.compare_all("none").pairs:
            if {d.a, d.b} == {a, b} and d.measure == name:
                return d if d.a == a else d.reversed()
        raise InputError(f"there is no difference of {a} and {b} in {name}; there are {', '.join(self.results)}.")


@coerced
def correct_scores(
    scores: xr.Dataset | ScoreArrays,
    measures: Sequence[str] | str,
    *,
    gold: str,
    assessor: str | None = None,
    target: str = "population",
    level: float = 0.95,
    missing: Missing | None = None,
) -> CorrectedScores:
    """Scores of a table as the gold judge would have given them, from its scores on some of the topics.

    `gold` and `assessor` name two judges of the table (the second one only where there are more than two).
    `target="population"`: topics are a sample, intervals are for all topics like them; `"these_topics"`: only the draw
    of the gold topics is random, and the variance is that of a finite population. `missing="skip"`: a topic on which
    gold lacks some systems counts as one without gold, instead of being an error.
    """
    check_level(level)
    arrays = ScoreArrays.of(scores)
    names = [measures] if isinstance(measures, str) else [str(m) for m in measures]
    if not names:
        raise InputError("no measure was asked for.", f"The table has {', '.join(arrays.values)}.")
    results = [rectified(arrays, name, gold, assessor, target, missing) for name in dict.fromkeys(names)]
    judge = results[0].topics.judge_name
    return CorrectedScores({r.topics.measure: r for r in results}, arrays, judge, gold, target, level, missing)


def rectified(
    scores: ScoreArrays, measure: str, gold: str, assessor: str | None, target: str, missing: Missing | None = None
) -> RectifiedScores:
    """One measure of a table, rectified."""
    if target not in TARGETS:
        raise InputError(Text(Option("target", target), " is neither 'population' nor 'these_topics'."))
    found = gold_topics(scores, measure, gold, assessor, missing)
    how = aggregate_of(found.measure, scores.attrs)
    judge, best = (for_means(x, how, found.measure, found.judge.shape[1]) for x in (found.judge, found.gold))
    return RectifiedScores(found, how, target, judge, best, rectify_topics(judge, best, found.audited, target))


def notes_of(r: RectifiedScores) -> list[str]:
    """What must be read beside the numbers of one measure."""
    t = r.topics
    m, n = int(t.audited.sum()), len(t.topics)
    out = [f"{t.measure}: {note}" for note in t.notes]
    if r.complete:
        return out
    slopes = "" if np.ptp(r.made.slope) == 0 == r.made.slope[0] - 1 else _slopes(r.made.slope)
    out.append(
        f"{t.measure}: {t.judge_name}'s scores on {n:,} topics{slopes}, moved by what {t.gold_name} says on {m:,} of "
        f"them; Student's t with {r.made.df:g} degrees of freedom"
    )
    out.append(f"{t.measure}: assumes that the topics with gold scores are a random sample of the topics")
    if untold := [s for i, s in enumerate(t.systems) if r.untold(i)]:
        out.append(
            f"{t.measure}: no corrected score of {', '.join(untold[:5])}: {t.judge_name} errs by the same amount on "
            f"nearly all gold topics, so nothing tells how it errs on the others; give gold scores of more topics"
        )
    return out


def _slopes(slope: Floats) -> str:
    low, high = float(slope.min()), float(slope.max())
    return f", times {low:.2f}" if low == high else f", times {low:.2f} to {high:.2f} by system"


def _alone(r: RectifiedScores, level: float) -> tuple[Floats, Floats]:
    """Intervals from the gold topics alone, without the judge; for these topics with their finite number."""
    g = r.gold[:, r.topics.audited]
    m, n = g.shape[1], r.judge.shape[1]
    share = 1 - m / n if r.target == "these_topics" else 1.0
    half = quantile(level, m - 1.0) * np.sqrt(share * g.var(axis=1, ddof=1) / m)
    return r.back(g.mean(axis=1) - half), r.back(g.mean(axis=1) + half)


def beside_naive(
    pairs: list[Difference], corrected: RectifiedScores, f: Family, difference: float | None
) -> list[Difference]:
    """Corrected pairs with what the judge alone says of them; `difference` is one that matters to the user."""
    naive, p = naive_differences(corrected.judge, f.a, f.b)
    gold, topics = int(corrected.topics.audited.sum()), corrected.judge.shape[1]
    untold = "nothing tells how the judge errs on the other topics: it errs equally on nearly all gold topics"
    out = []
    for k, d in enumerate(pairs):
        advice = d.advice
        if difference is not None and d.detectable > difference:
            m, n = (units_needed(x, d.detectable, difference) for x in (gold, topics))
            advice = f"a difference of {difference:g} would need about {n:,} topics, {m:,} of them with gold scores"
        notes = (f"no corrected difference, because {untold}.",) if math.isnan(d.difference) else d.notes
        out.append(replace(d, method=METHOD, naive=float(naive[k]), naive_p=float(p[k]), advice=advice, notes=notes))
    return out
