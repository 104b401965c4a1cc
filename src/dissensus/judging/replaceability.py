"""May this judge replace an assessor? The alternative annotator test (Calderon, Reichart & Dror, ACL 2025).

For every human h, leave h out and ask on each document i that h judged who is nearer to the other humans:

    W^f_i = 1[S(judge, others) ≥ S(h, others)],    W^h_i = 1[S(h, others) ≥ S(judge, others)]

S is the share of others who say the same (`score="accuracy"`), minus the root mean squared distance ("rmse"), or minus
the mean distance in grades ("ordinal"). H0: mean(W^h − W^f) ≥ ε, where ε is what the judge's lower cost is worth: .2
beside experts, .15 beside skilled assessors, .1 beside a crowd. The test is a one-sided t; with `clusters="topic"` its
standard error takes the documents of a topic as one observation,

    se² = C/(C−1) · Σ_c (Σ_{i∈c} (d_i − d̄))² / n²,   C − 1 degrees of freedom,

because errors on one topic are not independent; `clusters=None` is the published test. Over humans, p-values are
adjusted by Benjamini and Yekutieli at .05. ω (`winning_rate`) is the share of humans for whom H0 is rejected; ρ
(`advantage`) is the mean of W^f over humans. The judge may replace an assessor where ω ≥ .5.

Passing says that the judge is about as near to the others as one of them is. It does not say that the judge is right,
nor that it treats all systems equally: see `leaderboard_replaceability` and an audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.io.options import ReadKeywords
from dissensus.judging.label_table import Labels, labels
from dissensus.results import Result, Table, single_values
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import check_one_scale
from dissensus.wording import counted
from dissensus.work.seeds import generator

Score = Literal["accuracy", "rmse", "ordinal"]
SCORES = ("accuracy", "rmse", "ordinal")
FEWEST = 30  # documents a human needs
FEW_TOPICS = 10
LEVEL = 0.05  # of the adjusted test
RESAMPLES, CHUNK = 999, 2_000_000


@dataclass(frozen=True, eq=False)
class Replaceability(Result):
    """Whether `judge` may replace a human.

    `winning_rate` (ω) and `advantage` (ρ) come with `winning_rate_interval` (bootstrap over units) and
    `advantage_interval` (t over units). `table` has one row per human: items, units, judge_nearer (mean W^f),
    human_nearer (mean W^h), difference, p_value, adjusted, replaceable.
    """

    judge: str
    score: Score
    epsilon: float
    units: str  # "topics" or "documents"
    winning_rate: float
    winning_rate_interval: tuple[float, float]
    advantage: float
    advantage_interval: tuple[float, float]
    table: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """ω ≥ .5: for at least half of the humans the judge is as near to the others."""
        return self.winning_rate >= 0.5

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {**single_values(self), "passes": self.passes}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"assessors": Table.of(self.table, {"adjusted": "p-value, adjusted for the number of people"})}

    @property
    def verdict(self) -> str:
        """One sentence: may the judge replace an assessor, or not."""
        wins = int(self.table["replaceable"].sum())
        of = self.table.height
        start = f"{self.judge} may replace an assessor" if self.passes else f"{self.judge} may not replace an assessor"
        return (
            f"{start}: it is shown to be at least as near to the others, within ε = {self.epsilon:g}, for {wins} of "
            f"{counted(of, 'assessor')}."
        )

    def __str__(self) -> str:
        omega, rho = self.winning_rate_interval, self.advantage_interval
        lines = [
            self.verdict,
            f"winning rate ω {self.winning_rate:.3f} [{omega[0]:.3f}, {omega[1]:.3f}], "
            f"advantage ρ {self.advantage:.3f} [{rho[0]:.3f}, {rho[1]:.3f}] (score: {self.score}, units: {self.units})",
        ]
        return "\n".join((*lines, *self.notes))


@coerced
def replaceability(
    judgments: Judgments,
    judge: str,
    humans: Sequence[str] | None = None,
    score: Score = "accuracy",
    epsilon: float = 0.2,
    clusters: Literal["topic"] | None = "topic",
    *,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> Replaceability:
    """May this judge replace one of the people? The alternative annotator test.

    A person needs 30 documents that another person and the judge have judged, too. Where all documents belong to one
    topic, documents are the units, and the notes say so.

    Parameters
    ----------
    judge
        The assessor that might replace a person.
    humans
        The people, who must be named: other judges are no people.
    score
        What is compared: accuracy, rmse, or ordinal.
    epsilon
        What a person costs more than the judge, as a handicap in the test.
    clusters
        Resample topics, or None for the published test over documents.

    Returns
    -------
    Replaceability
        `.winning_rate`, `.advantage`. Its table, a row per person:

        - `assessors`: assessor, documents, units, judge_nearer, human_nearer, difference, p_value, adjusted,
          replaceable

    Examples
    --------
    >>> grades = {t: {d: (t * d) % 3 for d in range(6)} for t in range(12)}
    >>> off = {t: {d: (g + (d == 1)) % 3 for d, g in docs.items()} for t, docs in grades.items()}
    >>> j = Judgments.from_dict({"ann": off, "bob": grades, "cyd": grades, "llm": grades}, scale="0..2")
    >>> r = replaceability(j, "llm", ["ann", "bob", "cyd"], epsilon=0.1)
    >>> r.winning_rate, round(r.advantage, 3)
    (1.0, 1.0)
    """
    _check(judgments, judge, humans, score, epsilon, clusters)
    check_one_scale(judgments.select(assessors=[judge, *dict.fromkeys(humans or ())]))
    table = labels(judgments).first()
    chosen = list(humans or ())
    trials = _trials(judgments, table, judge, chosen, score)
    tested = [h for h, t in trials.items() if len(t.item) >= FEWEST]
    if not tested:
        most = max((len(t.item) for t in trials.values()), default=0)
        raise InputError(
            f"no assessor has {FEWEST} documents that {judge!r} and another assessor have judged too; the most is "
            f"{most}.",
            "Give more documents with several assessors.",
        )
    unit, kind, notes = _units(judgments, trials, tested, clusters)
    few = [h for h in chosen if h not in tested]
    if few:
        notes += (f"{counted(len(few), 'assessor')} with fewer than {FEWEST} shared documents left out",)
    sums = UnitSums.of([trials[h] for h in tested], unit)
    p_value = sums.p_values(epsilon)
    adjusted = benjamini_yekutieli(p_value)
    won = adjusted <= LEVEL
    return Replaceability(
        judge=judge,
        score=score,
        epsilon=epsilon,
        units=kind,
        winning_rate=float(won.mean()),
        winning_rate_interval=sums.winning_interval(epsilon, seed),
        advantage=float(sums.judge_nearer.mean()),
        advantage_interval=sums.advantage_interval(),
        table=_table(tested, trials, sums, p_value, adjusted),
        notes=(*judgments.notes, *table.notes, *notes),
    )


# ── who is nearer to the others ──
@dataclass(frozen=True, eq=False)
class Trials:
    """One human's documents, and on each whether the judge (`f`) and the human (`h`) are at least as near."""

    item: Ints
    f: NDArray[np.bool_]
    h: NDArray[np.bool_]


