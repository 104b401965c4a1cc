"""`dissensus balance`: how top-heavy measures are, and which axioms they break."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import draw
from dissensus.cli.terminal.messages import given
from dissensus.errors import InputError
from dissensus.reporting.charts.theory import balancing_chart
from dissensus.theory.api import balance
from dissensus.theory.balancing import BalancingCurve


def command(
    measures: Annotated[list[str], argument(metavar="MEASURES", help='Measures: nDCG@10, "RBP(p=0.8)" …')],
    length: Annotated[
        int | None,
        option("--length", "-n", metavar="N", help="Length of the rankings: 1000, with --axioms 5.", min=1),
    ] = None,
    curve: Annotated[
        int | None,
        option("--curve", metavar="STEPS", help="The index at so many lengths from 1 to N, not at N alone.", min=2),
    ] = None,
    low: Annotated[int, option("--low", help="The lowest grade above 0.", min=1)] = 1,
    high: Annotated[int, option("--high", help="The top grade.", min=1)] = 1,
    axioms: Annotated[
        bool, option("--axioms", help="Check replacement and swap instead, and show counterexamples.")
    ] = False,
    scale: opt.ScaleOption = None,
    plot: Annotated[Path | None, option("--plot", metavar="FILE", help="Draw the curves: .svg .png .pdf .html")] = None,
    seed: opt.SeedOption = 0,
    shown: opt.Saved = opt.Saved(),
) -> None:
    """The balancing index of a measure, and the axioms it breaks.

    The index is the largest rank b such that documents of the lowest grade on ranks b…N make up for one top document
    at rank 1: close to N for measures that hardly care about rank, 1 for those that care for little else.

    Example:
        dissensus balance nDCG@10 --length 1000
        dissensus balance AP nDCG "RBP(p=0.8)" ERR P@10 --length 200 --curve 40 --plot balance.svg
        dissensus balance "MP(model='GL_AD_ID')" --axioms --length 5
    """

    shown.check(plot)
    _refuse_idle_options(axioms, {"--curve": curve, "--plot": plot}, low > 1 or high > 1, scale)
    drawn = curve if curve is not None or plot is None or axioms else 40
    result = balance(measures, length, drawn, low, high, axioms=axioms, scale=scale, seed=seed)
    if isinstance(result, BalancingCurve):
        if plot is not None:
            draw(balancing_chart(result.to_frame()), plot)
        if curve is None and plot is not None:
            result = balance(measures, length, low=low, high=high)
        elif curve is not None and shown.on_terminal:
            shown.show(result.across())
            return
    shown.show(result)


def _refuse_idle_options(axioms: bool, drawing: dict[str, object], graded: bool, scale: str | None) -> None:
    """An option that would do nothing is an error: its user expects something of it."""
    if axioms and (idle := given(drawing)):
        raise InputError(f"{idle}: there is no curve of axioms.", "Leave --axioms out to get one.")
    if axioms and graded:
        raise InputError("--low and --high are for the balancing index.", "Give axioms their grades with --scale 0..3.")
    if not axioms and scale is not None:
        raise InputError(
            f"--scale {scale} is for --axioms.", "The balancing index needs two grades only: --low 1 --high 3."
        )
