"""What every study has in common: one file per table or figure of a paper, run by `dissensus experiment NAME`.

A study's module has

- its docstring: the first line is shown in the list of experiments, all of it by `dissensus experiment NAME --about`;
- `SETTINGS`: {name: default}, what `--set name=value` may change; a value is read as its default's type (tuples as
  comma-separated lists, None as text);
- `run(request) -> Outcome`: tables, notes and figures. Figures are values (`Figure`): `report.charts` draws them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.io.options import ReadOptions
from dissensus.io.reading import judgments_from_files, runs_from_files
from dissensus.learning.settings import settings as settings
from dissensus.tables.judgment_table import Repeated

if TYPE_CHECKING:
    import polars as pl

    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

#: the studies, in the order of the alphabet; every other file in this room is a part of one
STUDIES = (
    "aware", "axioms", "balancing", "ceiling", "correction", "court", "coverage", "disagreement", "dynamics",
    "judges", "labelling", "markov", "multiverse", "noise", "preference_audits", "preferences", "sequential",
)  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A chart to be drawn: the function `chart` of the module `room` in report/charts, and what it is given."""

    room: str
    chart: str
    data: tuple[object, ...]


@dataclass(frozen=True)
class StudyOutcome:
    """Tables to print, what was done in words, single facts for JSON, and figures (drawn only if wanted)."""

    tables: Mapping[str, pl.DataFrame]
    notes: Sequence[str] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """What was asked for: files, an assessor, settings, a seed."""

    runs: Sequence[str] = ()
    judgments: Sequence[str] = ()
    audit: str | None = None
    files: Sequence[str] = ()
    assessor: str | None = None
    scale: str | None = None
    workers: int | None = None
    seed: int = 0
    settings: Values = field(default_factory=dict)
    reading: ReadOptions = field(default_factory=ReadOptions)

    def collection(self) -> tuple[Runs, Judgments]:
        """The runs and judgments that were named."""
        if not self.runs or not self.judgments:
            raise InputError(
                "this experiment needs runs and judgments.",
                'Name them: --runs "runs/*" --judgments qrels.txt',
            )
        found = self.read_runs(), self.read_judgments(self.judgments)
        self.reading.refuse_unused()
        return found

    def read_runs(self) -> Runs:
        """The runs that were named."""
        return runs_from_files(self.runs, self.reading.runs)

    def read_judgments(
        self, files: Sequence[str], repeated: Repeated = "error", labels: tuple[str, ...] = ()
    ) -> Judgments:
        """The judgments in files. `labels` are the columns that a label is put together from."""
        how = replace(self.reading.judgments, scale=self.scale, repeated=repeated, labels=labels)
        return judgments_from_files(files, how)


RENAMED = {"pooled": "coverage"}  # experiments of 0.2 and where their tables are now


def load(name: str) -> Any:
    """The module of a study."""
    if name in RENAMED:
        now = RENAMED[name]
        raise InputError(f"the experiment {name} is part of {now} now.", f"dissensus experiment {now}")
    if name not in STUDIES:
        near = get_close_matches(name, STUDIES, 1)
        raise InputError(
            f"there is no experiment {name!r}.",
            *([f"Did you mean {near[0]}?"] if near else []),
            f"Experiments: {', '.join(STUDIES)}.",
        )
    return importlib.import_module(f"dissensus.studies.{name}")
