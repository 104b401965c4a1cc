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
from dissensus.inference.sequential.result import SequentialResult, Verdicts
from dissensus.inference.sequential.stop import Kind, Question, Verdict
from dissensus.io.options import ReadKeywords
from dissensus.measures.measure import Measure
from dissensus.tables.audit import Audit
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

__all__ = ["Sequential", "sequential"]


def ruling_sets(
    runs: Runs, judgments: Judgments, audit: Audit, measure: str, target: str, level: float
) -> tuple[Verdict, ...]:
    """The verdict on every pair that an audit's order covers; none of a measure that cannot be followed."""
    order, covers = audit.order, audit.covers
    assert order is not None
    systems = list(runs.systems) if covers.every_pair else list(dict.fromkeys(s for p in covers.pairs or () for s in p))
    try:
        followed = Sequential(
            runs, judgments, measure, systems, None, level, target="population" if target == "population" else target,  # type: ignore[arg-type]
            order=order, scale=widened_scale(judgments.scale, audit.judgments.scale),
        )  # fmt: skip
        followed.fill(order)
    except InputError:
        return ()
    found = followed.verdict
    return found.each if isinstance(found, Verdicts) else (found,)


@coerced
def sequential(
    runs: Runs,
    judgments: Judgments,
    audit: Audit | Any,
    measures: str | Measure,
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

    Only the completed prefix of the order counts. A grade below zero means that no assessor could judge the document.

    Parameters
    ----------
    audit
        The sample of `ds.plan(…, order=True)` with grades filled in from the top: an Audit, a frame or a path.
    measures
        The measure that is followed.
    systems
        Two for their difference, one for its score, more or none for all pairs.
    level
        Level of the intervals at all looks together.
    kind
        asymptotic gives the set that rules by METHODS, exact where the asymptotic one may not rule. exact is
        always exact.
    margin
        A difference that does not matter: equivalence is decided, too. For single scores, the half width
        wanted.
    target
        these_topics, or the population of topics like them.
    scores
        Follow the score of each system instead of differences.
    question
        difference, equivalence, both, or score. Without it, what `margin` and `scores` imply.
    mean_assessor
        Widen the set to what the mean of all assessors would say.

    Returns
    -------
    SequentialResult
        `.decided_at`, `.verdict`, `.forecast`. Its table has every prefix for one pair, every tenth for many:

        - `looks`: labels, a, b, estimate, low, high, decided

    Examples
    --------
    >>> import dissensus as ds
    >>> runs = {s: {f"q{q}": {f"d{i}": float((i * up + q) % 9) for i in range(9)} for q in range(12)}
    ...         for s, up in (("A", 2), ("B", 5))}
    >>> judge = {"llm": {f"q{q}": {f"d{i}": (i + q) % 2 for i in range(9)} for q in range(12)}}
    >>> order = ds.plan(runs, judge, measures="P@3", order=True, seed=1).sample
    >>> graded = order.with_columns(grade=order["draw"] % 2)
    >>> ds.sequential(runs, judge, graded, "P@3").to_frame().columns[:4]
    ['labels', 'a', 'b', 'estimate']
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
        runs, judgments, measures, systems, assessor, level, kind, margin, target, order=order, scores=scores,
        question=question, mean_assessor=mean_assessor, scale=widened_scale(bronze, gold),
    )  # fmt: skip
    followed.fill(order)
    return followed.result()
