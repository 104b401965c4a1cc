"""Which chart belongs to which result: `result.plot()` looks here, by the name of the result's class.

The figure of a study names its chart itself.

>>> "Corrected" in CHARTS
True
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from dissensus.errors import InputError
from dissensus.reporting.charts.ceiling import topic_chart
from dissensus.reporting.charts.correction import power_chart, shrinking_chart
from dissensus.reporting.charts.judges import agreement_map, confusion_map
from dissensus.reporting.charts.multiverse import whole
from dissensus.reporting.charts.noise import forecast_chart
from dissensus.reporting.charts.system_scores import difference_chart, score_chart, score_kinds, verdict_word
from dissensus.reporting.charts.theme import look
from dissensus.reporting.charts.theory import balancing_chart
from dissensus.reporting.charts.users import stationary_chart
from dissensus.reporting.charts.weights import weight_chart
from dissensus.results import Result
from dissensus.studies.study import Figure

if TYPE_CHECKING:
    from altair.typing import ChartType

    from dissensus.inference.ceiling.api import Ceiling
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.multiverse.result import Multiverse
    from dissensus.inference.planning.result import Plan
    from dissensus.inference.sequential.result import SequentialResult
    from dissensus.judging.agreement.result import Agreement
    from dissensus.judging.confusion.api import Confusion
    from dissensus.judging.disagreement.model import Disagreement

Chart = Callable[[Any], "ChartType"]  # of a result of its class


def corrected(result: Result) -> ChartType:
    """Naive and corrected scores (and pooled ones) with intervals, systems from the best down."""
    import altair as alt

    charts = []
    for (measure,), rows in result.to_frame().group_by("measure", maintain_order=True):
        kinds = score_kinds(rows, "naive", "corrected", *(["pooled"] if "pooled" in rows.columns else []))
        best = "pooled" if "pooled" in rows.columns and rows["pooled"].is_finite().any() else "corrected"
        order = rows.with_columns(pl.col(best).fill_nan(None)).sort(best, descending=True, nulls_last=True)["system"]
        charts.append(score_chart(kinds, str(measure), order=order.to_list()))
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts)


def differences(result: Difference | Differences) -> ChartType:
    """Every difference with its interval, one panel per measure."""
    import altair as alt

    each = cast("Sequence[Difference]", getattr(result, "pairs", (result,)))  # one difference has no pairs
    charts = []
    for (measure,), rows in result.to_frame().group_by("measure", maintain_order=True):
        pair = pl.format("{} − {}", "a", "b").alias("pair")
        verdicts = [verdict_word(d.claim.kind) for d in each if d.measure == measure]
        charts.append(difference_chart(rows.with_columns(pair, pl.Series("verdict", verdicts)), str(measure)))
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts)


def agreement(result: Agreement) -> ChartType:
    """κ of every pair of assessors."""
    names = sorted({*result.pairs["assessor_a"].to_list(), *result.pairs["assessor_b"].to_list()})
    return agreement_map(result.pairs, names)


def confusion(result: Confusion) -> ChartType:
    """The matrix as a map."""
    columns = {"share": "probability", "n": "count"}
    frame = result.to_frame().with_columns(pl.lit("").alias("assessor"), **{k: pl.col(v) for k, v in columns.items()})
    return confusion_map(frame, list(result.scale.names))


def ceiling(result: Ceiling) -> ChartType:
    """The ceiling of every topic."""
    return topic_chart(result.to_frame().with_columns(pl.lit(result.measure).alias("measure")))


def plan(result: Plan) -> ChartType:
    """What an audit of each size can find."""
    return power_chart(result.table)


def disagreement(result: Disagreement) -> ChartType:
    """What each grade is worth to users who may disagree."""
    frame = result.to_frame().with_columns(pl.lit(f"at least 1 of 3 say {result.top}").alias("choice"))
    return weight_chart(frame)


def walk(result: Result) -> ChartType:
    """How often users are at each rank."""
    return stationary_chart(result.to_frame())


def balancing(result: Result) -> ChartType:
    """The balancing index as rankings get longer."""
    return balancing_chart(result.to_frame())


def forecast(result: Result) -> ChartType:
    """pNoise that each level of noise would leave."""
    return forecast_chart(result.to_frame())


def sequential(result: SequentialResult) -> ChartType:
    """The interval against the number of labels, a panel for every pair or score."""
    name = pl.when(pl.col("b").is_null()).then(pl.col("a")).otherwise(pl.format("{} − {}", "a", "b"))
    frame = result.table.with_columns(panel=name)
    return shrinking_chart(frame.with_columns(path=pl.col("panel").rank("dense")))


def multiverse(result: Multiverse) -> ChartType:
    """The specification curve: one difference under every judge."""
    return whole(result)


CHARTS: dict[str, Chart] = {
    "Corrected": corrected,
    "Difference": differences,
    "Differences": differences,
    "Agreement": agreement,
    "Confusion": confusion,
    "Ceiling": ceiling,
    "Plan": plan,
    "Disagreement": disagreement,
    "MarkovUser": walk,
    "BalancingCurve": balancing,
    "NoiseForecast": forecast,
    "SequentialResult": sequential,
    "Multiverse": multiverse,
}


def chart_of(result: Result) -> ChartType:
    """The chart of a result, in the look of the report."""
    make = CHARTS.get(type(result).__name__)
    if make is None:
        raise InputError(
            f"{type(result).__name__} has no chart.",
            f"There are charts of {', '.join(sorted(CHARTS))}.",
            ".to_frame() has the numbers.",
        )
    return look(make(result))


def draw(figure: Figure) -> ChartType:
    """The figure of a study, which names a chart of this room and what it shows."""
    room = importlib.import_module(f"dissensus.reporting.charts.{figure.room}")
    return getattr(room, figure.chart)(*figure.data)
