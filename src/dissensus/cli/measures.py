"""`dissensus measures`: what measures there are, and everything that is known of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl

from dissensus.cli.build import argument, option
from dissensus.cli.inputs.options import Saved, UnusedSeedOption
from dissensus.measures.catalog import measure_class, ours
from dissensus.measures.listing import describe, list_measures, parameters

if TYPE_CHECKING:
    from dissensus.measures.measure import Measure


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
    everything = not shown.on_terminal
    table = list_measures()
    if kind is not None:
        table = table.filter(table["kind"] == kind.replace("-", " "))
    if name is None:
        shown.emit(
            table if everything else table.select("name", "kind", "aggregate", "needs", "formula"),
            title=f"{table.height} measures",
            footer=["dissensus measures NAME shows its parameters, its user, its reference and what it inherits."],
            whole=True,
        )
        return
    cls = class_of(name)
    table = table.filter(table["name"] == cls.name)
    shown.emit(table if everything else upright(cls), title=cls.name)


def class_of(name: str) -> type[Measure]:
    """The measure of a name, with or without parameters and cut-off."""
    return measure_class(ours(name).split("(")[0].split("@")[0].strip(), name)


def upright(cls: type[Measure]) -> pl.DataFrame:
    """One measure, a line per fact."""
    facts = {fact: text for fact, text in describe(cls).items() if text and fact not in ("name", "parameters")}
    facts["user"] = f"the user {facts['user']}"
    rows = [*facts.items(), *(("parameter", text) for text in parameters(cls))]
    return pl.DataFrame(rows, schema=["fact", "value"], orient="row")
