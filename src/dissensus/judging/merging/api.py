"""Merging assessors into one label per document: votes, EM and its relatives, or any crowd-kit aggregator.

>>> j = Judgments.from_dict({"a": {1: {"x": 1, "y": 0}}, "b": {1: {"x": 1, "y": 0}}, "c": {1: {"x": 0, "y": 0}}})
>>> merge(j).judgments.to_frame().rows()
[('1', 'x', 'majority', 1), ('1', 'y', 'majority', 0)]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.io.options import ReadKeywords
from dissensus.judging.agreement.flags import Looks
from dissensus.judging.agreement.flags import suspects as find_suspects
from dissensus.judging.label_table import Labels, Negative, crowd_and_truth
from dissensus.judging.merging.em_warnings import Doubt, doubts_of, warn_of
from dissensus.judging.merging.fit import Fit
from dissensus.judging.merging.held_out import held_out, split, tempered
from dissensus.judging.merging.methods import (
    METHODS,
    MODELS,
    STARTS,
    MethodSettings,
    Start,
    Ties,
    certain,
    choose,
    fit_method,
    topic_judge,
    vote_weights,
    weighted_shares,
)
from dissensus.judging.merging.result import Confusions, Merged, check_with_gold
from dissensus.tables.coercion import coerced
from dissensus.tables.copies import copy_notes
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import check_one_scale
from dissensus.wording import counted
from dissensus.work.progress import Progress

Treatment = Literal["keep", "drop", "weigh"]  # of suspects


@coerced
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
    suspects: Treatment = "keep",
    temper: bool = True,
    **reading: Unpack[ReadKeywords],
) -> Merged:
    """One label per document from many assessors.

    Repeated judgments of one assessor are evidence in models. Votes count the first one. Models assume that assessors
    err independently. Not for judges that share their errors (LLMs with one parent): there the majority is better, and
    a warning says so where the labels or gold show it.

    Parameters
    ----------
    method
        A vote (majority, wawa), a model (em-mv, em-anchored, em-neu, one-coin, mace, glad, kos, ordinal), or an
        object with crowd-kit's fit_predict.
    per_topic
        Estimate assessors afresh in every topic. EM only. It needs many labels per topic.
    ties
        How ties in votes and posteriors are settled: by a seeded coin, to the lower grade or to the higher one.
    tol
        EM stops when posteriors change by less.
    max_rounds
        EM stops after so many rounds, and says that it did not converge.
    smoothing
        Pseudo-count in every cell of the assessors' confusion matrices.
    start
        Where EM starts: majority, shares or neutral. Without it, each method's own start.
    gold
        The assessor that is the truth. It stays out of the merging and checks labels and posteriors.
    suspects
        Assessors that look random, lazy or contrary: keep, drop, or weigh (in a majority vote).
    temper
        Make the posteriors of models as sure as labels kept back allow. Labels do not change.

    Returns
    -------
    Merged
        `.judgments`, `.posterior`, `.confusions`, `.converged`. Its tables:

        - `labels`: topic, doc, assessor, grade
        - `posterior`: topic, doc, grade, probability
        - `confusions`: assessor, reference, observed, probability, count

    Examples
    --------
    >>> import dissensus as ds
    >>> labels = {"a": {1: {"x": 1, "y": 0}}, "b": {1: {"x": 1, "y": 0}}, "c": {1: {"x": 0, "y": 0}}}
    >>> ds.merge(labels).judgments.to_frame().rows()
    [('1', 'x', 'majority', 1), ('1', 'y', 'majority', 0)]
    """
    settings = MethodSettings(per_topic, ties, seed, tol, max_rounds, smoothing, start)
    _check(method, settings, suspects)
    check_one_scale(judgments)
    table, truth = crowd_and_truth(judgments, gold, negative)
    if not len(table):
        raise InputError(
            "there are no labels to merge.",
            Fix("Grades below zero are labels only with ", Option("negative", "label"), "."),
        )
    name = method if isinstance(method, str) else type(method).__name__
    who = find_suspects(table, judgments.assessors) if suspects != "keep" else {}
    used = without(table, judgments.assessors, who) if suspects == "drop" and who else table
    with Progress("rounds") as bar:
        found = (
            fit_method(method, judgments, used, settings, lambda rounds, change: bar.advance())
            if isinstance(method, str)
            else Fit(crowdkit_posterior(used.first(), method))
        )
    if suspects == "weigh" and who:
        found = Fit(weighted_shares(used.first(), vote_weights(used, judgments.assessors, who)))
    level, n_ties = choose(found.posterior, ties, seed)
    exponent, posterior = None, found.posterior
    if temper and isinstance(method, str) and method in MODELS and method != "kos" and used.n_levels > 1:
        exponent, posterior = _tempered(judgments, method, used, settings, posterior)
    merged_labels, items = _merged(judgments, used, level, name)
    calibration = check_with_gold(posterior, level, truth, None if exponent is None else found.posterior)
    reasons: tuple[Doubt, ...] = ()
    if isinstance(method, str) and method in MODELS:
        right = _right(used, level, truth, settings)
        reasons = doubts_of(used, judgments.assessors, found, tol, calibration, *right)
        warn_of(reasons)
    whole = isinstance(method, str) and method in STARTS
    counts = found.counts if found.counts is not None else used.expected(certain(level, used.n_levels))
    return Merged(
        method=name,
        judgments=merged_labels,
        probabilities=posterior[items],
        levels=used.grades,
        confusions=Confusions(
            _judge_names(judgments, used, per_topic and whole), counts, used.scale, smoothing if whole else 0
        ),
        prior=_prior(
            judgments, found.prior if found.prior is not None else found.posterior[items].mean(axis=0)[None], used
        ),
        log_likelihood=found.log_likelihood,
        converged=found.converged,
        anchored=found.anchored,
        rounds=found.rounds,
        n_ties=n_ties,
        skill=_skill(judgments, found),
        exponent=exponent,
        suspects=who,
        doubts=reasons,
        calibration=calibration,
        remarks=(
            *(
                *judgments.notes,
                *table.notes,
                *copy_notes(judgments),
                *_repeat_note(table, name),
                *_suspect_note(who, suspects),
            ),
            *(*_anchor_note(found), *_tie_note(n_ties, ties), *_dropped(judgments, items, gold)),
        ),
    )


# ── before ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _check(method: object, settings: MethodSettings, suspects: str) -> None:
    if isinstance(method, str) and method not in METHODS:
        raise InputError(
            Text(Option("method", method), f" is not one of {', '.join(METHODS)}."),
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
    if settings.start not in (None, "majority", "shares", "neutral"):
        raise InputError(Text(Option("start", settings.start), ' is not one of "majority", "shares", "neutral".'))
    if not settings.tol >= 0 or not settings.max_rounds >= 1 or not 0 <= settings.smoothing < np.inf:
        values = (Option(n, getattr(settings, n)) for n in ("tol", "max_rounds", "smoothing"))
        parts = [part for value in values for part in (value, ", ")][:-1]
        raise InputError(Text(*parts, ": tol and smoothing must be at least 0, max_rounds at least 1."))
    if suspects not in ("keep", "drop", "weigh"):
        raise InputError(Text(Option("suspects", suspects), ' is not one of "keep", "drop", "weigh".'))
    if suspects == "weigh" and method != "majority":
        raise InputError(
            Text(Option("suspects", "weigh"), " is for the majority vote; models weigh assessors by themselves."),
            Fix("Leave suspects out with ", Option("suspects", "drop"), "."),
        )


def without(table: Labels, names: tuple[str, ...], who: dict[str, Looks]) -> Labels:
    """The labels of the others; an error where some document would lose all of its labels to it."""
    out = np.isin(table.assessor, [names.index(w) for w in who])
    rest = table.rows(~out)
    if not len(rest):
        raise InputError(
            "every assessor looks random, lazy or contrary: there is nothing left to merge.",
            Text("Keep them with ", Option("suspects", "keep"), "."),
        )
    return rest


# ── the methods ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _tempered(
    judgments: Judgments, method: str, table: Labels, settings: MethodSettings, posterior: Floats
) -> tuple[float | None, Floats]:
    """(λ, posteriors of a model tempered by it); as they are where there are too few labels to keep some back."""
    parts = split(table, settings.seed)
    if parts is None:
        return None, posterior
    exponent = held_out(judgments, method, parts, settings).exponent
    return exponent, tempered(posterior, exponent)


def _right(
    table: Labels, level: Ints, truth: Ints | None, settings: MethodSettings
) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
    """Where the majority and the merged labels equal gold."""
    known = np.flatnonzero((truth >= 0) & (level >= 0)) if truth is not None else np.empty(0, np.int64)
    if truth is None or not len(known):
        return None, None
    vote, _ = choose(table.first().shares(), settings.ties, settings.seed)
    return vote[known] == truth[known], level[known] == truth[known]


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


def _judge_names(judgments: Judgments, table: Labels, per_topic: bool) -> tuple[str, ...]:
    if not per_topic:
        return judgments.assessors
    pairs = np.unique(topic_judge(judgments, table))
    n = table.n_assessors
    return tuple(f"{judgments.topics[p // n]}/{judgments.assessors[p % n]}" for p in pairs)


def _prior(judgments: Judgments, prior: Floats, table: Labels) -> dict[str, float] | dict[str, dict[str, float]]:
    rows = [dict(zip(table.scale.names, map(float, row), strict=True)) for row in prior]
    return rows[0] if len(rows) == 1 else dict(zip(judgments.topics, rows, strict=True))


def _skill(judgments: Judgments, found: Fit) -> dict[str, float]:
    if found.skill is None:
        return {}
    return {n: float(v) for n, v in zip(judgments.assessors, found.skill, strict=True) if not np.isnan(v)}


def _repeat_note(table: Labels, name: str) -> tuple[str, ...]:
    repeats = int((table.repeat > 0).sum())
    if not repeats:
        return ()
    use = "used as evidence" if name in MODELS else "left out: a vote counts an assessor's first label"
    return (f"{counted(repeats, 'repeated label')} {use}",)


def _suspect_note(who: dict[str, Looks], treatment: Treatment) -> tuple[str, ...]:
    if not who:
        return ("no assessor looks random, lazy or contrary",) if treatment != "keep" else ()
    done = "left out" if treatment == "drop" else "weighed by their agreement with the others"
    return (f"{counted(len(who), 'suspect')} {done}: {', '.join(list(who)[:10])}{' …' if len(who) > 10 else ''}",)


def _anchor_note(found: Fit) -> tuple[str, ...]:
    if not found.anchored:
        return ()
    return (
        f"stopped after {counted(found.rounds, 'round')}: the next one would have made a grade another one, by the "
        "labels of assessors who use more than one",
    )


def _tie_note(n_ties: int, ties: Ties) -> tuple[str, ...]:
    how = {"coin": "by a seeded coin", "lower": "to the lower grade", "higher": "to the higher grade"}[ties]
    return (f"{counted(n_ties, 'tie')} settled {how}",) if n_ties else ()


def _dropped(judgments: Judgments, items: NDArray[np.int64], gold: str | None) -> tuple[str, ...]:
    left = judgments.n_items - len(items)
    why = "no label" if gold is None else "no label but gold's"
    return (f"{counted(left, 'document')} with {why} left out",) if left else ()
