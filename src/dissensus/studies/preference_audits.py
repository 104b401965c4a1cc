"""How many people's votes does an LLM's number need? Pairs of answers, judged by an LLM in both orders and by people.

`dissensus experiment preference_audits people.csv llm.csv --set dimension=quality_overall` takes votes of people about
pairs of answers, and an LLM's answers about some of these pairs. Items are in groups by what their names begin with
(`human-essay`, `llm-news`): how often is an answer of the second group preferred to one of the first?

The first table shows people's and every judge's own answer. The second one draws audits: topics with replacement, as
many as `topics`, then a simple random sample of their pairs. The judge's win rate is rectified by all votes about the
pairs drawn. The truth is people's win rate on all pairs of the judge, so coverage is for topics like these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from dissensus.arrays import Ints, Values
from dissensus.errors import InputError
from dissensus.judging.preferences.questions import questions
from dissensus.judging.preferences.reading import read_preferences
from dissensus.judging.preferences.table import Preferences
from dissensus.judging.preferences.win_rates import rectify, win_rates
from dissensus.studies.study import Request, StudyOutcome
from dissensus.work.executor import run_units

SETTINGS: Values = {
    "dimension": "quality_overall", "groups": ("human", "llm"), "labels": (50, 100, 200), "topics": 65, "audits": 400,
}  # fmt: skip


def run(request: Request) -> StudyOutcome:
    s = request.settings
    if len(request.files) != 2:
        raise InputError("this experiment takes two files.", "Give people's votes, then the judges' answers.")
    people, judges = (read_preferences(f, dimension=s["dimension"]) for f in request.files)
    other, own = s["groups"]
    groups = {d: g for d in (*people.docs, *judges.docs) for g in (other, own) if d.startswith(f"{g}-")}
    votes = people.of_one("people")
    pairs = {who: _between(judges.by(who), groups) for who in judges.assessors}
    rows = [_own("people", votes, groups, own), *(_own(who, given, groups, own) for who, given in pairs.items())]
    cells: list[Values] = []
    for who, given in pairs.items():
        both, votes_too = _shared(given, votes)
        row = win_rates(votes_too, groups=groups).filter(pl.col("item") == own).row(0, named=True)
        shared = {"judge": both, "votes": votes_too, "groups": groups, "own": own, "topics": s["topics"]}
        for labels in s["labels"]:
            units = [(labels, request.seed + k) for k in range(s["audits"])]
            drawn = run_units(one_audit, units, shared=shared, seed=request.seed, progress=f"{who}, {labels} pairs")
            cells.append(
                {"judge": who, "audited pairs": labels, "truth": row["win_rate"], **_cell(drawn, row["win_rate"])}
            )
    notes = [
        f"win rates of answers by {own} over answers by {other}; {s['dimension']}",
        f"audits: {s['audits']:,} of {s['topics']} topics drawn with replacement",
        "coverage: share of 95% intervals that contain people's win rate on all pairs of the judge",
        *people.notes, *judges.notes,
    ]  # fmt: skip
    return StudyOutcome(tables={"win rates": pl.DataFrame(rows), "audits": pl.DataFrame(cells)}, notes=notes)


def _between(given: Preferences, groups: dict[str, str]) -> Preferences:
    """The pairs of items of two different groups."""
    of = np.array([groups.get(d, "") for d in given.docs])
    one, other = of[given.first], of[given.second]
    return given.rows((one != other) & (one != "") & (other != ""))


def _own(name: str, given: Preferences, groups: dict[str, str], own: str) -> Values:
    """A row about one who answered: win rate of the own group, and what the order did."""
    mixed = _between(given, groups)
    asked = questions(mixed)
    row = win_rates(mixed, asked, groups=groups).filter(pl.col("item") == own).row(0, named=True)
    return {
        "asked": name, "pairs": row["pairs"], "topics": row["topics"], "answers": len(mixed),
        "win rate": row["win_rate"], "low": row["low"], "high": row["high"], "both orders": int(asked.both.sum()),
        "changed by the order": int(asked.changed.sum()),
    }  # fmt: skip


def _shared(judge: Preferences, votes: Preferences) -> tuple[Preferences, Preferences]:
    """The answers about pairs that both answered, with the same codes for topics and items."""
    keys = ["topic", "doc_a", "doc_b"]
    one, other = judge.to_frame(), votes.to_frame()
    both = pl.concat([one.join(other, on=keys, how="semi"), other.join(one, on=keys, how="semi")])
    joined = Preferences.from_frame(both)
    return joined.by(judge.assessors[int(judge.assessor[0])]), joined.by("people")


def one_audit(
    unit: tuple[int, int], judge: Preferences, votes: Preferences, groups: dict[str, str], own: str, topics: int,
    rng: np.random.Generator,
) -> tuple[float, ...]:  # fmt: skip
    """(naive, naive low, naive high, rectified, se, low, high) of one audit of `unit[0]` pairs."""
    chosen = rng.choice(np.unique(judge.topic), topics)
    given, truth = _repeated(judge, chosen), _repeated(votes, chosen)
    pair = np.unique(given.pair)
    audited = rng.choice(pair, min(unit[0], len(pair)), replace=False)
    sample = truth.rows(np.isin(truth.pair, audited))
    alone = win_rates(given, groups=groups).filter(pl.col("item") == own).row(0, named=True)
    fixed = rectify(given, sample, groups=groups).table.filter(pl.col("item") == own).row(0, named=True)
    return (
        alone["win_rate"], alone["low"], alone["high"], fixed["win_rate"], fixed["se"], fixed["low"], fixed["high"],
    )  # fmt: skip


def _repeated(given: Preferences, chosen: Ints) -> Preferences:
    """The answers about the topics chosen, one that was chosen twice being two topics."""
    rows = [np.flatnonzero(given.topic == t) for t in chosen]
    topic = np.repeat(np.arange(len(chosen)), [len(r) for r in rows])
    return replace(given.rows(np.concatenate(rows)), topics=tuple(map(str, range(len(chosen)))), topic=topic)


def _cell(drawn: list[tuple[float, ...]], truth: float) -> Values:
    naive, naive_low, naive_high, fixed, se, low, high = np.array(drawn).T
    return {
        "naive": float(naive.mean()), "naive coverage": float(((naive_low <= truth) & (truth <= naive_high)).mean()),
        "rectified": float(fixed.mean()), "sd": float(fixed.std(ddof=1)), "mean se": float(se.mean()),
        "half width": float((high - low).mean() / 2), "coverage": float(((low <= truth) & (truth <= high)).mean()),
    }  # fmt: skip
