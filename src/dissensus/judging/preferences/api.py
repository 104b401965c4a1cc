"""`preferences`: strengths, win rates, agreement and position bias of pairwise judgments, in one result.

Items are what is compared. Where the same items are compared on many topics (systems, answers by models), they have one
strength each, with intervals clustered by topic and the set of ranks each may have. Where every topic has its own items
(documents), they have strengths within their topic, which order them: `judgments()` makes grades of the order, and
`Compat` scores runs by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from dissensus.arrays import Ints
from dissensus.errors import Fix, InputError, MeasureError, Option
from dissensus.io.options import ReadOptions, RowKeywords, spelled_out
from dissensus.io.table import read_table, texts
from dissensus.judging.agreement.cohen import FEW_ASSESSORS, SHARED
from dissensus.judging.preferences.judge_effects import agreement_table, discriminations, position_table
from dissensus.judging.preferences.questions import Questions, questions
from dissensus.judging.preferences.reading import preferences_from_files
from dissensus.judging.preferences.strengths import Comparisons, Strengths, fit, linked, rank_sets
from dissensus.judging.preferences.table import Preferences
from dissensus.judging.preferences.win_rates import rectify, win_rates
from dissensus.measures.families.compatibility import Compat
from dissensus.results import Result, Table, Tables
from dissensus.stats.intervals import quantile
from dissensus.tables.coercion import is_paths
from dissensus.tables.judgments import Judgments
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.measures.measure import Measure

Items = Literal["auto", "shared", "topic"]
GRADES = 126  # the highest grade
CLAIMS = 8  # sentences above the tables; of more judges the tables speak


MEANINGS = {
    "judge": "judge whose answers are rectified",
    "pairs": "number of pairs of the item that were compared",
    "naive": "share of comparisons won by the judge alone",
    "audited": "number of these pairs in the audit",
    "se_votes": "part of the standard error that comes from votes that disagree",
    "n": "number of pairs of documents that both assessors answered",
    "agreement": 'share of equal answers, "same" being one of three',
    "decided": "share of equal answers where both decided for a document",
    "answers": "number of answers",
    "same": "number of answers that neither is better",
    "with_order": "number of answers that decide and whose order is known",
    "both_orders": "number of pairs asked in both orders",
    "changed": "number of those pairs where the order changed the answer",
    "other": "the other assessor",
    "discrimination": "how sharply the assessor follows the common order, 1 on average",
    "rank_low": "best rank that the item may have",
    "rank_high": "worst rank that the item may have",
}


@dataclass(frozen=True, eq=False)
class PreferenceResult(Result):
    """What preferences say.

    `agreement` has pairs of assessors, `position` how often the first place won. `judges` has the discrimination γ of
    each assessor (1 on geometric average). `strengths` has topic ("" for shared items), item, strength, se, low, high,
    and for shared items rank_low and rank_high. `wins` has win rates. With gold, `rectified` has each judge's win rates
    corrected by gold's votes. `shrunken` of the `groups` of items that were compared with each other have an item that
    always won or always lost.
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
    rectified: pl.DataFrame | None = None
    grouped: bool = False  # win rates are those of groups that were named

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Preferences"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        frames = {"rectified": self.rectified, "agreement": self.agreement, "position": self.position}
        frames |= {"discrimination": self.judges, "strengths": self.strengths, "win rates": self.wins}
        return {
            name: Table.of(frame, MEANINGS, level=self.level)
            for name, frame in frames.items()
            if frame is not None and frame.height
        }

    @property
    def claims(self) -> list[str]:
        """Where gold's votes change a judge's win rates most, and how often the order changed its answer."""
        lines = []
        for (judge,), own in () if self.rectified is None else self.rectified.group_by("judge", maintain_order=True):
            far = own.drop_nulls("win_rate").sort((pl.col("naive") - pl.col("win_rate")).abs(), descending=True)
            lines += [
                f"Using {judge}'s answers, {r['item']} wins {r['naive']:.0%} of its comparisons. Corrected by "
                f"{counted(r['audited'], 'audited pair')}, it wins {r['win_rate']:.0%} "
                f"[{r['low']:.0%}, {r['high']:.0%}]."
                for r in far.head(1).iter_rows(named=True)
            ]
        for r in self.position.filter(pl.col("both_orders") > 0).iter_rows(named=True):
            asked = counted(r["both_orders"], "pair")
            lines.append(f"The order changed {r['assessor']}'s answer in {r['changed']:,} of {asked} asked both ways.")
        return lines if len(lines) <= CLAIMS else []

    def screen(self, whole: bool = False) -> Result:
        """The same without the win rates of single documents."""
        if whole or self.items == "shared" or self.grouped:
            return self
        shown = {name: table for name, table in self.tables.items() if name != "win rates"}
        return Tables(shown, self.title, self.notes, claims=self.claims)

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


