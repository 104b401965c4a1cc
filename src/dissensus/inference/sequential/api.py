"""Audits that may be looked at after every label, and stopped when it is decided.

    >>> import dissensus as ds
    >>> from dissensus.io.samples import generated_collection
    >>> sample = generated_collection(topics=20)
    >>> followed = ds.Sequential(
    ...     sample.runs, sample.judgments, "P(rel=2)@10", systems=("crossenc", "llm-rewrite"), assessor="llm", seed=1)
    >>> truth = {(t, d): g for t, d, _, g in sample.truth.to_frame().iter_rows()}
    >>> while followed.decided_at is None:
    ...     topic, doc = followed.next()[0]
    ...     followed.add(topic, doc, truth[topic, doc])
    >>> followed.verdict.winner
    'crossenc'

The order of the documents is committed before the first label, from the seed. An interval at every look holds with the
stated probability at all looks together, however the decision to stop is made. Look at the numbers as often as you
like; the labels themselves must not depend on them, so whoever grades should not see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from dissensus.errors import InputError
from dissensus.inference.correction.design import one_judge, widened_scale
from dissensus.inference.sequential.follow import Sequential
from dissensus.inference.sequential.questions import Target
from dissensus.inference.sequential.result import SequentialResult
from dissensus.inference.sequential.stop import Kind, Question
from dissensus.io.options import ReadKeywords
from dissensus.measures.measure import Measure
from dissensus.tables.audit import Audit
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

__all__ = ["Sequential", "sequential"]


@coerced
def sequential(
    runs: Runs,
    judgments: Judgments,
    audit: Audit | Any,
    measure: str | Measure,
    systems: Sequence[str] | str | None = None,
    assessor: str | None = None,
    level: float = 0.95,
    kind: Kind = "asymptotic",
    margin: float | None = None,
    target: Target = "these_topics",
    *,
    scores: bool = False,
    question: Question | None = None,
    mean_assessor: bool = False,
    **reading: Unpack[ReadKeywords],
) -> SequentialResult:
    """Labels that were given in a committed order, looked at after every one of them.

    `audit`: the sample of `ds.plan(…, order=True)` with grades filled in from the top, as an `Audit`, a frame
    or a path. Only its completed prefix counts; a grade below zero means that no assessor could judge the document. The
    other arguments are those of `Sequential`, the form to which labels can be added.
    """
    if not isinstance(audit, Audit) or audit.order is None:
        raise InputError(
            "these labels were not given in a committed order: columns draw and rate are missing.",
            "Plan one with ds.plan(…, order=True) before the first label, and grade it from the top.",
            "An audit with fixed probabilities may be looked at once: ds.correct(runs, judgments, audit, measure).",
        )
    order, gold = audit.order, audit.judgments.scale
    bronze = one_judge(judgments, assessor).scale
    followed = Sequential(
        runs, judgments, measure, systems, assessor, level, kind, margin, target, order=order, scores=scores,
        question=question, mean_assessor=mean_assessor, scale=widened_scale(bronze, gold),
    )  # fmt: skip
    followed.fill(order)
    return followed.result()