def likeness(k: int, values: Floats, score: Score) -> Floats:
    """How near two levels are. For "rmse" it is minus the squared distance: the root does not change who is nearer."""
    if score == "accuracy":
        return np.eye(k)
    if score == "ordinal":
        return np.asarray(-np.abs(np.subtract.outer(np.arange(k), np.arange(k))), np.float64)
    return np.asarray(-(np.subtract.outer(values, values) ** 2), np.float64)


def _trials(judgments: Judgments, table: Labels, judge: str, humans: Sequence[str], score: Score) -> dict[str, Trials]:
    codes = [judgments.assessors.index(h) for h in humans]
    judged = table.by(judgments.assessors.index(judge))
    rows = table.rows(np.isin(table.assessor, codes) & (judged[table.item] >= 0))
    count = rows.counts()
    rows = rows.rows(count.sum(axis=1)[rows.item] >= 2)
    near = likeness(table.n_levels, table.grades.astype(np.float64), score)
    item, own, theirs = rows.item.astype(np.int64), rows.level.astype(np.int64), judged[rows.item]
    total = count[item] @ near
    place = np.arange(len(item))
    of_judge = total[place, theirs] - near[own, theirs]  # the human's own label is not among the others
    of_human = total[place, own] - near[own, own]
    return {
        h: Trials(item[mine], (of_judge >= of_human)[mine], (of_human >= of_judge)[mine])
        for h, mine in ((h, rows.assessor == c) for h, c in zip(humans, codes, strict=True))
    }


