"""`preferences`: strengths, win rates, agreement and position bias of pairwise judgments, in one result.

Items are what is compared. Where the same items are compared on many topics (systems, answers by models), they have one
strength each, with intervals clustered by topic and the set of ranks each may have. Where every topic has its own items
(documents), they have strengths within their topic, which order them: `judgments()` makes grades of the order, and
`Compat` scores runs by it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import Fix, InputError, MeasureError, Option
from dissensus.judging.preferences.judge_effects import agreement_table, discriminations, position_table
from dissensus.judging.preferences.reading import read_preferences
from dissensus.judging.preferences.strengths import Comparisons, Strengths, fit, linked, rank_sets
from dissensus.judging.preferences.table import Preferences
from dissensus.judging.preferences.win_rates import win_rates
from dissensus.measures.families.compatibility import Compat
from dissensus.results import Result, Table
from dissensus.stats.intervals import quantile
from dissensus.tables.judgments import Judgments

if TYPE_CHECKING:
    from dissensus.measures.measure import Measure

Ints = NDArray[np.int64]
Items = Literal["auto", "shared", "topic"]
GRADES = 126  # the highest grade


@dataclass(frozen=True, eq=False)
class PreferenceResult(Result):
    """What preferences say.

    `strengths`: topic ("" for shared items), item, strength, se, low, high, and for shared items rank_low and
    rank_high; `wins`: win rates; `agreement`: pairs of assessors; `position`: how often the first place won;
    `judges`: discrimination γ of each assessor (1 on geometric average). `shrunken` of the `groups` of items that were
    compared with each other have an item that always won or always lost.
    """

    strengths: pl.DataFrame
    wins: pl.DataFrame
    agreement: pl.DataFrame
    position: pl.DataFrame
    judges: pl.DataFrame
    items: str
    notes: tuple[str, ...]
    level: float
    groups: int = 0
    shrunken: int = 0

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {
            "strengths": Table.of(self.strengths, level=self.level),
            "wins": Table.of(self.wins, level=self.level),
            "agreement": Table.of(self.agreement, level=self.level),
            "position": Table.of(self.position, level=self.level),
            "judges": Table.of(self.judges, level=self.level),
        }

    def __str__(self) -> str:
        parts = [("strengths", self.strengths), ("agreement", self.agreement), ("position", self.position)]
        tables = "\n".join(f"{name}\n{table}" for name, table in parts if table.height)
        return "\n".join(["Preferences", tables, *self.notes])

    def judgments(self, assessor: str = "preferences") -> Judgments:
        """Grades by strength within each topic, the weakest 1; for `Compat`, which goes by order alone."""
        if self.items != "topic":
            raise InputError("the items are compared across topics, so they are not documents of one topic.")
        grades: dict[str, dict[str, int]] = {}
        for (topic,), rows in self.strengths.group_by("topic", maintain_order=True):
            values, place = np.unique(np.round(rows["strength"].to_numpy(), 9), return_inverse=True)
            if len(values) > GRADES:
                place = place * GRADES // len(values)
            grades[str(topic)] = dict(zip(rows["item"].to_list(), (place + 1).tolist(), strict=True))
        return Judgments.from_dict({assessor: grades})


def preferences(
    prefs: Preferences | Any,
    *,
    items: Items = "auto",
    ties: Literal["half", "davidson"] = "half",
    level: float = 0.95,
    seed: int = 0,
) -> PreferenceResult:
    """Strengths, win rates, agreement, position bias and judge discriminations of preferences.

    Parameters
    ----------
    prefs
        Preferences, a path, or a frame with topic, doc_a, doc_b, assessor and answer.
    items
        Compare items across topics (shared), or within each (topic). auto takes shared where most items occur
        in several topics.
    ties
        Answers that call both the same: half a win each, or Davidson's model.

    Returns
    -------
    PreferenceResult
        Its tables:

        - `strengths`: topic, item, strength, se, low, high
        - `wins`: item, pairs, topics, win_rate, se, low, high
        - `agreement`: assessor, other, n, agreement, low, high, n_decided, decided, decided_low, decided_high
        - `position`: assessor, answers, same, with_order, first_preferred, low, high
        - `judges`: assessor, discrimination

    Examples
    --------
    >>> rows = [(t, "x", "y", "ann", "a") for t in range(6)] + [(t, "x", "y", "ann", "b") for t in range(6, 9)]
    >>> found = preferences(Preferences.from_rows(rows))
    >>> found.strengths.select("item").to_series().to_list(), round(found.strengths["strength"][0], 4)
    (['x', 'y'], 0.3466)
    """
    prefs = _given(prefs)
    if not len(prefs):
        raise InputError("there are no preferences.", "Give at least one answer.")
    if items not in ("auto", "shared", "topic"):
        raise InputError(f'items={items!r} is none of "auto", "shared", "topic".')
    shared = _mostly_shared(prefs) if items == "auto" else items == "shared"
    groups = _groups(prefs, shared)
    fitted = [fit(data, ties=ties, clustered=shared) for _, _, data, _ in groups]
    notes = list(prefs.notes)
    thin = sum(f.shrunken for f in fitted)
    if thin:
        what = "the strengths" if shared else f"the strengths of {thin:,} of {len(groups):,} groups"
        notes.append(f"{what} are shrunken by one half-won answer an item: some items always won or always lost")
    lost = sum(not f.converged for f in fitted)
    if lost:
        notes.append(f"Newton's method did not settle in {lost:,} groups")
    return PreferenceResult(
        strengths=_strength_table(prefs, groups, fitted, shared, level, seed),
        wins=win_rates(prefs, level=level),
        agreement=agreement_table(prefs, level=level),
        position=position_table(prefs, level=level),
        judges=_judge_table(prefs, groups),
        items="shared" if shared else "topic",
        notes=tuple(notes),
        level=level,
        groups=len(groups),
        shrunken=thin,
    )


Group = tuple[str, Ints, Comparisons, Ints]  # topic, items, answers, judge of each answer


def _given(prefs: Any) -> Preferences:
    if isinstance(prefs, str | os.PathLike):
        return read_preferences(prefs)
    return prefs if isinstance(prefs, Preferences) else Preferences.from_frame(prefs)


def _mostly_shared(prefs: Preferences) -> bool:
    pairs = np.unique(np.stack([np.r_[prefs.first, prefs.second], np.r_[prefs.topic, prefs.topic]]), axis=1)
    _, topics = np.unique(pairs[0], return_counts=True)
    return bool((topics > 1).mean() > 0.5)


def _groups(prefs: Preferences, shared: bool) -> list[Group]:
    """Sets of items that were compared with each other: all, or those of each topic, cut into connected parts."""
    out: list[Group] = []
    topics = [None] if shared else list(np.unique(prefs.topic))
    for topic in topics:
        rows = np.arange(len(prefs)) if topic is None else np.flatnonzero(prefs.topic == topic)
        items, code = np.unique(np.r_[prefs.first[rows], prefs.second[rows]], return_inverse=True)
        i, j = code[: len(rows)], code[len(rows) :]
        part = linked(i, j, len(items))
        for p in range(int(part.max(initial=-1)) + 1):
            own = np.flatnonzero(part[i] == p)
            members = np.flatnonzero(part == p)
            place = np.full(len(items), -1)
            place[members] = np.arange(len(members))
            r = rows[own]
            data = Comparisons(
                len(members), place[i[own]], place[j[own]], prefs.answer[r], prefs.shown[r], prefs.topic[r]
            )
            out.append(("" if topic is None else prefs.topics[topic], items[members], data, prefs.assessor[r]))
    return out


def _strength_table(
    prefs: Preferences, groups: list[Group], fitted: list[Strengths], shared: bool, level: float, seed: int
) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for (topic, items, _, _), found in zip(groups, fitted, strict=True):
        se = np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
        df = found.clusters - 1 if found.clusters else None
        reach = quantile(level, df) * se
        ranks = rank_sets(found.theta, found.covariance, level=level, df=df, seed=seed) if shared else None
        for k in np.argsort(-found.theta, kind="stable"):
            own = () if ranks is None else (int(ranks[k, 0]), int(ranks[k, 1]))
            theta = round(float(found.theta[k]), 12) + 0.0  # the middle one of three is 0, not 1e-19
            rows.append((topic, prefs.docs[items[k]], theta, float(se[k]), theta - reach[k], theta + reach[k], *own))
    names = ["topic", "item", "strength", "se", "low", "high", *(["rank_low", "rank_high"] if shared else [])]
    return pl.DataFrame(rows, schema=names, orient="row")


def _judge_table(prefs: Preferences, groups: list[Group]) -> pl.DataFrame:
    gamma = np.ones(len(prefs.assessors))
    if len(gamma) > 1:
        gamma = discriminations([g[2] for g in groups], [g[3] for g in groups], len(gamma))
    return pl.DataFrame({"assessor": list(prefs.assessors), "discrimination": gamma})


def orders_of(prefs: Preferences) -> Judgments:
    """Judgments for `Compat`: every assessor's order, Bradley–Terry strengths within topics, from its answers alone.

    >>> rows = [("q", "d1", "d2", "ann", "a"), ("q", "d2", "d3", "ann", "a"), ("q", "d1", "d2", "bob", "b")]
    >>> orders_of(Preferences.from_rows(rows)).to_frame().rows()[:3]
    [('q', 'd1', 'ann', 3), ('q', 'd1', 'bob', 1), ('q', 'd2', 'ann', 2)]

    Grades only number the places, the least preferred 1, so a measure that adds gains up has nothing to add here.
    """
    parts = [preferences(prefs.by(who), items="topic").judgments(who).to_frame() for who in prefs.assessors]
    return Judgments.from_frame(pl.concat(parts))


def check_order_measures(measures: Iterable[Measure]) -> None:
    """Refuse measures that would take places in an order for grades."""
    wrong = [m for m in measures if not isinstance(getattr(m, "inner", m), Compat)]
    if wrong:
        raise MeasureError(
            f"{wrong[0]} needs grades, and preferences only order the documents.",
            Fix("Use ", Option("measures", "Compat(p=0.8)"), ", which compares a ranking with that order."),
        )
