"""Which way of merging fits these labels? One table: held-out log-loss, and accuracy and calibration against gold.

Every method merges the same labels with one label of each document kept back, and is scored on what was kept
(`held_out`). Where gold is named, accuracy, log-loss and calibration error of the full merge stand beside it. Lower
held-out log-loss is better, among assessors that err independently: labels that share their errors predict each other,
and the loss rewards the method that follows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.judging.label_table import Labels, Negative, crowd_and_truth
from dissensus.judging.merging.held_out import Split, held_out, split, tempered
from dissensus.judging.merging.methods import METHODS, MODELS, MethodSettings, choose, fit_method
from dissensus.judging.merging.result import check_with_gold
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.work.progress import Progress

SLOW = 20_000  # labels above which GLAD is left out unless it is asked for


@dataclass(frozen=True, eq=False)
class MethodComparison(Result):
    """`table`: method, held_out (log-loss of labels kept back), tempered (the same, posteriors tempered), exponent, and
    with gold accuracy, log_loss, ece; best held-out first. `kept` labels were kept back."""

    table: pl.DataFrame
    kept: int
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> str | None:
        """The method that predicts the kept labels best; None where none could be kept back."""
        return str(self.table["method"][0]) if self.kept else None

    def sentences(self) -> tuple[str, ...]:
        """Which method predicts the kept labels best, and what that does not show; then the notes."""
        if self.best is None:
            return self.notes
        return (
            f"{self.best} predicts {self.kept:,} labels kept back best (lowest log-loss); assessors that share errors "
            "predict each other, so this does not prove that they are right",
            *self.notes,
        )

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"methods": Table.of(self.table.drop("seconds", strict=False))}


def compare_methods(
    judgments: Judgments,
    methods: Sequence[str] | None = None,
    *,
    gold: str | None = None,
    negative: Negative = "unjudged",
    seed: int = 0,
) -> MethodComparison:
    """Hold the ways of merging beside each other on these labels; all that apply where none are named."""
    table, truth = crowd_and_truth(judgments, gold, negative)
    if not len(table):
        raise InputError("there are no labels to merge.")
    chosen, notes = _chosen(methods, table.n_levels, table.scale.ordered, len(table))
    settings = MethodSettings(seed=seed)
    parts = split(table, seed)
    with Progress("methods", len(chosen)) as bar:
        rows = []
        for name in chosen:
            rows.append(_row(judgments, name, table, truth, parts, settings))
            bar.advance()
    frame = pl.DataFrame(rows)
    if parts is None:
        notes = (*notes, "no document has three labels: none can be kept back")
    else:
        frame = frame.sort("tempered")
    return MethodComparison(frame, 0 if parts is None else len(parts.kept), (*judgments.notes, *notes))


def _row(
    judgments: Judgments,
    name: str,
    table: Labels,
    truth: NDArray[np.int64] | None,
    parts: Split | None,
    settings: MethodSettings,
) -> dict[str, object]:
    start = perf_counter()
    row: dict[str, object] = {"method": name, "held_out": np.nan, "tempered": np.nan, "exponent": np.nan}
    exponent = 1.0
    if parts is not None:
        found = held_out(judgments, name, parts, settings)
        exponent = found.exponent if name in MODELS and name != "kos" else 1.0
        row |= {"held_out": found.loss, "tempered": found.tempered_loss if exponent < 1 else found.loss}
        row["exponent"] = exponent
    if truth is not None:
        posterior = fit_method(name, judgments, table, settings).posterior
        level, _ = choose(posterior, settings.ties, settings.seed)
        check = check_with_gold(tempered(posterior, exponent), level, truth)
        for column in ("accuracy", "log_loss", "ece"):
            row[column] = np.nan if check is None else getattr(check, column)
    return {**row, "seconds": perf_counter() - start}


def _chosen(methods: Sequence[str] | None, k: int, ordered: bool, n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if methods is not None:
        wrong = [m for m in methods if m not in METHODS]
        if wrong:
            raise InputError(Text(Option("methods", wrong[0]), f" is not one of {', '.join(METHODS)}."))
        return tuple(methods), ()
    fits = [m for m in METHODS if (m != "kos" or k == 2) and (m != "ordinal" or ordered)]
    if n <= SLOW:
        return tuple(fits), ()
    return tuple(m for m in fits if m != "glad"), (f"GLAD is left out above {SLOW:,} labels unless it is asked for",)


__all__ = ["MethodComparison", "compare_methods"]
