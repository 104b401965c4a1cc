"""What `compare --score-table` shows of several judges' leaderboards: how far they agree, and each judge's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.cli.inputs.options import Output


def show_leaderboards(scores: xr.Dataset, measures: Sequence[str], shown: Output, *, seed: int) -> None:
    """τ, τ_ap and RBO between every two judges with intervals over topics, then the systems in every judge's order."""
    import polars as pl

    from dissensus.judges.leaderboards import leaderboards
    from dissensus.measures.catalog import lower_is_better

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
        footer=[*dict.fromkeys(notes), "one judge's systems, tested against each other: --assessor NAME"],
    )
