"""`dissensus audit new`: the sample that a study judges whole, read from a file or planned here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dissensus.audit.settings import Stop
from dissensus.cli.inputs import options as opt
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.planning.api import plan
from dissensus.io.audit_files import frame_of_sample
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Linear
from dissensus.measures.policies import DEFAULT_LINEAR, DEFAULT_MEASURE
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    from dissensus.audit.planned import Planned


@dataclass(frozen=True)
class SampleSettings:
    """The measure, and the sample that is judged whole; None where an order is followed."""

    measure: str
    sample: Planned | None


def planned_sample(
    file: Path | None,
    measure: str | None,
    data: tuple[Runs, Judgments],
    rules: tuple[tuple[str, str] | None, str],
    inference: opt.Inference,
) -> SampleSettings:
    """The sample in a file, or one drawn here where a measure cannot be followed label by label.

    `rules` are --between and --stop.
    """
    from dissensus.audit.planned import Planned

    between, stop = rules
    if file is not None:
        if between is not None or stop != "decided":
            raise InputError(
                Text("a sample is judged whole: ", Option("between"), " and ", Option("stop"), " do not go with it."),
                Fix("Leave them out, or leave out ", Option("sample"), "."),
            )
        table, frame = frame_of_sample(file)
        sample = Planned.of(table, frame, inference.seed, str(file))
        return SampleSettings(measure or _measure_of(sample) or DEFAULT_LINEAR, sample)
    budget = Stop.parse(stop).budget
    asked = measure or (DEFAULT_LINEAR if budget is None else DEFAULT_MEASURE)
    if isinstance(named(asked), Linear):
        return SampleSettings(asked, None)
    if budget is None:
        raise InputError(
            f"{asked} is not linear in the labels, so no valid interval can be followed label by label.",
            Fix("Fix the number of labels in advance: ", Option("stop", "budget:300"), "."),
            Fix("Give a sample of dissensus plan: ", Option("sample", "to-audit.csv"), "."),
            "Use a linear measure (P@k, DCG@k, RBP …) to decide when to stop.",
        )
    made = plan(*data, budget=budget, measures=asked, systems=between, level=inference.level, seed=inference.seed)
    marked = made.sample.drop("grade").with_columns(design=pl.lit(made.design))
    return SampleSettings(asked, Planned.of(marked, made.everyone, inference.seed))


def _measure_of(sample: Planned) -> str | None:
    """The measure that the sample was planned for, as its file says."""
    words = shlex.split(sample.frame.command)
    return words[words.index("-m") + 1] if "-m" in words else None
