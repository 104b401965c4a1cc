"""`experiment`: redo a table or figure of the papers dissensus builds on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from dissensus.aliases import described
from dissensus.io.options import ReadOptions
from dissensus.results import Result, Table
from dissensus.studies.study import STUDIES, Figure, Request, load, settings


@dataclass(frozen=True, eq=False)
class Experiment(Result):
    """The tables of an experiment, what was done in words, and its figures, which are drawn only if wanted."""

    name: str
    frames: Mapping[str, pl.DataFrame] = field(repr=False)
    notes: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict, repr=False)

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"Experiment {self.name}"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name, as the paper has them; `experiment NAME --about` describes them."""
        return {name: Table.of(frame, rest="{name}, as the experiment names it") for name, frame in self.frames.items()}

    @property
    def facts(self) -> Mapping[str, object]:
        """Settings, seed and single values."""
        return self.values


@dataclass(frozen=True)
class Experiments(Result):
    """The list of experiments."""

    title = "Experiments"
    notes: tuple[str, ...] = ("dissensus experiment NAME --about says more",)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        lines = [(load(name).__doc__ or "").strip().splitlines()[0] for name in STUDIES]
        schema = {"experiment": pl.String, "about": pl.String}
        return {"experiments": Table.of(pl.DataFrame({"experiment": STUDIES, "about": lines}, schema=schema))}


@described
def experiment(
    name: str | None = None,
    files: Sequence[str] = (),
    *,
    runs: Sequence[str] = (),
    judgments: Sequence[str] = (),
    audit: str | None = None,
    assessor: str | None = None,
    scale: str | None = None,
    setting: Sequence[str] = (),
    workers: int | None = None,
    seed: int = 0,
    reading: ReadOptions | None = None,
) -> Experiment | Experiments:
    """Redo a table or figure of the papers dissensus builds on, on your files or on generated data.

    Parameters
    ----------
    name
        The experiment. Without it, their list.
    files
        Its files, where it takes any.
    runs
        Run files or globs, where it takes any.
    judgments
        Files of judgments, where it takes any.
    audit
        A file of expert labels, where it takes one.
    setting
        Settings as name=value. `dissensus experiment NAME --about` lists them.
    workers
        Processes to use. All cores without it.
    reading
        How files are read.

    Returns
    -------
    Experiment or Experiments
        `.figures` are drawn by the command. An experiment has tables of its own, the list has one:

        - `experiments`: experiment, about

    Examples
    --------
    >>> import dissensus as ds
    >>> ds.experiment().to_frame()["experiment"].to_list()[:3]
    ['aware', 'axioms', 'balancing']
    """
    if name is None:
        return Experiments()
    module = load(name)
    request = Request(
        runs=runs, judgments=judgments, audit=audit, files=files, assessor=assessor, scale=scale,
        reading=reading or ReadOptions(), workers=workers, seed=seed, settings=settings(module.SETTINGS, setting),
    )  # fmt: skip
    found = module.run(request)
    values = {"settings": dict(request.settings), "seed": seed, **found.facts}
    return Experiment(name, found.tables, tuple(found.notes), values, found.figures)
