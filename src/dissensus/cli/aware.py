"""`dissensus aware`: scores merged over assessors, their weights, and what other ways of merging would have said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.judging.aware.api import aware_arrays
from dissensus.judging.merging.merging_comparison import ways_of_merging
from dissensus.measures.catalog import measure_list
from dissensus.measures.policies import Policies
from dissensus.measures.scores import aggregated
from dissensus.measures.worth import on_gains
from dissensus.tables.collection import answered_by_all

if TYPE_CHECKING:
    from dissensus.judging.aware.api import AwareArrays
    from dissensus.measures.scores import ScoreArrays

BESIDE = ("uni", "majority", "em-mv", "em-neu")


def command(
    runs: opt.RunsArgument,
    judgments: opt.JudgmentsOption,
    measures: opt.MeasuresOption = opt.TABLE_MEASURES,
    estimator: Annotated[
        str,
        option("--estimator", metavar="NAME"),
    ] = "sgl_rmse_msd",
    replicates: Annotated[int, option("--replicates", metavar="N")] = 1000,
    gold: Annotated[
        str | None,
        option("--gold", metavar="NAME", help="The assessor that is the truth: weights by closeness to it."),
    ] = None,
    per_topic: Annotated[bool, option("--per-topic", help="Show scores and weights topic by topic.")] = False,
    reading: opt.RunReading = opt.RunReading(repeated="first"),
    topics: opt.TopicsOption = Policies.topics,
    unjudged: Annotated[
        Literal["nonrelevant", "condense"] | None,
        option("--unjudged"),
    ] = None,
    ties: opt.TiesOption = Policies.ties,
    empty: opt.EmptyOption = "zero",
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
    work: LongWork = LongWork(),
) -> None:
    """Merge scores instead of labels, weighting assessors by how unlike random they are.

    The second table says what each assessor counts for; the last one how the order of systems changes from one way of
    merging to another: AWARE, equal weights, majority vote, EM.

    Example: dissensus aware runs/* --judgments labels.csv -m AP --estimator sgl_rmse_msd
    """
    shown.check()
    wanted = measure_list(measures)
    all_runs = reading.runs(*runs)
    (labels,) = on_gains(wanted, reading.judgments(judgments))
    reading.refuse_unused()
    merged = aware_arrays(
        all_runs, labels, wanted, Policies(topics, ties=ties, empty=empty), unjudged, estimator=estimator,
        replicates=replicates, seed=seed, gold=gold, label="random judges",
    )  # fmt: skip
    if topics == "shared":
        labels = answered_by_all(all_runs, labels)
    crowd = labels if gold is None else labels.select(assessors=[a for a in labels.assessors if a != gold])
    tables = {"scores": _scores(merged.scores, per_topic), "weights": _weights(merged, per_topic)}
    for m in wanted:
        ways = list(dict.fromkeys([estimator, *BESIDE])) if len(crowd.assessors) > 1 else [estimator]
        known = merged.assessed[str(m)] if gold is None else None
        found = ways_of_merging(
            all_runs, crowd, m, ways, replicates=replicates, seed=seed, unjudged=unjudged, assessed=known
        )
        suffix = f" ({m})" if len(wanted) > 1 else ""
        tables[f"ways of merging{suffix}"] = found.correlations
        tables[f"order of systems{suffix}"] = found.ranks
    shown.emit(
        tables,
        title=f"Scores merged by {estimator}",
        footer=merged.scores.attrs["footer"].splitlines(),
        facts={k: v for k, v in merged.scores.attrs.items() if k != "footer"},
    )


def _scores(scores: ScoreArrays, per_topic: bool) -> pl.DataFrame:
    """Merged scores, best system first."""
    merged = {name: values[0] for name, values in scores.values.items()}
    systems, topics = list(scores.systems), list(scores.topics)
    if per_topic:
        return pl.DataFrame(
            {
                "system": [s for s in systems for _ in topics],
                "topic": topics * len(systems),
                **{name: values.ravel() for name, values in merged.items()},
            }
        )
    means = scores.means()
    table = pl.DataFrame({"system": systems, **{name: means[name][0] for name in merged}})
    return table.sort(next(iter(merged)), descending=True)


def _weights(merged: AwareArrays, per_topic: bool) -> pl.DataFrame:
    """Weight of every assessor, the mean over topics (and per topic where asked)."""
    assessors = list(merged.scores.assessors[1:])
    coverage = merged.scores.attrs["coverage"]
    columns: dict[str, Any] = {"assessor": assessors, "coverage": [coverage[a] for a in assessors]}
    several = len(merged.weight) > 1
    for name, weight in merged.weight.items():
        columns[f"weight {name}" if several else "weight"] = aggregated(weight)
        if per_topic:
            prefix = f"{name} " if several else ""
            columns.update({f"{prefix}{t}": weight[:, i] for i, t in enumerate(merged.scores.topics)})
    return pl.DataFrame(columns).sort(next(c for c in columns if c.startswith("weight")), descending=True)
