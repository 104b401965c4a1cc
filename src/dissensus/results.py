"""One result, many windows: named tables with described columns, claims, notes and facts.

A verb returns a `Result`. It declares its tables once. Text, HTML, JSON, LaTeX, Markdown, CSV and Parquet are windows
(`dissensus.windows`) that show any result. A column says once what it means. Columns that occur in many tables are
described in `dissensus.vocabulary`.

    >>> from dataclasses import dataclass
    >>> import polars as pl
    >>> @dataclass(frozen=True)
    ... class Count(Result):
    ...     labels: int
    ...     @property
    ...     def tables(self):
    ...         return {"labels": Table.of(pl.DataFrame({"labels": [self.labels]}))}
    >>> Count(3).to_frame().item()
    3
    >>> Count(3).tables["labels"].columns["labels"].meaning
    'number of labels'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dissensus.errors import DissensusError, InputError
from dissensus.vocabulary import Format, describe
from dissensus.windows.json import text
from dissensus.windows.notebook import page
from dissensus.windows.words import shown

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

LINES, WIDTH = 12, 160  # of a repr


@dataclass(frozen=True)
class Column:
    """A column of a table: its name in files, its title for people, what it means and how its numbers are written."""

    name: str
    title: str
    meaning: str
    format: Format = "number"


@dataclass(frozen=True)
class Table:
    """A Polars frame whose columns are described.

    In papers the best number of each column in `best` ({column: is higher better}) is bold. `marks` holds one mark for
    each row of a column, which follows its number.
    """

    frame: pl.DataFrame
    columns: Mapping[str, Column]
    best: Mapping[str, bool] = field(default_factory=dict)
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        meanings: Mapping[str, str] | None = None,
        *,
        rest: str | None = None,
        level: float | None = None,
        titles: Mapping[str, str] | None = None,
        best: Mapping[str, bool] | None = None,
        marks: Mapping[str, Sequence[str]] | None = None,
    ) -> Table:
        """Describe the columns of a frame.

        Parameters
        ----------
        frame
            The rows.
        meanings
            What columns of this table mean, by name, where the vocabulary does not say it.
        rest
            What a column means that neither describes, with `{name}` for its name: columns named after measures.
        level
            The level of the table's intervals, for "lower end of the 95% interval".
        titles
            How people read names of columns that the vocabulary would word otherwise: of measures, judges, strata.
        best, marks
            For papers: see the class.

        Returns
        -------
        Table
            The described table.

        Examples
        --------
        >>> import polars as pl
        >>> Table.of(pl.DataFrame({"system": ["bm25"], "low": [0.1]}), level=0.9).columns["low"].meaning
        'lower end of the 90% interval'
        """
        own = meanings or {}
        columns = {name: Column(name, *describe(name, kind, own, rest, level)) for name, kind in frame.schema.items()}
        columns |= {name: replace(columns[name], title=title) for name, title in (titles or {}).items()}
        return cls(frame, columns, best or {}, marks or {})

    def showing(self, frame: pl.DataFrame) -> Table:
        """The same with some of its rows and columns."""
        return replace(self, frame=frame, columns={name: self.columns[name] for name in frame.columns})


def described(
    frames: Mapping[str, pl.DataFrame],
    meanings: Mapping[str, str] | None = None,
    *,
    rest: str | None = None,
    level: float | None = None,
) -> dict[str, Table]:
    """Several frames as tables: see `Table.of`; those without rows or columns are left out."""
    return {name: Table.of(f, meanings, rest=rest, level=level) for name, f in frames.items() if f.width}


class Unless:
    """What a result has unless it says otherwise; a field or a property of its class takes its place.

    A property here would stand in the way of a dataclass' field of that name.
    """

    def __init__(self, make: Callable[[Any], object]) -> None:
        self.make = make

    def __get__(self, result: object, owner: type) -> object:
        if result is None:
            raise AttributeError("results have this, their classes do not")
        return self.make(result)


def _undeclared(result: object) -> dict[str, Table]:
    raise NotImplementedError(f"{type(result).__name__} declares no tables")


def single_values(result: object) -> dict[str, object]:
    """The fields of a result that are single values or short lists of them: settings, counts, intervals."""
    if not is_dataclass(result):
        return {}
    found = {f.name: getattr(result, f.name) for f in fields(result) if f.repr and f.name not in NOT_FACTS}
    return {name: value for name, value in found.items() if _is_single(value)}


NOT_FACTS = ("tables", "title", "claims", "notes", "facts")
FEW = 20  # values that a fact holds


def _is_single(value: object) -> bool:
    if value is None or isinstance(value, str | int | float):
        return True
    if isinstance(value, tuple | list):
        return len(value) <= FEW and all(map(_is_single, value))
    if isinstance(value, Mapping):
        return len(value) <= FEW and all(map(_is_single, value.values()))
    return (
        is_dataclass(value)
        and not isinstance(value, Result)
        and all(_is_single(getattr(value, f.name)) for f in fields(value))
    )


class Result:
    """Base of all results of dissensus."""

    if TYPE_CHECKING:

        @property
        def title(self) -> str:
            """What stands above the tables."""

        @property
        def tables(self) -> dict[str, Table]:
            """The tables by name, the answer first."""

        @property
        def claims(self) -> Sequence[object]:
            """What may be said, as values."""

        @property
        def notes(self) -> Sequence[str]:
            """What was done to the data, and what the numbers rest on."""

        @property
        def facts(self) -> Mapping[str, Any]:
            """Single values that belong to the result: policies, seed, level, target, inputs."""

    else:
        title, tables, facts = Unless(lambda result: type(result).__name__), Unless(_undeclared), Unless(single_values)
        claims, notes = Unless(lambda _: ()), Unless(lambda _: ())

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):  # else the dataclass would print every field of every part
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def screen(self, whole: bool = False) -> Result:
        """What a person sees on a terminal, first or `whole` (`--all`); what it leaves out is counted there."""
        return self

    def to_frame(self, name: str | None = None) -> pl.DataFrame:
        """One of the tables as a Polars frame: the first, or the one named."""
        tables = self.tables
        if name is None:
            return next(iter(tables.values())).frame
        if name not in tables:
            raise InputError(f"there is no table {name!r} in this result.", f"There is: {', '.join(tables)}.")
        return tables[name].frame

    def to_pandas(self, name: str | None = None) -> pd.DataFrame:
        """One of the tables as a pandas frame (pandas must be installed)."""
        try:
            import pandas as pd
        except ImportError:
            raise DissensusError("to_pandas() needs pandas, which is not installed.", "pip install pandas") from None
        return pd.DataFrame(self.to_frame(name).to_dict(as_series=False))

    def to_json(self) -> str:
        """The whole result as one JSON object with a schema number; NaN and infinite numbers become null."""
        return text(self)

    def plot(self) -> Any:
        """The result's chart (Altair)."""
        # the one import up the stairs: charts belong to the report, and a result only asks for its own
        return import_module("dissensus.reporting.charts.of_results").chart_of(self)

    def __str__(self) -> str:
        from dissensus.windows.terminal import text

        return text(self).rstrip("\n")

    def __repr__(self) -> str:
        lines = [
            shown(line) if len(line) <= WIDTH else shown(line[: WIDTH - 1]) + "…" for line in str(self).split("\n")
        ]
        if len(lines) > LINES:
            lines = [*lines[: LINES - 1], f"… {len(lines) - LINES + 1:,} more lines: print(result) shows them all"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return page(self)


@dataclass(frozen=True)
class Tables(Result):
    """A result that is nothing but its tables and what is said about them; a screen shows the first `few` notes."""

    tables: dict[str, Table]
    title: str = ""
    notes: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    claims: Sequence[object] = ()
    few: int | None = None

    def screen(self, whole: bool = False) -> Tables:
        """The same with its first notes."""
        return self if whole or self.few is None else replace(self, notes=self.notes[: self.few])
