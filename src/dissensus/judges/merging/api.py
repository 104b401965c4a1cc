"""Merging assessors into one label per document: majority vote, Dawid and Skene's EM, or any crowd-kit aggregator.

>>> j = Judgments.from_dict({"a": {1: {"x": 1, "y": 0}}, "b": {1: {"x": 1, "y": 0}}, "c": {1: {"x": 0, "y": 0}}})
>>> merge(j).judgments.to_frame().rows()
[('1', 'x', 'majority', 1), ('1', 'y', 'majority', 0)]
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.judges.label_table import Labels, Negative, labels
from dissensus.judges.merging import em
from dissensus.judges.merging.em_warnings import warn_of
from dissensus.judges.merging.result import Calibration, Confusions, Merged
from dissensus.judges.merging.voting import Ties, choose, vote_shares
from dissensus.work.plural import counted
from dissensus.work.progress import Progress

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Start = Literal["majority", "shares", "neutral"]
STARTS: dict[str, Start] = {"em-mv": "majority", "em-neu": "neutral"}


def merge(
    judgments: Judgments,
    method: str | Any = "majority",
    *,
    per_topic: bool = False,
    ties: Ties = "coin",
    seed: int = 0,
    tol: float = 1e-3,
    max_rounds: int = 1000,
    smoothing: float = 0.01,
    start: Start | None = None,
    gold: str | None = None,
    negative: Negative = "unjudged",
    threads: int | None = None,
    label: str | None = None,
) -> Merged:
    """One label per document from many assessors.

    `method` is "majority", "em-mv" (EM from the majority vote), "em-neu" (EM from judges right nine times in ten), or
    an object with crowd-kit's `fit_predict`. Ties, in votes and in posteriors, are settled by a seeded coin or go to
    the lower or higher grade. `per_topic` estimates assessors afresh in every topic (as the thesis does; it needs many
    labels per topic). `start="shares"` starts EM from the vote shares. `gold` names an assessor that is the truth: it
    stays out of the merging and checks how far the posteriors can be believed. `label` names a progress bar.

    EM assumes that assessors err independently. Not for judges that share their errors (LLMs with one parent): there
    the majority is better, and a DependenceWarning says so. With fewer than 3 assessors or mostly two labels per
    document the model is not identified, and a ReliabilityWarning says so.
    """
    _check(method, tol, max_rounds, smoothing, start)
    table, truth = _crowd(judgments, gold, negative)
    if not len(table):
        raise InputError(
            "there are no labels to merge.",
            Fix("Grades below zero are labels only with ", Option("negative", "label"), "."),
        )
    name = method if isinstance(method, str) else type(method).__name__
    found: em.Fit | None = None
    if name == "majority":
        posterior = vote_shares(table)
    elif isinstance(method, str):
        data, first = _begin(judgments, table, start or STARTS[method], per_topic, ties, seed)
        with Progress(label) as bar:
            found = em.fit(
                data, first, smoothing=smoothing, tol=tol, max_rounds=max_rounds, threads=threads,
                progress=lambda rounds, change: bar.advance(),
            )  # fmt: skip
        posterior = found.posterior
    else:
        posterior = crowdkit_posterior(table, method)
    level, n_ties = choose(posterior, ties, seed)
    merged_labels, items = _merged(judgments, table, level, name)
    counts = found.counts if found else _hard_counts(table, level)
    calibration = _calibration(posterior, level, truth)
    notes = [*judgments.notes, *table.notes, *_tie_note(n_ties, ties), *_dropped(judgments, items, gold)]
    if found is not None:
        warn_of(table, found, calibration, tol)
    return Merged(
        method=name,
        judgments=merged_labels,
        posterior=_posterior_frame(merged_labels, posterior[items], table),
        confusions=Confusions(
            _judge_names(judgments, table, per_topic and found is not None),
            counts,
            table.scale,
            smoothing if found else 0,
        ),
        prior=_prior(judgments, found.prior if found else posterior[items].mean(axis=0)[None], table),
        log_likelihood=found.log_likelihood if found else (),
        converged=found.converged if found else True,
        rounds=found.rounds if found else 0,
        n_ties=n_ties,
        calibration=calibration,
        notes=tuple(notes),
    )


# ── before ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _check(method: Any, tol: float, max_rounds: int, smoothing: float, start: str | None) -> None:
    if isinstance(method, str) and method not in ("majority", *STARTS):
        raise InputError(
            Text(Option("method", method), ' is none of "majority", "em-mv", "em-neu".'),
            "Or give a crowd-kit aggregator object.",
        )
    if not isinstance(method, str) and not hasattr(method, "fit_predict"):
        raise InputError(
            Text(Option("method", method), " has no fit_predict."), "Give a name, or an aggregator object of crowd-kit."
        )
    if isinstance(method, type):
        raise InputError(
            f"the method {method.__name__} is a class, not an object.",
            f"Give an object of it: {method.__name__}().",
        )
    if start not in (None, "majority", "shares", "neutral"):
        raise InputError(Text(Option("start", start), ' is none of "majority", "shares", "neutral".'))
    if not tol >= 0 or not max_rounds >= 1 or not 0 <= smoothing < np.inf:
        raise InputError(
            Text(
                Option("tol", tol),
                ", ",
                Option("max_rounds", max_rounds),
                ", ",
                Option("smoothing", smoothing),
                ": tol and smoothing are numbers from 0 on, the most rounds are 1 or more.",
            )
        )


def _crowd(judgments: Judgments, gold: str | None, negative: Negative) -> tuple[Labels, NDArray[np.int64] | None]:
    """(first labels of everybody but gold, gold level per item or None)."""
    table = labels(judgments, negative).first()
    if gold is None:
        return table, None
    if gold not in judgments.assessors:
        raise InputError(
            Text(Option("gold", gold), ": no assessor has that name."),
            f"Assessors: {', '.join(judgments.assessors[:10])}",
        )
    is_gold = table.assessor == judgments.assessors.index(gold)
    truth = np.full(table.n_items, -1, np.int64)
    truth[table.item[is_gold]] = table.level[is_gold]
    return table.rows(~is_gold), truth


# ── the methods ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _begin(
    judgments: Judgments, table: Labels, start: Start, per_topic: bool, ties: Ties, seed: int
) -> tuple[em.Sparse, Floats | None]:
    """(labels as EM wants them, posteriors to start from or None for neutral judges)."""
    if per_topic:  # an assessor in another topic is another judge, and topics have their own priors
        judge = np.unique(_topic_judge(judgments, table), return_inverse=True)[1]
        data = em.Sparse.of(table, judge, int(judge.max()) + 1, judgments.item_topic)
    else:
        data = em.Sparse.of(table, table.assessor, table.n_assessors, np.zeros(table.n_items, np.int32))
    if start == "neutral":
        return data, None
    shares = vote_shares(table)
    if start == "shares":
        return data, shares
    level, _ = choose(shares, ties, seed)
    return data, (level[:, None] == np.arange(table.n_levels)).astype(np.float64)


def crowdkit_posterior(table: Labels, aggregator: Any) -> Floats:
    """Posteriors from an object with crowd-kit's interface, certain ones where it gives labels only."""
    import pandas as pd

    frame = pd.DataFrame({"task": table.item, "worker": table.assessor, "label": table.level.astype(np.int64)})
    out = np.zeros((table.n_items, table.n_levels))
    if hasattr(aggregator, "fit_predict_proba"):
        found = aggregator.fit_predict_proba(frame)
        out[np.ix_(found.index.to_numpy(), found.columns.to_numpy(np.int64))] = np.nan_to_num(found.to_numpy())
    else:
        chosen = aggregator.fit_predict(frame)
        out[chosen.index.to_numpy(), chosen.to_numpy(np.int64)] = 1.0
    return out


