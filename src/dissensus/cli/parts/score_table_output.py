"""Tables of scores instead of runs and judgments: reading them, and what `compare` shows of them.

Of one judge, systems are tested; of several, it is shown how far their leaderboards agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.comparison_output import show
from dissensus.errors import InputError
from dissensus.inference.comparison.api import compare
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.other_names import held

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.cli.inputs.options import Output
    from dissensus.inference.comparison.differences import Differences


def only_scores(**given: object) -> None:
    """Refuse what would change nothing beside a table of scores."""
    for name, value in given.items():
        if value:
            what = "RUNS" if name == "runs" else f"--{name}"
            raise InputError(f"{what} has no effect here: --score-table brings the scores.", f"Leave {what} out.")


def read_tables(
    reading: opt.FileReading, paths: Sequence[str], measures: Sequence[str], default: Sequence[str]
) -> tuple[xr.Dataset, list[str]]:
    """A leaderboard's own scores; without -m the usual measures where it holds them, else every one that it holds."""
    scores = reading.scores(paths)
    reading.refuse_unused()
    there = [str(v) for v in scores.data_vars]
    named = [held(there, m) or m for m in measures]
    if list(measures) != list(default):
        return scores, named
    return scores, [m for m in named if m in there] or there


def compare_tables(
    paths: Sequence[str],
    measures: Sequence[str],
    test: Any,
    reading: opt.OneJudge,
    gold: str | None,
    target: str | None,
    options: dict[str, Any],
    shown: opt.ChartOutput,
) -> Differences | None:
    """Compare the systems of score tables, corrected where a gold judge is named, or several judges' leaderboards."""
    scores, wanted = read_tables(reading, paths, measures, opt.ONE_MEASURE)
    assessor, missing = reading.assessor, reading.missing
    if scores.sizes["assessor"] > 1 and assessor is None and gold is None:
        show_leaderboards(scores, wanted, shown, seed=options["seed"])
        return None
    if gold is None:
        result = compare(scores, wanted, test, assessor=assessor, **options)
        show(
            result, [*scores.attrs["notes"], "scores taken as they are, from a table"], shown, everything=shown.all_rows
        )
        return result
    result = compare(
        scores, wanted, test, assessor=assessor, gold=gold, target=target or "population", missing=missing, **options
    )
    note = "naive and naive_p: the judge's scores, uncorrected: a paired t test, not adjusted"
    show(result, [*scores.attrs["notes"], note], shown, everything=shown.all_rows)
    return result


def show_leaderboards(scores: xr.Dataset, measures: Sequence[str], shown: Output, *, seed: int) -> None:
    """τ, τ_ap, RBO and the top k between every two judges with intervals, then the systems in every judge's order."""
    from dissensus.judging.leaderboards import leaderboards

    judges, systems = ([str(name) for name in scores.coords[dim].values] for dim in ("assessor", "system"))
    agreement, orders = [], []
    notes: list[str] = []
    for name in measures:
        found = leaderboards(scores, name, seed=seed)
        agreement.append(found.table.select(pl.lit(name).alias("measure"), pl.all()))
        notes += found.notes
        means = scores[name].mean("topic").transpose("assessor", "system").values
        better = means if lower_is_better(name) else -means
        ranks = {str(a): [int((row < v).sum()) + 1 for v in row] for a, row in zip(judges, better, strict=True)}
        orders.append(pl.DataFrame({"measure": [name] * len(systems), "system": systems, **ranks}))
    shown.emit(
        {"agreement": pl.concat(agreement), "ranks": pl.concat(orders).sort("measure", judges[0], maintain_order=True)},
        title=f"How far the leaderboards of {scores.sizes['assessor']} judges agree",
        footer=[
            *scores.attrs["notes"],
            *dict.fromkeys(notes),
            "one judge's systems, tested against each other: --assessor NAME",
        ],
    )
