"""`dissensus aware`: scores merged over assessors, their weights, and what other ways of merging would have said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dissensus.cli.inputs import options as opt
from dissensus.measures.policies import Policies

if TYPE_CHECKING:
    import polars as pl

BESIDE = ("uni", "majority", "em-mv", "em-neu")


def command(
    runs: opt.RunsArgument,
    judgments: opt.JudgmentsOption,
    measure: opt.MeasuresOption = opt.TABLE_MEASURES,
    estimator: Annotated[
        str,
        typer.Option("--estimator", metavar="NAME", help="sgl or tpc, fro rmse kld tau or apc, md msd or med; or uni."),
    ] = "sgl_rmse_msd",
    replicates: Annotated[int, typer.Option("--replicates", metavar="N", help="Random judges of each class.")] = 1000,
    gold: Annotated[
        str | None,
        typer.Option("--gold", metavar="NAME", help="The assessor that is the truth: weights by closeness to it."),
    ] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Show scores and weights topic by topic.")] = False,
    scale: opt.ScaleOption = None,
    repeated: opt.RepeatedOption = "first",
    assessor_column: opt.AssessorColumnOption = False,
    system: opt.SystemOption = None,
    topics: opt.TopicsOption = Policies.topics,
    unjudged: Annotated[
        Literal["nonrelevant", "condense"] | None,
        typer.Option("--unjudged", help="As in evaluate; by default condense where assessors judged different things."),
    ] = None,
    ties: opt.TiesOption = Policies.ties,
    empty: opt.EmptyOption = "zero",
    seed: opt.SeedOption = 0,
    digits: opt.DigitsOption = 4,
    json: opt.JsonOption = False,
    output: opt.OutputOption = None,
) -> None:
    """Merge scores instead of labels, weighting assessors by how unlike random they are.

    The second table says what each assessor counts for; the last one how the order of systems changes from one way of
    merging to another: AWARE, equal weights, majority vote, EM.

    Example: dissensus aware runs/* --judgments labels.csv -m AP --estimator sgl_rmse_msd
    """
    from dissensus.cli.terminal.output import check_output, emit
    from dissensus.data.readers.api import read_judgments, read_runs
    from dissensus.data.tables.collection import answered_by_all
    from dissensus.judges.aware.api import aware
    from dissensus.judges.merging.merging_comparison import ways_of_merging
    from dissensus.measures.evaluate import measure_list

    check_output(output)
    measures = measure_list(measure)
    all_runs = read_runs(*runs, system=system)
    labels = read_judgments(
        *judgments, assessor="column" if assessor_column else None, scale=scale, repeated=repeated
    )  # fmt: skip
    scores = aware(
        all_runs, labels, measures, estimator, replicates, seed, gold=gold, label="random judges", topics=topics,
        unjudged=unjudged, ties=ties, empty=empty,
    )  # fmt: skip
    if topics == "shared":
        labels = answered_by_all(all_runs, labels)
    crowd = labels if gold is None else labels.select(assessors=[a for a in labels.assessors if a != gold])
    tables = {"scores": _scores(scores, measures, per_topic), "weights": _weights(scores, measures, per_topic)}
    for m in measures:
        ways = list(dict.fromkeys([estimator, *BESIDE])) if len(crowd.assessors) > 1 else [estimator]
        found = ways_of_merging(all_runs, crowd, m, ways, replicates=replicates, seed=seed, unjudged=unjudged)
        suffix = f" ({m})" if len(measures) > 1 else ""
        tables[f"ways of merging{suffix}"] = found.correlations
        tables[f"order of systems{suffix}"] = found.ranks
    emit(
        tables,
        json=json,
        output=output,
        title=f"Scores merged by {estimator}",
        footer=scores.attrs["footer"].splitlines(),
        facts={k: v for k, v in scores.attrs.items() if k != "footer"},
        digits=digits,
    )


def _scores(scores: Any, measures: list[Any], per_topic: bool) -> pl.DataFrame:
    """Merged scores, best system first."""
    import polars as pl

    names = [str(m) for m in measures]
    merged = scores[names].sel(assessor="aware")
    systems = [str(s) for s in scores["system"].values]
    if per_topic:
        topics = [str(t) for t in scores["topic"].values]
        return pl.DataFrame(
            {
                "system": [s for s in systems for _ in topics],
                "topic": topics * len(systems),
                **{n: merged[n].values.ravel() for n in names},
            }
        )
    table = pl.DataFrame({"system": systems, **{n: merged[n].mean("topic").values for n in names}})
    return table.sort(names[0], descending=True)


def _weights(scores: Any, measures: list[Any], per_topic: bool) -> pl.DataFrame:
    """Weight of every assessor, the mean over topics (and per topic where asked)."""
    import polars as pl

    weight = scores["weight"].isel(assessor=slice(1, None))
    names = [str(m) for m in measures]
    assessors = [str(a) for a in weight["assessor"].values]
    topics = [str(t) for t in weight["topic"].values]
    columns: dict[str, Any] = {"assessor": assessors, "coverage": [scores.attrs["coverage"][a] for a in assessors]}
    for n in names:
        own = weight if len(names) == 1 else weight.sel(measure=n)
        columns["weight" if len(names) == 1 else f"weight {n}"] = own.mean("topic").values
        if per_topic:
            prefix = "" if len(names) == 1 else f"{n} "
            columns.update({f"{prefix}{t}": own.sel(topic=t).values for t in topics})
    return pl.DataFrame(columns).sort("weight" if len(names) == 1 else f"weight {names[0]}", descending=True)
