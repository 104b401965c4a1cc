"""`dissensus order`: which of two judged rankings every sensible measure must prefer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from dissensus.cli.build import argument, option
from dissensus.cli.inputs.options import Saved, UnusedSeedOption
from dissensus.cli.terminal.files import draw
from dissensus.errors import InputError
from dissensus.reporting.charts.theory import comparison_chart
from dissensus.theory.order import compare_rankings


def command(
    r: Annotated[str, argument(metavar="R", help='Grades of one ranking from the top: "0 1 1 2 2".')],
    s: Annotated[str, argument(metavar="S", help="Grades of the other, as many.")],
    by: Annotated[Literal["rank", "set"], option("--by")] = "rank",
    ratio: Annotated[bool, option("--ratio")] = False,
    plot: Annotated[
        Path | None, option("--plot", metavar="FILE", help="Draw the comparison matrix: .svg .png .pdf .html")
    ] = None,
    shown: Saved = Saved(),
    seed: UnusedSeedOption = 0,
) -> None:
    """Compare two judged rankings as every sensible measure must.

    Each cell of the matrix compares how many documents at or above a grade both rankings show down to a depth. If all
    cells agree, so must every utility-oriented measure; cells marked * contradict each other, and the measure decides.

    Example:
        dissensus order "0 1 1 2 2" "0 1 1 2 3"
        dissensus order "0 1 1 2 2" "0 1 1 1 3" --plot matrix.svg
        dissensus order "0 1 1 2 2" "0 1 1 1 3" --by set --ratio
    """
    shown.check(plot)
    comparison = compare_rankings(_run(r, "R"), _run(s, "S"), by, ratio=ratio)
    if plot is not None:
        words = [" ".join(map(str, run)) for run in (comparison.r, comparison.s)]
        draw(comparison_chart(comparison.to_frame(), *words), plot)
    shown.show(comparison)


def _run(text: str, name: str) -> list[int]:
    words = text.replace(",", " ").split()
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise InputError(f"{name} is {text!r}: {word!r} is not a grade.", 'Write whole numbers: "0 1 1 2 2".')
    return [int(word) for word in words]