@spelled_out
def preferences(
    prefs: Preferences | object,
    *,
    gold: str | Preferences | None = None,
    inclusion: ArrayLike | None = None,
    groups: Mapping[str, str] | str | None = None,
    dimension: str | None = None,
    items: Items = "auto",
    ties: Literal["half", "davidson"] = "half",
    level: float = 0.95,
    seed: int = 0,
    **reading: Unpack[RowKeywords],
) -> PreferenceResult:
    """Strengths, win rates, agreement, position bias and judge discriminations of preferences.

    Parameters
    ----------
    prefs
        Preferences, a path, or a frame with topic, doc_a, doc_b, assessor and answer.
    gold
        The assessor that is the truth, or preferences whose answers are all votes of the truth. Every judge's win rates
        are then rectified by the pairs that both answered.
    inclusion
        The probability with which each of gold's pairs was drawn, one for each answer of gold. Without it, pairs with
        the same kind of answer by the judge had equal chances.
    groups
        A mapping of items to groups, or a file with the columns item and group. Win rates are then those of groups.
    dimension
        The question that was asked, where a column `dimension` holds several.
    items
        Compare items across topics (shared), or within each (topic). auto takes shared where most items occur
        in several topics.
    ties
        Answers that call both the same: half a win each, or Davidson's model.

    Returns
    -------
    PreferenceResult
        Its tables:

        - `rectified`: judge, item, pairs, topics, naive, audited, win_rate, se, low, high, se_votes
        - `agreement`: assessor, other, n, agreement, low, high, n_decided, decided, decided_low, decided_high
        - `position`: assessor, answers, same, with_order, first_preferred, low, high, both_orders, changed
        - `discrimination`: assessor, discrimination
        - `strengths`: topic, item, strength, se, low, high
        - `win rates`: item, pairs, topics, win_rate, se, low, high

    Examples
    --------
    >>> rows = [(t, "x", "y", "ann", "a") for t in range(6)] + [(t, "x", "y", "ann", "b") for t in range(6, 9)]
    >>> found = preferences(Preferences.from_rows(rows))
    >>> found.strengths.select("item").to_series().to_list(), round(found.strengths["strength"][0], 4)
    (['x', 'y'], 0.3466)
    """
    options = ReadOptions.of(**reading)
    given = _given(prefs, dimension, options)
    if not len(given):
        raise InputError("there are no preferences.", "Give at least one answer.")
    if items not in ("auto", "shared", "topic"):
        raise InputError(f'items={items!r} is none of "auto", "shared", "topic".')
    truth, everyone, judges = _with_gold(given, gold, dimension, options)
    options.refuse_unused()
    named = groups_of(groups)
    shared = _mostly_shared(judges) if items == "auto" else items == "shared"
    sets = _groups(judges, shared)
    fitted = [fit(data, ties=ties, clustered=shared) for _, _, data, _ in sets]
    asked = questions(judges)
    rectified, said = _rectified(judges, truth, inclusion, level, named)
    thin = sum(f.shrunken for f in fitted)
    return PreferenceResult(
        strengths=_strength_table(judges, sets, fitted, shared, level, seed),
        wins=win_rates(judges, asked, level=level, groups=named),
        agreement=agreement_table(everyone, None if everyone is not judges else asked, level=level),
        position=position_table(judges, asked, level=level),
        judges=_judge_table(judges, sets),
        items="shared" if shared else "topic",
        notes=(
            *given.notes,
            *_fit_notes(fitted, shared),
            *_asked_notes(judges, asked),
            *said,
            f"strengths: Bradley–Terry, {level:.0%} intervals, "
            + ("topics are the units" if shared else "within each topic, answers are the units"),
        ),
        level=level,
        groups=len(sets),
        shrunken=thin,
        rectified=rectified,
        grouped=bool(named),
    )


def _fit_notes(fitted: list[Strengths], shared: bool) -> list[str]:
    notes = []
    thin, lost = sum(f.shrunken for f in fitted), sum(not f.converged for f in fitted)
    if thin:
        what = "the strengths" if shared else f"the strengths of {thin:,} of {len(fitted):,} groups"
        notes.append(f"{what} are shrunken by one half-won answer an item: some items always won or always lost")
    if lost:
        notes.append(f"Newton's method did not settle in {counted(lost, 'group')}")
    return notes


