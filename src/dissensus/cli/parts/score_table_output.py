"""Tables of scores instead of runs and judgments: reading them, and what `compare` makes of them.

Of one judge, systems are tested; of several, it is shown how far their leaderboards agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dissensus.cli.inputs import options as opt
from dissensus.errors import InputError
from dissensus.inference.comparison.api import compare
from dissensus.judging.leaderboards import Leaderboards, leaderboards
from dissensus.measures.other_names import held

if TYPE_CHECKING:
    import xarray as xr

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
) -> Differences | Leaderboards:
    """Compare the systems of score tables, corrected where a gold judge is named, or several judges' leaderboards."""
    scores, wanted = read_tables(reading, paths, measures, opt.ONE_MEASURE)
    assessor = reading.assessor
    if scores.sizes["assessor"] > 1 and assessor is None and gold is None:
        found = leaderboards(scores, wanted, seed=options["seed"])
        return replace(found, notes=(*found.notes, "one judge's systems, tested against each other: --assessor NAME"))
    if gold is None:
        return compare(scores, wanted, test, assessor=assessor, **options)
    return compare(
        scores, wanted, test, assessor=assessor, gold=gold, target=target or "population", missing=reading.missing,
        **options,
    )  # fmt: skip
