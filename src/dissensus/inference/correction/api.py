"""Scores as the gold judge would have given them: bronze labels everywhere, gold labels for a few documents.

    >>> import dissensus as ds
    >>> runs = ds.Runs.from_dict({
    ...     "A": {f"q{q}": {"x": 3.0, "y": 2.0} for q in range(4)},
    ...     "B": {f"q{q}": {"z": 3.0, "y": 2.0} for q in range(4)}})
    >>> llm = ds.Judgments.from_dict({"llm": {f"q{q}": {"x": 1, "y": 1, "z": q % 2} for q in range(4)}})
    >>> gold = ds.Judgments.from_dict({"expert": {f"q{q}": {"x": 1, "y": 0, "z": q % 2} for q in range(4)}})
    >>> result = ds.correct(runs, llm, gold, ["P@2"])
    >>> result.table.select("system", "naive", "corrected").rows()
    [('A', 1.0, 0.5), ('B', 0.75, 0.25)]

`method="auto"` never looks at the labels to choose: an audit among the scored documents → rectified scores, which need
no assumption on where errors fall; accuracies from elsewhere → the confusion matrix, with its assumption printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.checks import audit_checks, other_judges, refuse_bad
from dissensus.inference.comparison.by_group import groups_of
from dissensus.inference.comparison.other_judges import asked_judges, complete_judges
from dissensus.inference.correction.coverage import (
    all_alike,
    documents_needed,
    out_of_reach,
    refusal,
    scale_findings,
    unjudged_bounds,
    unjudged_shown,
    unjudged_weight,
    unused_finding,
)
from dissensus.inference.correction.design import Design, check_policies, lay_out, one_judge
from dissensus.inference.correction.diagnosis import (
    JudgeFinding,
    audit_findings,
    error_findings,
    judge_findings,
    weight_finding,
)
from dissensus.inference.correction.estimate import Estimate, MeasureResult, Method, naive, refused
from dissensus.inference.correction.imputation import by_imputation
from dissensus.inference.correction.matrix import by_confusion
from dissensus.inference.correction.modelled import by_modelling, method_of
from dissensus.inference.correction.per_system import by_own_confusion, judged_apart
from dissensus.inference.correction.questions import (
    AskedMeasure,
    Calibrations,
    CorrectionOptions,
    MethodName,
    Target,
    asked_for,
    check_answerable,
    check_apart,
    knowledge,
    ordered_by_gains,
)
from dissensus.inference.correction.ratio_of_sums import by_ratio, naive_ratio
from dissensus.inference.correction.rectified import by_rectifying
from dissensus.inference.correction.result import Corrected
from dissensus.inference.correction.topicwise import by_topics, enough_topics
from dissensus.inference.correction.two_stages import by_stages
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.sequential.api import ruling_sets
from dissensus.io.options import ReadKeywords
from dissensus.measures.families.gain import over_ideal
from dissensus.measures.grades_used import check_grades_used
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.policies import Empty, Policies, Ties, Topics, Unjudged
from dissensus.tables.audit import Audit
from dissensus.tables.coercion import coerced
from dissensus.tables.collection import Joined
from dissensus.tables.copies import copy_notes
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    from dissensus.inference.comparison.outcome import Outcome


@coerced
def correct(
    runs: Runs,
    judgments: Judgments,
    audit_or_confusion: Audit | Judgments | Calibrations,
    measures: Iterable[str | Measure] | str | Measure,
    method: MethodName = "auto",
    assessor: str | Mapping[str, str] | None = None,
    *,
    target: Target = "population",
    level: float = 0.95,
    seed: int = 0,
    pooled: bool = True,
    by: Mapping[str, str] | str | None = None,
    interval: str = "wald",
    negligible: float | None = None,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    **reading: Unpack[ReadKeywords],
) -> Corrected:
    """Scores of every system, corrected for the judge's errors, with intervals and the diagnosis of the judge.

    A measure "nDCG-ratio@10" is Σ DCG/Σ ideal over topics, an estimand of its own that needs no per-topic ideal.

    Parameters
    ----------
    judgments
        The labels of the judge that is corrected: Judgments, paths, a frame or a dict.
    audit_or_confusion
        Expert labels of some scored documents (an Audit, plain Judgments, a path), or a Confusion measured
        elsewhere. A mapping {system: Confusion} where each system has its own.
    method
        auto takes the audit where there is one. confusion corrects through a matrix, rectified by the audit
        alone.
    assessor
        The judge whose labels are corrected, where there are several. {system: assessor} where each system had
        its own, which takes calibrations of their own.
    target
        population: topics are a sample, and intervals are for all topics like them. these_topics: only these.
    pooled
        Show scores, too, that pool the judge's biases over all systems by a model.
    by
        Groups of topics, {topic: group} or a file with topic and class. The outcome says where the order differs.
    interval
        Intervals of single scores: wald, or bootstrap, which resamples topics and calibration together.
    negligible
        A loss that does not matter to the recommendation: 0.02 where scores lie between 0 and 1.

    Returns
    -------
    Corrected
        `.compare(a, b)` and `.compare_all()` give differences, `.scores` corrected scores per topic,
        `.diagnosis` what is known of the judge. Its tables, of which the pooled columns need four systems and an
        audit, and the diagnosis of pairs an audit of scored documents:

        - `scores`: measure, system, naive, corrected, se, low, high, method, gold_low, gold_high, pooled,
          pooled_low, pooled_high
        - `diagnosis`: measure, a, b, matrix, matrix_se, hausman_z, hausman_p, audited, f_star, only_a_documents,
          only_a_errors, only_b_documents, only_b_errors, both_documents, both_errors, errors_p

    Examples
    --------
    >>> import dissensus as ds
    >>> runs = {s: {f"q{q}": {f"d{i}": float(i * up) for i in range(4)} for q in range(12)}
    ...         for s, up in (("A", 1), ("B", -1))}
    >>> judge = {"llm": {f"q{q}": {f"d{i}": int(i > 1) for i in range(4)} for q in range(12)}}
    >>> gold = {"ann": {f"q{q}": {f"d{i}": int(i > 1 + q % 2) for i in range(4)} for q in range(12)}}
    >>> found = ds.correct(runs, judge, gold, "P@2")
    >>> found.to_frame().select("system", "naive", "corrected").rows()
    [('A', 1.0, 0.75), ('B', 0.0, 0.0)]
    """
    options = CorrectionOptions(
        Policies(topics, unjudged, ties, empty), method, assessor, target, level, seed, pooled,
        None if by is None else groups_of(by), interval, negligible,
    )  # fmt: skip
    return correct_under(runs, judgments, audit_or_confusion, measures, options)


def correct_under(
    runs: Runs,
    judgments: Judgments,
    known: Audit | Judgments | Calibrations,
    measures: Iterable[str | Measure] | str | Measure,
    options: CorrectionOptions,
    joined: Joined | None = None,
) -> Corrected:
    """As `correct`; `joined` are the runs with all these documents, where they were joined before (`Joined.under`)."""
    asked, assessor = asked_for(measures), options.assessor
    check_policies(options.policies, [one.measure for one in asked])
    judgments, known = ordered_by_gains(judgments, known, [one.measure for one in asked])
    if isinstance(assessor, Mapping):
        check_apart(known, asked)
        runs, bronze = judged_apart(runs, judgments, assessor)
    else:
        bronze = one_judge(judgments, assessor)
    check_grades_used(bronze, [one.measure for one in asked], as_classes=True)
    audit, confusion = knowledge(known, runs, bronze)
    design = lay_out(runs, bronze, audit, options.policies, joined)
    checks = audit_checks(
        design, () if isinstance(assessor, Mapping) else other_judges(design, judgments, bronze.assessors[0])
    )
    refuse_bad(checks)

    def results(options: CorrectionOptions) -> dict[str, MeasureResult]:
        check_answerable(design, options)
        return {one.name: correct_one(one, design, options, confusion) for one in asked}

    doubts = (JudgeFinding(c.name, c.reason, True, c.statistic, c.p_value) for c in checks if c.verdict == "warn")
    copies = (JudgeFinding("copies", note) for note in copy_notes(runs=runs))
    made = Corrected(
        design.joined.systems, design.joined.topics, results(options),
        (*audit_findings(design), *doubts, *copies, *scale_findings(design)), design, options,
        "the judges" if isinstance(assessor, Mapping) else bronze.assessors[0],
    )  # fmt: skip

    def again(wanted: str) -> Corrected:
        other: Target = "population" if wanted == "population" else "these_topics"
        asked = replace(options, target=other)
        return replace(made, results=results(asked), options=asked, pools={})

    def others(measure: str) -> Sequence[Outcome]:
        if audit is None or not isinstance(assessor, str):
            return []
        plain = replace(options, assessor=None, by=None)
        return asked_judges(complete_judges(judgments, assessor), lambda other: correct_under(
            runs, judgments.select(assessors=[other]), audit, measure, plain
        ).conclude(measure))  # fmt: skip

    looked = audit is not None and audit.order is not None and audit.order.looked
    followed = partial(ruling_sets, runs, bronze, audit) if audit is not None and looked else None
    return replace(made, again=again, followed=followed, others=others)


def estimated(m: Measure, design: Design, target: Target, seed: int) -> MeasureResult:
    """One measure of a design that is laid out: what `correct` finds, without what is said about the audit."""
    return correct_one(AskedMeasure(str(m), m), design, CorrectionOptions(target=target, seed=seed))


def correct_one(
    asked: AskedMeasure, design: Design, options: CorrectionOptions, confusion: Calibrations | None = None
) -> MeasureResult:
    """One measure, corrected as `options` say; `confusion` is what is known of the judge from elsewhere."""
    name, m, target, seed = asked.name, asked.measure, options.target, options.seed
    if asked.ratio and design.stage is not None:
        shape = (len(design.joined.systems), len(design.joined.topics))
        why = f"{name} is not corrected after topics were drawn, and documents within them; take {m}"
        return _not_linear(name, m, design, refused(Method.RATIO, shape, why), naive_ratio(m, design))
    if asked.ratio:
        made = by_ratio(m, design, target, seed) if design.audited.any() else None
        narrow = out_of_reach(name, m, design, Method.RATIO) if made else None
        return _not_linear(name, m, design, narrow or made, naive_ratio(m, design))
    if design.stage is not None and options.method != "confusion":
        return _in_stages(asked, design, target, seed)
    if isinstance(m, Linear):
        return _linear(m, design, confusion, options)
    if options.method == "confusion" or not design.audited.any():
        return _not_linear(name, m, design, None)

    if enough_topics(design):
        return _not_linear(name, m, design, by_topics(m, design, target))
    method = method_of(m, design)
    beyond = out_of_reach(name, m, design, method)
    if over_ideal(m) and not design.gold_scale.ordered:
        why = f"{name}: ideals come from a model of ordered grades. Take one without: DCG, CG, GAP, RBP."
        beyond = refused(Method.MODEL, (len(design.joined.systems), len(design.joined.topics)), why)
    if said := all_alike(design, documents_needed(m, design), np.arange(len(design.gold_scale))):
        beyond = refused(method, (len(design.joined.systems), len(design.joined.topics)), said)
    if modelled := beyond or by_modelling(m, design, target, seed):
        return _not_linear(name, m, design, modelled)
    made, alone = by_imputation(m, design, target, seed)
    return _not_linear(name, m, design, made, sensitivity=alone)


def _in_stages(asked: AskedMeasure, design: Design, target: Target, seed: int) -> MeasureResult:
    """A measure after topics were drawn, and documents within them."""

    def within(drawn: Design) -> Estimate:
        return correct_one(asked, drawn, CorrectionOptions(target="these_topics", seed=seed)).estimate

    m = asked.measure
    made = by_stages(m, design, target, within)
    why = f"{made.method}, carried from drawn topics to all: topics were drawn first, and documents within them."
    findings = tuple(unjudged_shown(m, design))
    return MeasureResult(asked.name, m, None, naive(m, design), made, why, findings)


def _linear(m: Linear, design: Design, confusion: Calibrations | None, options: CorrectionOptions) -> MeasureResult:
    method, target = options.method, options.target
    weights = weights_of(m, design.joined, design.gold_scale, design.policies.ties)
    internal = bool(design.audited.any())
    values, bronze_values = design.values_of(m)
    if isinstance(confusion, Mapping):
        matrix = by_own_confusion(m, design, weights, confusion)
    else:
        matrix = by_confusion(m, design, weights, confusion)
    findings = [*judge_findings(matrix, design.joined.systems)]
    if internal:
        findings += [*error_findings(design, values, bronze_values), *weight_finding(weights, design.labels(values))]
    findings += unjudged_weight(design, weights)
    if internal:
        findings += unused_finding(design, weights)
    alike = all_alike(design, weights.scored_items, values) if internal else ""
    bounds = unjudged_bounds(design, weights, values)
    gold_only = by_rectifying(m, design, weights, target, use_bronze=False) if internal and not alike else None
    if internal and method != "confusion":
        estimate = by_rectifying(m, design, weights, target)
        if alike:
            estimate = refused(Method.RECTIFIED, estimate.scores.shape, alike)
        why = "rectified: the audit lies among the scored documents, so no assumption on the judge's errors is needed."
        sensitivity, uncovered_scores = matrix, refusal(design, weights)
    else:
        estimate, sensitivity, uncovered_scores = matrix, None, ""
        why = "confusion: " + ("asked for." if method == "confusion" else "the calibration comes from elsewhere.")
    return MeasureResult(
        str(m), m, weights, naive(m, design), estimate, why, tuple(findings), uncovered_scores, sensitivity, gold_only,
        bounds,
    )  # fmt: skip


def _not_linear(
    name: str,
    m: Measure,
    design: Design,
    estimate: Estimate | None,
    bronze: Floats | None = None,
    sensitivity: Estimate | None = None,
) -> MeasureResult:
    bronze = naive(m, design) if bronze is None else bronze
    if estimate is None:
        estimate = refused(
            Method.NONE,
            bronze.shape,
            f"{name} is not linear in the labels, so a confusion matrix cannot correct it; it takes an audit of scored "
            "documents (best: all documents of a random sample of topics), and method 'auto' or 'rectified'",
        )
        why = "no method: " + estimate.why_not + "."
    else:
        why = {
            Method.PER_TOPIC: f"per-topic: {name} is not linear, and a sample of topics is fully audited.",
            Method.IMPUTATION: f"imputation: {name} is not linear, and single documents were audited: gold labels of "
            "the others are imputed, and audited documents correct what the model gets wrong.",
            Method.MODEL: f"modelled ideals: {name} is not linear, and single documents were audited. They correct the "
            "gains, and a model of gold grades gives the ideals.",
            Method.RELEVANCE: f"modelled relevance: {name} is not linear, and single documents were audited. They "
            "correct what a model of relevance says of the others.",
            Method.RATIO: f"ratio of sums: {name} = Σ DCG/Σ ideal; DCG is rectified, a model gives the ideals.",
        }[estimate.method]
    findings = tuple(unjudged_shown(m, design))
    return MeasureResult(name, m, None, bronze, estimate, why, findings, sensitivity=sensitivity)
