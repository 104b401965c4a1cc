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

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError
from dissensus.inference.comparison.api import compare
from dissensus.inference.correction.gold_topics import METHOD, RectifiedScores, notes_of, rectified
from dissensus.io.options import Missing, TableKeywords
from dissensus.measures.scores import ScoreArrays
from dissensus.results import Result, Table, Tables, single_values
from dissensus.stats.intervals import check_level, quantile
from dissensus.tables.coercion import coerced

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.comparison.outcome import Outcome


FIRST = 3  # notes of a first screen, at least
ALONE = "gold_low, gold_high: the interval from the topics with gold scores alone, without the judge"


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
    negligible: float | None = None  # a loss that does not matter, for the recommendation

    @property
    def title(self) -> str:
        """What stands above the table."""
        return "Corrected scores"

    @property
    def systems(self) -> tuple[str, ...]:
        return self.scores.systems

    @cached_property
    def table(self) -> pl.DataFrame:
        return pl.concat([pl.DataFrame(self._columns(r)) for r in self.results.values()])

    def _columns(self, r: RectifiedScores) -> dict[str, object]:
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
            "naive": r.back(r.topics.judge.mean(axis=1)),
            "corrected": theta,
            **{name: np.where(np.isnan(theta), np.nan, x) for name, x in known.items()},
            "method": [METHOD] * n,
            "gold_low": alone[0],
            "gold_high": alone[1],
            "topics": [len(r.topics.topics)] * n,
            "gold_topics": [int(r.topics.audited.sum())] * n,
        }

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name; rows in the order of each measure's outcome."""
        parts = self.table.partition_by("measure", as_dict=True, maintain_order=True)
        for (name,), rows in parts.items() if len(self.systems) > 1 else ():
            place = {s: i for i, s in enumerate(self._differences.outcomes[str(name)].order)}
            parts[name,] = rows.sort(rows["system"].replace_strict(place, return_dtype=pl.Int64))
        return {"scores": Table.of(pl.concat(parts.values()), level=self.level)}

    @property
    def notes(self) -> tuple[str, ...]:
        """What more would bring, how the numbers were got, what they assume, and what was left out."""
        said = dict.fromkeys(note for r in self.results.values() for note in notes_of(r))
        return (*self._remarks, self.footer, ALONE, *said)

    def screen(self, whole: bool = False) -> Result:
        """The same with the first notes."""
        few = max(len(self._remarks) + 1, FIRST)
        return self if whole else Tables(self.tables, self.title, self.notes, claims=self.claims, few=few).screen()

    @property
    def _remarks(self) -> tuple[str, ...]:
        return () if self.outcome is None else self.outcome.remarks

    @property
    def facts(self) -> Values:
        """The single values of the result, and what is concluded by each measure."""
        found = self._differences.outcomes if len(self.systems) > 1 else {}
        return {**single_values(self), "outcomes": {name: o.to_dict() for name, o in found.items()}}

    @property
    def footer(self) -> str:
        return f"judge={self.judge}  gold={self.gold}  target={self.target}  level={self.level:.0%}"

    def compare_all(
        self,
        correction: str = "max-t",
        *,
        baseline: str | None = None,
        difference: float | None = None,
        negligible: float | None = None,
        seed: int = 0,
    ) -> Differences:
        """Every pair under every measure, as `ds.compare(…, gold=…)` gives them."""
        return compare(
            self.scores, list(self.results), "t", correction, baseline=baseline, assessor=self.judge, gold=self.gold,
            target=self.target, missing=self.missing, difference=difference, level=self.level, negligible=negligible,
            seed=seed,
        )  # fmt: skip

    @cached_property
    def _differences(self) -> Differences:
        return self.compare_all(negligible=self.negligible)

    @property
    def outcome(self) -> Outcome | None:
        """What is concluded by the first measure (`comparison.outcome`); None of one system."""
        return self._differences.outcome if len(self.systems) > 1 else None

    @property
    def claims(self) -> list[Claim]:
        """What is concluded by the first measure, in a few claims; there are none of one system."""
        return [] if self.outcome is None else list(self.outcome.claims)

    def compare(self, a: str, b: str, measure: str | None = None) -> Difference:
        """The corrected difference a − b of one pair, not adjusted."""
        if measure is None and len(self.results) > 1:
            raise InputError(f"several measures were corrected: {', '.join(self.results)}.")
        for system in (a, b):
            if system not in self.systems:
                raise InputError(f"no system is called {system!r}; there are {', '.join(self.systems[:10])}.")
        name = measure or next(iter(self.results))
        if name not in self.results or a == b:
            raise InputError(f"there is no difference of {a} and {b} in {name}; there are {', '.join(self.results)}.")
        return self.compare_all("none")[a, b, name]


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
    **reading: Unpack[TableKeywords],
) -> CorrectedScores:
    """Scores of a table as the gold judge would have given them, from its scores on some of the topics.

    Parameters
    ----------
    scores
        Scores of two judges or more: of `evaluate`, a path or a frame.
    measures
        A measure of the table or several, by name.
    gold
        The judge that is the truth. Its scores may cover some of the topics.
    assessor
        The judge that is corrected, where the table has more than two.
    target
        population gives intervals for all topics like these. With these_topics, only the draw of the gold
        topics is random.
    missing
        skip: a topic on which gold lacks some systems counts as one without gold, instead of being an error.

    Returns
    -------
    CorrectedScores
        One row per system and measure:

        - `scores`: measure, system, naive, corrected, se, low, high, method, gold_low, gold_high, topics,
          gold_topics

    Examples
    --------
    >>> import dissensus as ds
    >>> rows = {"system": [], "topic": [], "assessor": [], "measure": [], "value": []}
    >>> for s, base in (("A", 0.5), ("B", 0.3)):
    ...     for t in range(12):
    ...         for judge, off in (("llm", 0.1), ("ann", 0.0)):
    ...             if judge == "llm" or t < 6:
    ...                 score = base + off + t % 5 / 50 + t % 3 / 90 * (judge == "ann")
    ...                 for column, value in zip(rows, (s, f"t{t}", judge, "AP", score)):
    ...                     rows[column].append(value)
    >>> found = ds.correct_scores(rows, "AP", gold="ann")
    >>> found.to_frame().select("system").to_series().to_list()
    ['A', 'B']
    """
    check_level(level)
    arrays = ScoreArrays.of(scores)
    names = [measures] if isinstance(measures, str) else [str(m) for m in measures]
    if not names:
        raise InputError("no measure was asked for.", f"The table has {', '.join(arrays.values)}.")
    results = [rectified(arrays, name, gold, assessor, target, missing) for name in dict.fromkeys(names)]
    judge = results[0].topics.judge_name
    return CorrectedScores({r.topics.measure: r for r in results}, arrays, judge, gold, target, level, missing)


def _alone(r: RectifiedScores, level: float) -> tuple[Floats, Floats]:
    """Intervals from the gold topics alone, without the judge; for these topics with their finite number."""
    g = r.topics.gold[:, r.topics.audited]
    m, n = g.shape[1], len(r.topics.topics)
    share = 1 - m / n if r.target == "these_topics" else 1.0
    half = quantile(level, m - 1.0) * np.sqrt(share * g.var(axis=1, ddof=1) / m)
    return r.back(g.mean(axis=1) - half), r.back(g.mean(axis=1) + half)
