"""`dissensus measures`: what measures there are, and everything that is known of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from dissensus.cli.build import argument, option
from dissensus.cli.inputs.options import Saved, UnusedSeedOption
from dissensus.measures.listing import measures_of, one_measure


def command(
    name: Annotated[
        str | None, argument(metavar="NAME", help="One measure, by any of its names: everything about it.")
    ] = None,
    kind: Annotated[
        Literal["linear", "ratio", "not-linear"] | None, option("--kind", help="Only measures of this kind.")
    ] = None,
    shown: Saved = Saved(),
    seed: UnusedSeedOption = 0,
) -> None:
    """What measures there are, with formula, parameters, user and what each inherits.

    Names of trec_eval and ir-measures are understood, too: dissensus measures ndcg_cut_10.

    Examples:
        dissensus measures
        dissensus measures INST
    """
    shown.check()
    result = measures_of(kind) if name is None else one_measure(name, upright=shown.on_terminal)
    replace(shown, all_rows=True).show(result)
