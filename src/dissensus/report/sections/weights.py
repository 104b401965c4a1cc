"""Grade weights: what a grade is worth to users who may disagree with the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dissensus.judges.disagreement.api import Disagreement, disagreement
from dissensus.report.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.report.study import Study

if TYPE_CHECKING:
    import polars as pl

USERS = 3


def build(study: Study) -> Section:
    """p(top | grade), the weights that follow, and the usual gains beside them."""
    from dissensus.report.charts.disagreement import weight_chart

    if not study.several:
        return Section(
            "weights", "What grades are worth", missing="one assessor cannot disagree; it takes two or more."
        )
    if not study.judgments.scale.ordered:
        return Section("weights", "What grades are worth", missing="the labels have no order.")
    found = disagreement(study.judgments)
    frame = found.to_frame(1, USERS)
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
            "weights", TableBlock("choices", choices, "Weights by choice", "weights"),
        ),
        TableBlock("table", frame, "Probability of top and weight, with intervals", "weights"),
        *(Paragraph(note, kind="quiet") for note in found.notes),
    ]  # fmt: skip
    line = f"When one assessor says {top}, another says {top} with probability {found.p[top]:.2f}."
    return Section("weights", "What grades are worth", blocks, line=line, short="Grades")


def choices_table(found: Disagreement) -> pl.DataFrame:
    """Weights scaled to 1 for the top grade, by choice."""
    import polars as pl

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