def _hard_counts(table: Labels, level: NDArray[np.int64]) -> Floats:
    """Counts assessor × merged level × given level."""
    k = table.n_levels
    code = (table.assessor.astype(np.int64) * k + level[table.item]) * k + table.level
    counts = np.bincount(code, minlength=table.n_assessors * k * k)
    return counts.reshape(table.n_assessors, k, k).astype(np.float64)


# ── after ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _merged(
    judgments: Judgments, table: Labels, level: NDArray[np.int64], name: str
) -> tuple[Judgments, NDArray[np.int64]]:
    items = np.flatnonzero(level >= 0)
    merged = replace(
        judgments,
        assessors=(name,),
        item_topic=judgments.item_topic[items],
        item_ids=judgments.item_ids.pick(items),
        item=np.arange(len(items), dtype=np.int32),
        assessor=np.zeros(len(items), np.int32),
        grade=table.grades[level[items]],
        repeat=np.zeros(len(items), np.int32),
        value=None,
        notes=(),
    )
    return merged, items


def _posterior_frame(merged: Judgments, posterior: Floats, table: Labels) -> pl.DataFrame:
    import polars as pl

    k = table.n_levels
    labels_only = merged.to_frame()
    return pl.DataFrame(
        {
            "topic": labels_only["topic"].gather(np.repeat(np.arange(len(posterior)), k)),
            "doc": labels_only["doc"].gather(np.repeat(np.arange(len(posterior)), k)),
            "grade": pl.Series(list(table.scale.names)).gather(np.tile(np.arange(k), len(posterior)))
            if labels_only["grade"].dtype == pl.String
            else np.tile(table.grades.astype(np.int64), len(posterior)),
            "probability": posterior.ravel(),
        }
    )


def _topic_judge(judgments: Judgments, table: Labels) -> NDArray[np.int64]:
    topic = judgments.item_topic[table.item].astype(np.int64)
    return np.asarray(topic * table.n_assessors + table.assessor, np.int64)


def _judge_names(judgments: Judgments, table: Labels, per_topic: bool) -> tuple[str, ...]:
    if not per_topic:
        return judgments.assessors
    pairs = np.unique(_topic_judge(judgments, table))
    n = table.n_assessors
    return tuple(f"{judgments.topics[p // n]}/{judgments.assessors[p % n]}" for p in pairs)


def _prior(judgments: Judgments, prior: Floats, table: Labels) -> dict[str, float] | dict[str, dict[str, float]]:
    rows = [dict(zip(table.scale.names, map(float, row), strict=True)) for row in prior]
    return rows[0] if len(rows) == 1 else dict(zip(judgments.topics, rows, strict=True))


def _calibration(posterior: Floats, level: NDArray[np.int64], truth: NDArray[np.int64] | None) -> Calibration | None:
    if truth is None:
        return None
    known = np.flatnonzero((truth >= 0) & (level >= 0))
    if not len(known):
        return None
    right = float((level[known] == truth[known]).mean())
    return Calibration(right, float(posterior[known, level[known]].mean()), len(known))


def _tie_note(n_ties: int, ties: Ties) -> tuple[str, ...]:
    how = {"coin": "by a seeded coin", "lower": "to the lower grade", "higher": "to the higher grade"}[ties]
    return (f"{counted(n_ties, 'tie')} settled {how}",) if n_ties else ()


def _dropped(judgments: Judgments, items: NDArray[np.int64], gold: str | None) -> tuple[str, ...]:
    left = judgments.n_items - len(items)
    why = "no label" if gold is None else "no label but gold's"
    return (f"{counted(left, 'document')} with {why} left out",) if left else ()
