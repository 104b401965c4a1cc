"""Tables for papers: systems × measures, or × judges, each number marked by what a test says of it.

The caption says what the numbers are. The lines below name the test behind the marks, its family and level, and the
policies. `evaluate` and `compare` write these tables to .tex and .md, `report --paper` puts one into its folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.errors import DissensusError
from dissensus.inference.comparison.api import compare
from dissensus.inference.comparison.headline import against_baseline
from dissensus.inference.comparison.ranks import letters
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.score_tables import Scores
from dissensus.results import Column, Table, Tables
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.arrays import Floats
    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.comparison.outcome import Outcome
    from dissensus.measures.scores import ScoreArrays

BETTER, WORSE = "†", "‡"
SHARED = "Systems that share a letter are undecided."
BELOW = f"{WORSE}: worse than the first system of its column."
BOLD = "Bold: the best number of a column."
NOTHING = (float("nan"),) * 3
ALONE = "alone"  # the column of a measure's naive scores


def marks_of(outcome: Outcome) -> tuple[dict[str, str], str]:
    """The mark of each system and what marks mean: letters of groups, or who is worse than the first system.

    Letters are left out where there would be too many to compare.
    """
    if not outcome.pairs:
        return {}, ""
    named = letters(outcome.order, outcome.groups, outcome.identical)
    if named:
        return named, SHARED
    shown = [c for d in outcome.pairs if (c := d.claim).kind == "better" and c.systems[0] == outcome.order[0]]
    return {c.others[0]: WORSE for c in shown}, BELOW


def marks_against(pairs: Sequence[Difference], measure: str, baseline: str) -> tuple[dict[str, str], str]:
    """The mark of each system that is better or worse than a baseline, and what marks mean."""
    marks: dict[str, str] = {}
    for c in (d.claim for d in pairs if d.measure == measure):
        if c.kind == "better":
            marks |= {c.systems[0]: BETTER} if c.others[0] == baseline else {c.others[0]: WORSE}
    return marks, f"{BETTER}: better, {WORSE}: worse than {baseline}."


def tests_of(pairs: Sequence[Difference]) -> str:
    """The test behind marks, its family and level."""
    if not pairs:
        return ""
    how = ", ".join(dict.fromkeys(d.method for d in pairs))
    d = pairs[0]
    adjusted = "not adjusted" if d.adjusted == "none" else f"adjusted by {d.adjusted} for {d.family:,} comparisons"
    return f"Tests: {how}, {adjusted}, level {d.level:.0%}."


def paper_scores(scores: ScoreArrays, headings: Mapping[str, str]) -> Tables:
    """Mean scores: systems × measures of one judge, or systems × judges, a table for each measure."""
    names = [name for name in scores.values if not name.endswith((".low", ".high", ".se"))]
    found = {(who, n): _outcome(scores, who, n) for who in scores.assessors for n in names}
    counts = f"{counted(len(scores.systems), 'system')} on {counted(len(scores.topics), 'topic')}"
    means = scores.means()
    tables = {}
    if len(scores.assessors) == 1:
        who = scores.assessors[0]
        title = f"Mean scores of {counts}, using {who}'s labels"
        columns = {n: (headings.get(n, n), means[n][0], not lower_is_better(n), found[who, n]) for n in names}
        tables[title] = _table(scores.systems, columns)
    else:
        for n in names:
            columns = {
                who: (who, means[n][i], not lower_is_better(n), found[who, n]) for i, who in enumerate(scores.assessors)
            }
            tables[f"Mean {headings.get(n, n)} of {counts}, using each judge's labels"] = _table(
                scores.systems, columns
            )
    known = [o for o in found.values() if o is not None and o.pairs]
    words = dict.fromkeys(marks_of(o)[1] for o in known)
    tests = dict.fromkeys(f"{tests_of(o.pairs)[:-1]} in each column." for o in known)
    unmarked = [] if len(known) == len(found) else ["Columns without marks could not be tested."]
    return Tables(tables, next(iter(tables)), [" ".join([BOLD, *words]), *tests, *unmarked, *Scores(scores).notes])


def _outcome(scores: ScoreArrays, who: str, name: str) -> Outcome | None:
    """All pairs of systems compared by one measure and judge; None where that cannot be done."""
    try:
        return compare(scores.to_dataset(), name, assessor=who).outcome
    except DissensusError:
        return None


def _table(systems: Sequence[str], columns: Mapping[str, tuple[str, Floats, bool, Outcome | None]]) -> Table:
    """One table: the first column orders the rows."""
    _, first, higher, _ = next(iter(columns.values()))
    order = np.argsort(np.where(np.isnan(first), np.inf, -first if higher else first), kind="stable")
    rows = [systems[i] for i in order]
    frame = pl.DataFrame({"system": rows, **{key: values[order] for key, (_, values, _, _) in columns.items()}})
    marks = {key: _marks(rows, o) for key, (_, _, _, o) in columns.items() if o is not None}
    heads = {"system": "system", **{key: title for key, (title, _, _, _) in columns.items()}}
    return _described(frame, heads, {key: up for key, (_, _, up, _) in columns.items()}, marks)


def _marks(systems: Sequence[str], outcome: Outcome) -> list[str]:
    marks, _ = marks_of(outcome)
    return [marks.get(s, "") for s in systems]


def _described(
    frame: pl.DataFrame, titles: Mapping[str, str], best: Mapping[str, bool], marks: Mapping[str, Sequence[str]]
) -> Table:
    """A table whose columns need no legend: caption and notes say what they are."""
    return Table(frame, {name: Column(name, title, "") for name, title in titles.items()}, best, marks)


def paper_comparison(result: Differences) -> Tables:
    """The systems that were compared, by every measure: see `paper_outcomes`."""
    against = None if result.baseline is None else (result.baseline, result.pairs)
    return paper_outcomes(list(result.outcomes.values()), result.basis.policies, against)


def paper_outcomes(
    outcomes: Sequence[Outcome], policies: str, against: tuple[str, Sequence[Difference]] | None = None
) -> Tables:
    """Systems × measures: *the* score with its mark and interval, and the judge's own where an audit corrects it.

    `against` is a baseline with the pairs that test it: marks then say which systems are better and worse than it.
    """
    head = outcomes[0]
    rows = list(head.order)
    data: dict[str, list[object]] = {"system": [*rows]}
    titles, best, marks, words = {"system": "system"}, {}, {}, []
    for o in outcomes:
        name, naive, scores = o.measure, o.evidence.scores.get("naive", {}), o.scores
        own, meant = marks_of(o) if against is None else marks_against(against[1], name, against[0])
        if o.audited and naive:
            data[f"{name} {ALONE}"] = [naive.get(s, NOTHING)[0] for s in rows]
            titles[f"{name} {ALONE}"] = f"{name}, judge alone"
        data[name] = [scores.get(s, NOTHING)[0] for s in rows]
        data[f"{name} interval"] = [_interval(scores.get(s, NOTHING)) for s in rows]
        titles |= {name: name, f"{name} interval": f"{o.pairs[0].level if o.pairs else 0.95:.0%} interval"}
        best[name], marks[name] = not lower_is_better(name), [own.get(s, "") for s in rows]
        words.append(meant)
    pairs = [d for o in outcomes for d in o.pairs] if against is None else against[1]
    of = " Marks are about differences of corrected scores." if head.audited and pairs else ""
    basis = "corrected by experts' labels" if head.audited else "uncorrected"
    what = {"pooled": "Pooled", "corrected": "Corrected"}.get(head.kind, "Mean")
    title = f"{what} scores of {counted(len(rows), 'system')} {head.where}, using {head.judge}'s labels, {basis}"
    table = _described(pl.DataFrame(data, strict=False), titles, best, marks)
    said = [f"{o.measure}: {c}" for o in outcomes for c in _concluded(o, against)]
    notes = [*said, " ".join([BOLD, *dict.fromkeys(filter(None, words))]), f"{tests_of(pairs)}{of}", policies]
    return Tables({"systems": table}, title, list(filter(None, notes)))


def _concluded(outcome: Outcome, against: tuple[str, Sequence[Difference]] | None) -> list[Claim]:
    """The headline, or who is better and worse than a baseline."""
    return [outcome.headline] if against is None else against_baseline(against[1], against[0], outcome.measure)


def _interval(values: tuple[float, float, float]) -> str:
    _, low, high = values
    return "–" if low != low else f"[{low:.3f}, {high:.3f}]".replace("-", "−")
