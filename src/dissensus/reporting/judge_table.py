"""`judges`: many judges against gold, one row for each, and everything behind the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from dissensus.errors import InputError
from dissensus.inference.carry_over import carry_over
from dissensus.inference.comparison.claims import names
from dissensus.inference.judge_bias import Exposure
from dissensus.io.options import ReadKeywords
from dissensus.judging.label_table import with_gold
from dissensus.judging.replaceability import Score
from dissensus.measures.policies import DEFAULT_MEASURE
from dissensus.reporting.judge_card import CardSettings, JudgeCard, judge_card
from dissensus.results import Result, Table, Tables
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.coercion import coerced
from dissensus.tables.copies import copy_notes
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted
from dissensus.work.progress import Progress

REASONS, NAMED = 4, 3  # reasons that are given; judges that are named beside one
MEANINGS = {
    "kind": "what changed",
    "score": "mean score by the judge's labels",
    "gold": "mean score, or share, by gold",
    "rank gold": "rank by gold",
    "rank": "rank by the judge's labels",
    "run": "the new run",
    "systems": "number of systems",
    "effect": "what the row is about",
    "bias": "what the judge favours or misses",
}


@dataclass(frozen=True, eq=False)
class JudgeTable(Result):
    """Judges against gold: a row for each, and what is behind it."""

    gold: str
    cards: tuple[JudgeCard, ...] = field(repr=False)
    carried: tuple[tuple[pl.DataFrame, str], ...] = field(default=(), repr=False)
    remarks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"Judges against {self.gold}"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        frames = _frames(self.cards)
        if self.carried:
            frames["carry-over"] = pl.concat([frame for frame, _ in self.carried])
        return {name: Table.of(frame, MEANINGS, rest="{name} of the judge") for name, frame in frames.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the judges may do, what could not be computed and why."""
        return (*_footer(self.cards), *(line for _, line in self.carried), *self.remarks)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The single values of the result."""
        return {"gold": self.gold, "judges": [card.judge for card in self.cards]}

    def screen(self, whole: bool = False) -> Tables:
        """The same for people: of several judges the rows alone, without columns that are empty."""
        tables = self.tables
        rows = tables["judges"].frame
        full = [name for name in rows.columns if not rows[name].is_null().all()]
        columns = {name: column for name, column in tables["judges"].columns.items() if name in full}
        first = {"judges": replace(tables["judges"], frame=rows.select(full), columns=columns)}
        more = {n: t for n, t in tables.items() if n != "judges" and (len(self.cards) == 1 or n == "carry-over")}
        return Tables(first | more, self.title, self.notes)


@coerced
def judges(
    judgments: Judgments,
    gold: str | None = None,
    judge: Sequence[str] | str | None = None,
    human: Sequence[str] = (),
    *,
    audit: Audit | Judgments | None = None,
    runs: Runs | None = None,
    measures: str = DEFAULT_MEASURE,
    before: str | None = None,
    new_run: Runs | None = None,
    probe: Audit | None = None,
    margin: float = 0.02,
    score: Score = "accuracy",
    epsilon: float = 0.2,
    by_document: bool = False,
    rel: int | str | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> JudgeTable:
    """Look at judges: may one replace an assessor, where does it err, did it drift, what does it do to systems.

    Gold is an assessor, or an audit, whose documents count 1/π. A judge may replace an assessor only where people are
    named and it agrees with gold beyond chance. Other judges, gold and its earlier version are no people.

    Parameters
    ----------
    gold
        The assessor that is the truth, if no audit is.
    judge
        The judges to look at. All but gold and people without it.
    human
        The people whom the judge might replace.
    audit
        Expert labels that are the truth, weighted by 1/π.
    runs
        Runs, for ranks, systems and their order.
    measures
        The measure for the order of systems.
    before
        The version before: what drifted since?
    new_run
        A run that the calibration was not made with: does it hold?
    probe
        Audited documents of the new runs.
    margin
        What a new run's calibrated score may be off by.
    score
        How near two labels are: accuracy, rmse or ordinal.
    epsilon
        What the judge's lower cost is worth.
    by_document
        Documents as units, as published, instead of topics.
    rel
        Cut the grades in two at this one, for biases, Se and Sp.
    documents
        {document: text}, for their length.
    topic_texts
        {topic: query}, for query terms.

    Returns
    -------
    JudgeTable
        `.cards` has a card for each judge. Its first table has a row per judge, the others what is behind the rows.
        Which there are depends on what was given:

        - `judges`: judge, documents, percent, kappa, low, high, alpha, omega, rho, may replace, tau, biases
        - `confusion`: judge, reference, observed, probability, count
        - `biases`: judge, feature, kind, documents, coefficient, se, low, high, p_value, adjusted, detectable
        - `replaceability`: judge, assessor, documents, units, judge_nearer, human_nearer, difference, p_value,
          adjusted, replaceable
        - `leaderboard`: judge, assessor, topics, judge_tau, human_tau, difference, low, high, p_value, adjusted,
          replaceable
        - `flips`: judge, old, new, documents, share
        - `drift against gold`: judge, what, old, new, change, low, high
        - `systems`: judge, system, score, rank, and score and rank by gold: a column for each
        - `carry-over`: system, measure, margin, outcome, unlike, residual, low, high, probed, n_topics

    Examples
    --------
    >>> import dissensus as ds
    >>> labels = {j: {t: {d: (t * d + (j == "llm" and d == 1)) % 2 for d in range(9)} for t in range(12)}
    ...           for j in ("gold", "llm")}
    >>> found = ds.judges(labels, "gold")
    >>> found.to_frame()["judge"].to_list()
    ['llm']
    """
    labels, truth, given = _with_gold(judgments, gold, audit)
    people = [human] if isinstance(human, str) else list(human)
    chosen = [judge] if isinstance(judge, str) else judge
    names = _judges(labels, truth, chosen, [*people, *([before] if before else [])])
    exposure = None if runs is None else Exposure.of(runs, labels)
    settings = CardSettings(people, score, epsilon, not by_document, measures, rel, before, exposure, seed)
    if new_run is not None and runs is None:
        raise InputError("--new-run is compared with the runs that were calibrated, and none are given.", "Add --runs.")
    cards, carried = [], []
    with Progress("judges", len(names)) as bar:
        for name in names:
            cards.append(
                judge_card(
                    labels,
                    name,
                    truth,
                    runs=runs,
                    documents=documents,
                    topic_texts=topic_texts,
                    settings=settings,
                    audit=given,
                )
            )
            if new_run is not None and runs is not None:
                found = carry_over(runs, new_run, labels, name, truth, measures, margin=margin, probe=probe)
                carried += [(r.to_frame().insert_column(0, pl.lit(name).alias("judge")), f"{name}, {r}") for r in found]
            bar.advance()
    return JudgeTable(truth, tuple(cards), tuple(carried), (*copy_notes(labels), *labels.notes))


def people_named(labels: Judgments, human: Sequence[str]) -> list[str]:
    """The people named, one by one or several with commas between them."""
    whole = (part for name in human for part in ([name] if name in labels.assessors else name.split(",")))
    return list(dict.fromkeys(name.strip() for name in whole if name.strip()))


def _with_gold(
    labels: Judgments, gold: str | None, audit: Audit | Judgments | None
) -> tuple[Judgments, str, Audit | None]:
    """(labels with gold among them, gold's name, the audit that it is)."""
    if (gold is None) == (audit is None):
        raise InputError(
            "gold is an assessor or an audit: " + ("neither was named." if gold is None else "both were named."),
            "Name the assessor that is the truth: --gold NAME",
            "Give the experts' audit: --audit FILE",
        )
    if gold is not None or audit is None:
        return labels, str(gold), None
    given = as_audit(audit)
    graded = given.judgments.rows(given.judgments.grade >= 0)
    both, name = with_gold(labels, graded)
    return both, name, given


def _judges(labels: Judgments, gold: str, chosen: Sequence[str] | None, no_judges: Sequence[str]) -> list[str]:
    for name in (gold, *(chosen or ()), *no_judges):
        if name not in labels.assessors:
            known = ", ".join(labels.assessors[:10])
            file = [f"Give the file with the judges, as in gold={name}, and its name: --gold gold"]
            ways_out = [f"Assessors: {known}", *(file if Path(name).is_file() else ())]
            raise InputError(f"no assessor is called {name!r}.", *ways_out)
    if both := [name for name in chosen or () if name in no_judges]:
        raise InputError(
            f"{both[0]} is named as a judge and as one of those it is held against.", "Name each of them once."
        )
    names = list(chosen or ()) or [a for a in labels.assessors if a != gold and a not in no_judges]
    if not names:
        raise InputError(
            f"apart from gold {gold!r} there is no judge to look at.", "Give the labels of a judge as well."
        )
    return names


def _counted(confusion: pl.DataFrame) -> pl.DataFrame:
    """Counts of documents as whole numbers; weighted ones stay as they are."""
    count = confusion["count"]
    whole = count.is_null().all() or (count == count.round()).all()
    return confusion.with_columns(pl.col("count").cast(pl.Int64)) if whole else confusion


def _frames(cards: Sequence[JudgeCard]) -> dict[str, pl.DataFrame]:
    rows = pl.concat([c.to_frame() for c in cards]).sort("kappa", descending=True, nulls_last=True)
    parts: dict[str, list[pl.DataFrame]] = {}
    for c in cards:
        found = {
            "confusion": _counted(c.confusion.to_frame()),
            "biases": None if c.bias is None else c.bias.table,
            "replaceability": None if c.replaceability is None else c.replaceability.table,
            "leaderboard": None if c.leaderboard is None else c.leaderboard.table,
            "flips": None if c.drift is None else c.drift.flips,
            "drift against gold": None if c.drift is None else c.drift.against_gold,
            "systems": None if c.order is None else c.order.table.rename({c.judge: "score", f"rank {c.judge}": "rank"}),
        }
        for name, frame in found.items():
            if frame is not None:
                parts.setdefault(name, []).append(frame.select(pl.lit(c.judge).alias("judge"), pl.all()))
    return {"judges": rows} | {name: pl.concat(frames) for name, frames in parts.items()}


def _footer(cards: Sequence[JudgeCard]) -> list[str]:
    if len(cards) == 1:
        return cards[0].sentences()
    lines = []
    passed = [c.judge for c in cards if c.replaceability is not None and c.replaceability.passes]
    tested = [c for c in cards if c.replaceability is not None]
    if tested:
        lines.append(f"may replace an assessor: {', '.join(passed) or 'none'} (of {len(tested)} tested)")
    for part in dict.fromkeys(p for c in cards for p in c.missing):
        lines += _lacking(part, [(c.judge, c.missing[part]) for c in cards if part in c.missing])
    return lines


def _lacking(part: str, lacking: Sequence[tuple[str, str]]) -> list[str]:
    """Which judges have no such part, a line for each reason; of many reasons the first few."""
    reasons = list(dict.fromkeys(why for _, why in lacking))
    lines = []
    for why in reasons[:REASONS]:
        who = [judge for judge, reason in lacking if reason == why]
        whom = names(who) if len(who) <= NAMED else counted(len(who), "judge")
        lines.append(f"no {part} for {whom}: {why.rstrip('.')}.")
    rest = sum(why not in reasons[:REASONS] for _, why in lacking)
    return [*lines, f"no {part} for {counted(rest, 'more judge')}, for reasons of this kind."] if rest else lines
