"""What `compare` and `correct` show of tables of scores: systems tested, leaderboards compared, scores corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dissensus.cli.inputs import options as opt

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.difference import Differences


def only_scores(**given: object) -> None:
    """Refuse what would change nothing beside a table of scores."""
    from dissensus.errors import InputError

    for name, value in given.items():
        if value:
            what = "RUNS" if name == "runs" else f"--{name}"
            raise InputError(f"{what} has no effect here: --score-table brings the scores.", f"Leave {what} out.")


def read_tables(paths: Sequence[str], measures: Sequence[str], default: Sequence[str]) -> tuple[xr.Dataset, list[str]]:
    """A leaderboard's own scores; without -m the usual measures where it holds them, else every one that it holds."""
    from dissensus.data.readers.score_files import read_scores
    from dissensus.measures.scores import held

    scores = read_scores(*paths)
    there = [str(v) for v in scores.data_vars]
    named = [held(there, m) or m for m in measures]
    if list(measures) != list(default):
        return scores, named
    return scores, [m for m in named if m in there] or there


def compare_tables(
    paths: Sequence[str],
    measures: Sequence[str],
    test: Any,
    assessor: str | None,
    gold: str | None,
    target: str | None,
    options: dict[str, Any],
    everything: bool,
    shown: opt.ChartOutput,
) -> Differences | None:
    """Compare the systems of score tables, corrected where a gold judge is named, or several judges' leaderboards."""
    from dissensus.cli.parts.leaderboard_output import show_leaderboards
    from dissensus.cli.terminal.comparison_output import show
    from dissensus.inference.comparison.api import compare

    scores, wanted = read_tables(paths, measures, opt.ONE_MEASURE)
    if scores.sizes["assessor"] > 1 and assessor is None and gold is None:
        show_leaderboards(scores, wanted, shown, seed=options["seed"])
        return None
    if gold is None:
        result = compare(scores, wanted, test, assessor=assessor, **options)
        show(result, ["scores taken as they are, from a table"], shown, everything=everything)
        return result
    result = compare(scores, wanted, test, assessor=assessor, gold=gold, target=target or "population", **options)
    note = "naive and naive_p: the judge's scores as they are, a paired t test, not adjusted"
    show(result, [note], shown, everything=everything, naive=_judge_first(scores, result, assessor, gold))
    return result


def _judge_first(scores: xr.Dataset, result: Differences, assessor: str | None, gold: str) -> list[Claim]:
    """Whether gold bears out who comes first by the judge's scores as they are."""
    from dissensus.inference.comparison.headline import naive_first
    from dissensus.inference.correction.score_tables import correct_scores
    from dissensus.measures.catalog import lower_is_better

    if result.baseline is not None or scores.sizes["system"] < 3:
        return []
    table = correct_scores(scores, result.measures, gold=gold, assessor=assessor).table
    claims = []
    for name in result.measures:
        part = table.filter(table["measure"] == name)
        naive = dict(zip(part["system"], part["naive"], strict=True))
        claims.append(naive_first(result.standing(name), naive, not lower_is_better(name), of_scores=True))
    return [c for c in claims if c is not None]


def correct_tables(
    paths: Sequence[str],
    measures: Sequence[str],
    gold: str | None,
    assessor: str | None,
    target: Any,
    level: float,
    shown: opt.ChartOutput,
) -> None:
    """Scores of a table as the gold judge would have given them."""
    from dissensus.errors import InputError
    from dissensus.inference.correction.score_tables import correct_scores

    if gold is None:
        raise InputError(
            "nothing is known of the judge behind the scores.", "Name the gold judge of the table with --gold NAME."
        )
    scores, wanted = read_tables(paths, measures, opt.TABLE_MEASURES)
    result = correct_scores(scores, wanted, gold=gold, assessor=assessor, target=target, level=level)
    if shown.plot is not None:
        from dissensus.cli.parts.corrected_chart import draw_corrected

        draw_corrected(result.table, shown.plot)
    alone = "gold_low, gold_high: the interval from the topics with gold scores alone, without the judge"
    shown.emit(result.table, title="Corrected scores", footer=[alone, *result.notes, result.footer])