def _asked_notes(judges: Preferences, asked: Questions) -> list[str]:
    notes = []
    if asked.both.any():
        notes.append(
            f"{counted(int(asked.both.sum()), 'pair')} asked in both orders: both answers are one opinion. "
            f"The order changed the answer about {counted(int(asked.changed.sum()), 'pair')}"
        )
    if len(judges.assessors) > FEW_ASSESSORS:
        notes.append(f"agreement: assessors that share {SHARED} pairs of documents or more")
    return notes


def _rectified(
    judges: Preferences, truth: Preferences | None, inclusion: ArrayLike | None, level: float,
    groups: Mapping[str, str] | None,
) -> tuple[pl.DataFrame | None, list[str]]:  # fmt: skip
    """(win rates of every judge, naive and rectified by the truth's votes, what was done)."""
    if truth is None:
        if inclusion is not None:
            raise InputError(
                "inclusion belongs to an audit, and there is none.", Fix("Name it with ", Option("gold", "NAME"), ".")
            )
        return None, []
    parts, notes = [], []
    for who in judges.assessors:
        found = rectify(judges.by(who), truth, inclusion, level=level, groups=groups)
        parts.append(found.table.select(pl.lit(who).alias("judge"), pl.all()))
        notes.append(found.sentence(who))
    chance = "" if inclusion is not None else "; pairs with the same kind of answer had equal chances to be audited"
    notes.append(f"rectified: for topics like these; votes that disagree widen the intervals{chance}")
    return pl.concat(parts), notes


def _with_gold(
    given: Preferences, gold: str | Preferences | None, dimension: str | None, options: ReadOptions
) -> tuple[Preferences | None, Preferences, Preferences]:
    """(the truth's votes, everyone's answers, the judges')."""
    if gold is None:
        return None, given, given
    if isinstance(gold, str) and gold in given.assessors:
        judges = given.without(gold)
        return given.by(gold), given, judges
    if isinstance(gold, str) and not Path(gold.partition("=")[2] or gold).is_file():
        given.by(gold)  # an error that names who there is
    truth = _given(gold, dimension, options)
    name = gold.partition("=")[0] if isinstance(gold, str) and "=" in gold else "gold"
    name = name if len(truth.assessors) > 1 or name != "gold" else truth.assessors[0]
    votes = truth.of_one(name)
    return votes, given.joined(votes), given


def groups_of(given: Mapping[str, str] | str | None) -> Mapping[str, str] | None:
    """{item: group} of a mapping or of a file with item and group."""
    if given is None or isinstance(given, Mapping):
        return given
    frame = read_table(Path(given)).frame
    if not {"item", "group"} <= set(frame.columns):
        raise InputError(f"{given} has the columns {', '.join(frame.columns)}.", "It needs item and group.")
    return dict(frame.select(texts(frame["item"]), texts(frame["group"])).iter_rows())


Group = tuple[str, Ints, Comparisons, Ints]  # topic, items, answers, judge of each answer


def _given(prefs: Any, dimension: str | None, options: ReadOptions) -> Preferences:
    if isinstance(prefs, Preferences):
        return prefs
    if is_paths(prefs):
        return preferences_from_files([prefs], options.preferences, dimension=dimension)
    return Preferences.from_frame(prefs, dimension=dimension, options=options.preferences)


def _mostly_shared(prefs: Preferences) -> bool:
    cells = np.unique(np.r_[prefs.first, prefs.second] * len(prefs.topics) + np.r_[prefs.topic, prefs.topic])
    _, topics = np.unique(cells // len(prefs.topics), return_counts=True)
    return bool((topics > 1).mean() > 0.5)


def _groups(prefs: Preferences, shared: bool) -> list[Group]:
    """Sets of items that were compared with each other: all, or those of each topic, cut into connected parts."""
    out: list[Group] = []
    order = np.argsort(prefs.topic, kind="stable")
    ends = np.flatnonzero(np.diff(prefs.topic[order])) + 1
    by_topic: list[Ints] = [np.arange(len(prefs))] if shared else np.split(order, ends)
    for rows in by_topic:
        topic = None if shared else int(prefs.topic[rows[0]])
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
    rows: list[tuple[object, ...]] = []
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
