"""`dissensus aware`: scores merged over assessors, their weights, and what other ways of merging would have said."""

from __future__ import annotations

from typing import Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.judging.aware.api import aware_arrays
from dissensus.judging.aware.result import MergedScores
from dissensus.judging.merging.merging_comparison import ways_of_merging
from dissensus.measures.catalog import measure_list
from dissensus.measures.policies import Policies
from dissensus.measures.worth import on_gains
from dissensus.tables.collection import answered_by_all

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
    ways = list(dict.fromkeys([estimator, *BESIDE])) if len(crowd.assessors) > 1 else [estimator]
    found = {
        str(m): ways_of_merging(
            all_runs, crowd, m, ways, replicates=replicates, seed=seed, unjudged=unjudged,
            assessed=merged.assessed[str(m)] if gold is None else None,
        )
        for m in wanted
    }  # fmt: skip
    shown.show(MergedScores(merged, found, per_topic))
