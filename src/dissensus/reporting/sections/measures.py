"""What measures count: which user each stands for, with its attention by rank, and what grades are worth."""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.judging.disagreement.api import Disagreement, disagreement
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.scores import aggregated
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.weights import attention_chart, weight_chart
from dissensus.reporting.study import ReportedStudy, ScoredSystems
from dissensus.stats.correlation import kendall_tau, tau_ap

DEPTH = 20
USERS = 3
LISTED = {"its user": "the user whom the measure stands for", "kind": "what kind of measure it is"}
ATTENTION = {"share": "share of the measure's total weight on this rank"}
OTHER = {"measure": "the first measure", "other": "the measure that it is compared with"}
CHOICES = {"choice": "how weights are chosen", "weight": "weight of the grade, 1 for the top grade"}


def build(study: ReportedStudy) -> Section:
    """Every measure in words, where its attention lies, and how differently the measures order the systems."""
    blocks: list[Block] = [
        Paragraph(
            "A measure is a model of a user. Choose the one whose user is yours, before looking at scores.", "measures"
        ),
        TableBlock("list", listed(study), "The measures of this report", "measures", meanings=LISTED),
    ]
    attention = attention_table(study.measures)
    if attention.height:
        blocks.append(
            ChartBlock(
                "attention",
                attention_chart(attention),
                "Where the attention of each measure lies",
                "Lines: share of a measure's total weight on each rank, for measures with a weight per rank.",
                "measures",
                TableBlock("attention", attention, "Share of attention by rank", "measures", meanings=ATTENTION),
            )
        )
    line = f"One measure, {study.measure}." if len(study.measures) == 1 else f"{len(study.measures)} measures."
    if len(study.measures) > 1 and len(study.systems) > 2:
        orders = agreement_of_orders(study)
        blocks.append(TableBlock("tau", orders, "How differently the measures order systems", "tau", meanings=OTHER))
        alike = [f"{r['other']} (τ = {r['tau']:.2f})" for r in orders.head(3).iter_rows(named=True)]
        if alike:
            line = f"The order by {study.measure} beside that by {', '.join(alike)}."
    return Section("measures", "The measures and their users", blocks, line=line, short="Measures")


def listed(study: ReportedStudy) -> pl.DataFrame:
    rows = []
    for m in study.measures:
        user = f"the user {m.user}" if m.user else "its author has not described the user"
        rows.append((str(m), user, m.shape))
    return pl.DataFrame(rows, schema=["measure", "its user", "kind"], orient="row")


def attention_table(measures: tuple[Measure, ...]) -> pl.DataFrame:
    """Share of the total weight on ranks 1…20, for linear measures."""
    rows = []
    for m in measures:
        if isinstance(m, Linear):
            weight = np.asarray(m.weights(1000), np.float64)
            weight = weight if m.cutoff is None else np.where(np.arange(1000) < m.cutoff, weight, 0.0)
            total = weight.sum()
            if total > 0:
                rows += [(str(m), r + 1, float(weight[r] / total)) for r in range(DEPTH)]
    return pl.DataFrame(rows, schema={"measure": pl.String, "rank": pl.Int64, "share": pl.Float64}, orient="row")


def agreement_of_orders(study: ScoredSystems) -> pl.DataFrame:
    """Kendall's τ and τ_ap between the orders of systems by the first measure and by each other."""
    means = {name: aggregated(values[0]) for name, values in study.judge_scores.values.items()}
    first, *others = list(means)
    rows = [
        (first, other, float(kendall_tau(means[first], means[other])), float(tau_ap(means[first], means[other])))
        for other in others
        if not (np.isnan(means[first]).any() or np.isnan(means[other]).any())
    ]
    schema = {"measure": pl.String, "other": pl.String, "tau": pl.Float64, "tau_ap": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def grades(study: ReportedStudy) -> Section:
    """What a grade is worth to users who may disagree with the judge: p(top | grade), weights, the usual gains."""
    if not study.several:
        return Section(
            "weights", "What grades are worth", missing="one assessor cannot disagree; it takes two or more."
        )
    if not study.judgments.scale.ordered:
        return Section("weights", "What grades are worth", missing="the labels have no order.")
    found = disagreement(study.judgments)
    choices = choices_table(found)
    top = found.top
    blocks: list[Block] = [
        Paragraph(
            f"When one assessor says {top}, another says {top} with probability {found.p[top]:.2f}. A weight says "
            f"how likely at least one of {USERS} users finds a document top, given that one gave it the grade.",
            "weights",
        ),
        ChartBlock(
            "weights", weight_chart(choices), "Weights by grade: what users' disagreement says, and the usual choices",
            "Grouped bars: weight of each grade by user disagreement, linear gains and exponential gains.",
            "weights", TableBlock("choices", choices, "Weights by choice", "weights", meanings=CHOICES),
        ),
        TableBlock("table", found.tables["weights"], "Probability of top and weight, with intervals", "weights"),
        *(Paragraph(note, kind="quiet") for note in found.notes),
    ]  # fmt: skip
    line = f"When one assessor says {top}, another says {top} with probability {found.p[top]:.2f}."
    return Section("weights", "What grades are worth", blocks, line=line, short="Grades")


def choices_table(found: Disagreement) -> pl.DataFrame:
    """Weights scaled to 1 for the top grade, by choice."""
    weights = found.weights(1, USERS)
    grades = found.scale.grades.tolist()
    top = max(grades) or 1
    rows = []
    for key, grade in zip(found.keys, grades, strict=True):
        rows += [
            (str(key), "users' disagreement", float(weights[key])),
            (str(key), "linear", grade / top),
            (str(key), "exponential", (2**grade - 1) / (2**top - 1)),
        ]
    return pl.DataFrame(rows, schema=["grade", "choice", "weight"], orient="row")