def _units(
    judgments: Judgments, trials: dict[str, Trials], tested: list[str], clusters: str | None
) -> tuple[Ints, str, tuple[str, ...]]:
    """(unit of every item, what units are called, notes)."""
    topic = judgments.item_topic.astype(np.int64)
    n_topics = len(np.unique(topic[np.concatenate([trials[h].item for h in tested])]))
    if clusters is None or n_topics < 2:
        notes = () if clusters is None else ("one topic only: documents are the units, as if they were independent",)
        return np.arange(judgments.n_items), "documents", notes
    few = (f"{n_topics} topics: unreliable under {FEW_TOPICS}",) if n_topics < FEW_TOPICS else ()
    return topic, "topics", few


# ── tests over units ──
@dataclass(frozen=True, eq=False)
class UnitSums:
    """Per unit and human: documents `n`, Σ (W^h − W^f) `d`, Σ W^f `f`, Σ W^h `h`; units × humans."""

    n: Floats
    d: Floats
    f: Floats
    h: Floats

    @classmethod
    def of(cls, trials: list[Trials], unit: Ints) -> UnitSums:
        used, place = np.unique(unit[np.concatenate([t.item for t in trials])], return_inverse=True)
        human = np.repeat(np.arange(len(trials)), [len(t.item) for t in trials])
        code = place * len(trials) + human
        f, h = (np.concatenate([getattr(t, side) for t in trials]).astype(np.float64) for side in ("f", "h"))
        shape = (len(used), len(trials))

        def sums(weight: Floats) -> Floats:
            return np.bincount(code, weight, len(used) * len(trials)).reshape(shape).astype(np.float64)

        return cls(sums(np.ones(len(code))), sums(h - f), sums(f), sums(h))

    @property
    def judge_nearer(self) -> Floats:
        return np.asarray(self.f.sum(axis=0) / self.n.sum(axis=0), np.float64)

    def p_values(self, epsilon: float, weight: Floats | None = None) -> Floats:
        """One-sided p of H0: mean(W^h − W^f) ≥ ε per human; rows of `weight` are resamples of the units."""
        from scipy.special import stdtr

        w = np.ones((1, len(self.n))) if weight is None else weight
        n, d = w @ self.n, w @ self.d
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = d / n
            present = w @ (self.n > 0).astype(np.float64)
            squares = w @ self.d**2 - 2 * mean * (w @ (self.d * self.n)) + mean**2 * (w @ self.n**2)
            se = np.sqrt(np.maximum(squares, 0) * present / (present - 1)) / n
            t = (mean - epsilon) / se
        p = np.asarray(stdtr(np.maximum(present - 1, 1), np.nan_to_num(t, posinf=np.inf, neginf=-np.inf)))
        constant = ~(se > 1e-12)  # every unit says the same: a sign test, since t knows no spread
        p = np.where(constant, np.where(mean < epsilon, 0.5**present, 1.0), p)
        p = np.where(present >= 2, p, 1.0)
        return p[0] if weight is None else p

    def advantage_interval(self, level: float = 0.95) -> tuple[float, float]:
        """t interval of ρ: the humans share documents, so a unit's pull on all of them is added up first."""
        from scipy.special import stdtrit

        units = len(self.n)
        if units < 2:
            return np.nan, np.nan
        rho = self.judge_nearer
        influence = ((self.f - rho * self.n) / self.n.sum(axis=0)).mean(axis=1)
        half = float(stdtrit(units - 1, 0.5 + level / 2)) * np.sqrt(units / (units - 1) * (influence**2).sum())
        return float(rho.mean() - half), float(rho.mean() + half)

    def winning_interval(self, epsilon: float, seed: int, level: float = 0.95) -> tuple[float, float]:
        """Percentile bootstrap of ω over units, the adjusted tests repeated on every resample."""
        units = len(self.n)
        if units < 2:
            return np.nan, np.nan
        rng = generator(seed)
        rates: list[Floats] = []
        step = max(1, CHUNK // units)
        for start in range(0, RESAMPLES, step):
            size = min(step, RESAMPLES - start)
            drawn = rng.integers(0, units, (size, units)) + units * np.arange(size)[:, None]
            weight = np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)
            p = self.p_values(epsilon, weight)
            rates.append((benjamini_yekutieli(p) <= LEVEL).mean(axis=1))
        low, high = np.quantile(np.concatenate(rates), [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


def benjamini_yekutieli(p: Floats) -> Floats:
    """Adjusted p-values along the last axis (Benjamini & Yekutieli 2001): valid under any dependence.

    >>> benjamini_yekutieli(np.array([0.01, 0.02, 0.5])).round(4).tolist()
    [0.055, 0.055, 0.9167]
    """
    m = p.shape[-1]
    order = np.argsort(p, axis=-1)
    ranked = np.take_along_axis(p, order, axis=-1) * m / np.arange(1, m + 1) * (1 / np.arange(1, m + 1)).sum()
    least = np.minimum.accumulate(ranked[..., ::-1], axis=-1)[..., ::-1]
    out = np.empty_like(least)
    np.put_along_axis(out, order, np.minimum(least, 1.0), axis=-1)
    return out


def _table(
    tested: list[str], trials: dict[str, Trials], sums: UnitSums, p_value: Floats, adjusted: Floats
) -> pl.DataFrame:
    n = sums.n.sum(axis=0)
    return pl.DataFrame(
        {
            "assessor": pl.Series(tested, dtype=pl.String),
            "documents": [len(trials[h].item) for h in tested],
            "units": (sums.n > 0).sum(axis=0),
            "judge_nearer": sums.judge_nearer,
            "human_nearer": sums.h.sum(axis=0) / n,
            "difference": sums.d.sum(axis=0) / n,
            "p_value": p_value,
            "adjusted": adjusted,
            "replaceable": adjusted <= LEVEL,
        }
    )


def _check(
    judgments: Judgments, judge: str, humans: Sequence[str] | None, score: str, epsilon: float, clusters: str | None
) -> None:
    names = judgments.assessors
    if isinstance(humans, str):
        raise InputError(Text(Option("humans", humans), " is one text."), f"Give a list of names: humans=[{humans!r}].")
    for option, value in (("judge", judge), *(("humans", h) for h in humans or ())):
        if value not in names:
            raise InputError(f"{option}={value!r}: no assessor has that name.", f"Assessors: {', '.join(names[:10])}")
    if not humans:
        raise InputError(
            f"nobody was named whom {judge!r} might replace: other judges and gold are no humans.",
            Fix("Name people who graded the same documents: humans=['ann', 'bob'].", reader="python"),
            Fix("Name people who graded the same documents: --human ann,bob", reader="command"),
        )
    if judge in humans:
        raise InputError(Text(Option("judge", judge), " is also among the humans."), "Leave it out of humans.")
    if score not in SCORES:
        raise InputError(Text(Option("score", score), f" is not one of {', '.join(SCORES)}."))
    if score != "accuracy" and not judgments.scale.ordered:
        raise InputError(
            Text(Option("score", score), f" needs grades in order; the labels {judgments.scale} have none."),
            Fix("Use ", Option("score", "accuracy"), ", or give the scale in order, lowest grade first."),
        )
    if not 0 <= epsilon < 1:
        raise InputError(
            Text(Option("epsilon", epsilon), " must be at least 0 and below 1."),
            Fix("For example ", Option("epsilon", 0.2), " for experts."),
        )
    if clusters not in ("topic", None):
        raise InputError(
            Text(Option("clusters", clusters), " is not valid."),
            Fix("Use ", Option("clusters", "topic"), " or clusters=None."),
        )
