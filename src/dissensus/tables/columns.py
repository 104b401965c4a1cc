"""From columns to names and codes: find the column that plays a role, check its values, code them.

All ways in that are not TREC files (dicts, frames, CSV, JSONL, Parquet) come through here as columns, together with
`place(row)`, which says where a row came from ("labels.csv:17"), so that every error can name it. What becomes of the
columns is in `runs` and `judgment_table`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError, Fix, InputError, Option
from dissensus.tables.ids import AN_ID, HIDDEN, LONGEST, UNSEEN, natural_order, refuse_hidden

Place = Callable[[int], str]
#: a number as files write it, with digits: neither nan nor inf
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

# names of each role in the order in which they are looked for: its own, names of ids, names of texts; two columns of
# one line are an error, a name of an earlier line wins
NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "system": (("system",), ("run", "run_id", "runid", "run_name", "tag", "system_id"), ("model",)),
    "topic": (
        ("topic",),
        ("topic_id", "topicid", "qid", "query_id", "queryid", "q_id", "prompt_id"),
        ("query", "query_text", "search_text", "user_input", "prompt"),
    ),
    "doc": (
        ("doc",),
        ("doc_id", "docno", "document_id"),
        ("docid", "item_id", "passage_id", "pid", "corpus_id", "_unit_id", "unit_id"),
        ("document", "item", "passage", "url", "task", "question"),
        ("hitid",),
    ),
    "intent": (("intent",), ("subtopic", "subtopic_id", "subtopic_number", "aspect", "iteration")),
    "assessor": (
        ("assessor",),
        ("assessor_id", "judge", "annotator", "worker", "worker_id", "workerid", "_worker_id", "rater"),
        ("user", "user_email"),
    ),
    "grade": (
        ("grade",),
        ("label", "rel", "relevance", "rating", "judgment", "judgement", "gain"),
        ("annotation", "answer"),
    ),
    "score": (("score",), ("sim", "similarity")),
    "class": (("class",), ("group",)),
    "inclusion": (("inclusion",), ("inclusion_probability", "pi", "probability", "prob")),
    "covers": (("covers",),),
    "session": (("session",), ("session_id", "sessionid", "sid"), ("user", "user_id")),
    "query": (("query",), ("query_id", "queryid", "qid", "topic", "topic_id")),
    "rank": (("rank",), ("position", "pos")),
    "time": (("time",), ("timestamp", "time_passed", "timepassed", "t")),
    "measure": (("measure",), ("metric", "measure_name")),
    "value": (("value",), ("score",)),
}
SYNONYMS = {role: tuple(n for tier in tiers for n in tier) for role, tiers in NAMES.items()}
ONE_TOPIC = "all"  # the topic of judgments that name none
NO_RUNS = (
    "These look like judgments, not runs.",
    Fix("Read them with read_judgments.", reader="python"),
    Fix("Pass them with ", Option("judgments", None), ".", reader="command"),
)
NO_JUDGMENTS = ("These look like runs, not judgments.", Fix("Read them with read_runs.", reader="python"))
# rows of runs and of judgments below which the careful way is done before the kernels are loaded
MANY_RUNS, MANY_LABELS = 50_000, 20_000
# in BEIR's qrels files the grade is called score; a table that names systems or ranks is a run, though
FURTHER = {"grade": ("score",)}


def placed(given: Place | str) -> Place:
    """Where each row came from: as a function says, or the row of what has this name."""
    return (lambda row: f"{given}, row {row + 1}") if isinstance(given, str) else given


def as_polars(frame: Any, source: str = "the frame") -> pl.DataFrame:
    """A Polars frame from a Polars or pandas one, from an Arrow table of any library, or from a dict of columns."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if hasattr(frame, "columns") and hasattr(frame, "isna"):  # pandas, without needing pyarrow
        names = [str(c) for c in frame.columns]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise InputError(f"{source} has two columns called {twice!r}.", "Give each column its own name.")
        columns = {n: _from_pandas(n, frame[c]) for n, c in zip(names, frame.columns, strict=True)}
        return pl.DataFrame(columns)
    if hasattr(frame, "__arrow_c_stream__"):  # pyarrow, DuckDB and others: the memory is shared, not copied
        return _from_arrow(frame, source)
    if isinstance(frame, dict):
        return pl.DataFrame({str(n): plain_column(str(n), list(c)) for n, c in frame.items()})
    raise InputError(f"expected a Polars or pandas frame or an Arrow table, not {type(frame).__name__}.")


def _from_arrow(table: Any, source: str) -> pl.DataFrame:
    try:
        return pl.DataFrame(table)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, TypeError, ValueError) as error:
        raise InputError(f"{source}, a {type(table).__name__}, is not a table of columns ({error}).") from error


def nested_rows(nested: object, levels: tuple[str, str, str, str]) -> list[tuple[object, object, object, object]]:
    """The rows of {a: {b: {c: value}}}; a dict of another depth is an error that says what was expected where."""
    return [
        (a, b, c, value)
        for a, inner in _level(nested, levels).items()
        for b, innermost in _level(inner, levels, a).items()
        for c, value in _level(innermost, levels, a, b).items()
    ]


def _level(found: object, levels: tuple[str, str, str, str], *keys: object) -> Mapping[object, object]:
    if isinstance(found, Mapping):
        return found
    first, second, third, value = levels
    inner = f"{{{second}: {{{third}: {value}}}}}"
    where = " → ".join(map(repr, keys)) or "what was given"
    raise InputError(
        f"a dict {{{first}: {inner}}} was expected, but {where} holds {found!r}.",
        *([f"If this is {inner}, say whose it is: {{name: {inner}}}."] if len(keys) == 2 else []),
    )


def _from_pandas(name: str, column: Any) -> pl.Series:
    missing = column.isna().tolist()
    return plain_column(name, [None if gone else v for v, gone in zip(column.tolist(), missing, strict=True)])


def plain_column(name: str, values: list[Any]) -> pl.Series:
    """A column of one type; mixtures are kept as Python objects, for the checks to name the row."""
    kinds = {type(v) for v in values if v is not None}
    try:
        if kinds <= {str}:
            return pl.Series(name, values, dtype=pl.String)
        if kinds <= {bool}:
            return pl.Series(name, values, dtype=pl.Boolean)
        if all(issubclass(k, int | np.integer) and k is not bool for k in kinds):
            return pl.Series(name, [None if v is None else int(v) for v in values], dtype=pl.Int64)
        if all(issubclass(k, int | float | np.integer | np.floating) and k is not bool for k in kinds):
            return pl.Series(name, [None if v is None else float(v) for v in values], dtype=pl.Float64)
    except (OverflowError, UnicodeError, TypeError):  # numbers beyond 64 bits, half characters
        pass
    return pl.Series(name, values, dtype=pl.Object)


def find_column(columns: Sequence[str], role: str, source: str, *ways_out: str) -> str:
    """The column that plays a role, by its name or a synonym, whatever its case; two candidates are an error."""
    found = column_or_none(columns, role, source)
    if found is None:
        raise FileError(
            f"{source} has no column '{role}'; its columns are {', '.join(map(repr, columns)) or 'none'}.",
            *_other_table(columns, role, source),
            *_no_header(columns),
            Fix("Say which it is with ", Option("columns"), f", as in {role}=NAME."),
            f"Name it '{role}' (also understood: {', '.join(SYNONYMS[role][1:])}).",
            *ways_out,
        )
    return found


def role_columns(
    frame: object,
    source: str,
    roles: Sequence[str],
    owner: str,
    name: str | None,
    *ways_out: str,
    named: Mapping[str, str] | None = None,
) -> list[pl.Series]:
    """The columns of a frame that play these roles; those `named` are called as the user says.

    `owner` is the role that says whose a row is, a system or an assessor: all rows are of `name`, where it is given.
    """
    table, given = as_polars(frame, source), named or {}
    absent = next((column for column in given.values() if column not in table.columns), None)
    if absent is not None:
        raise FileError(
            f"{source} has no column {absent!r}. Its columns are {', '.join(map(repr, table.columns))}.",
            Fix("Name columns of the frame in ", Option("columns"), ", as in topic=qid,doc=docno."),
        )
    return [
        one_text(str(name), table.height)
        if role == owner and name is not None
        else table[given.get(role) or find_column(table.columns, role, source, *(ways_out if role == owner else ()))]
        for role in roles
    ]


def one_text(text: str, rows: int) -> pl.Series:
    """A column that holds one text in every row."""
    return pl.repeat(text, rows, dtype=pl.String, eager=True)


def _no_header(columns: Sequence[str]) -> list[str]:
    """Hints where no column plays any role, so that the first line is perhaps data already."""
    known = {name for names in SYNONYMS.values() for name in names}
    if known & {_plain(c) for c in columns}:
        return []
    numbered = Fix("Where there is none, number them with ", Option("columns"), ", as in topic=1,doc=2,grade=3.")
    return ["The first line of a table names its columns.", numbered]


def _other_table(columns: Sequence[str], role: str, source: str) -> list[str]:
    """A hint where a table looks like the other kind."""
    if role == "score" and column_or_none(columns, "grade", source):
        return list(NO_RUNS)
    if role == "grade" and column_or_none(columns, "score", source):
        return list(NO_JUDGMENTS)
    return []


def column_or_none(columns: Sequence[str], role: str, source: str) -> str | None:
    """The same, None where no column plays the role; its own name wins, then names of ids."""
    for column in columns:
        if UNSEEN.search(column):
            refuse_hidden(column, "column name", source)
    normal = [(_plain(c), c) for c in columns]
    is_run = any(n == "rank" or n in SYNONYMS["system"] for n, _ in normal)
    for names in (*NAMES[role], () if is_run else FURTHER.get(role, ())):
        found = [c for n, c in normal if n in names]
        if len(found) > 1:
            raise FileError(
                f"{source} has several columns that could be the {role}: {', '.join(map(repr, found))}.",
                Fix("Say which with ", Option("columns"), f", as in {role}={found[0]}."),
                f"Name one of them '{role}', or leave the others out.",
            )
        if found:
            return found[0]
    return None


def _plain(column: str) -> str:
    name = column.strip().lower().replace("-", "_").replace(" ", "_")
    return name.removeprefix("input.").removeprefix("answer.")  # as Mechanical Turk writes them


def id_strings(values: Iterable[object] | pl.Series, role: str, place: Place) -> pl.Series:
    """Ids as strings, from integers or strings, nothing else."""
    series = values if isinstance(values, pl.Series) else plain_column(role, list(values))
    if series.null_count():
        raise InputError(f"{place(int(series.is_null().arg_true()[0]))}: the {role} is missing.")
    if not len(series):
        return pl.Series(role, [], dtype=pl.String)
    if series.dtype.is_integer():
        return series.cast(pl.String)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype == pl.Object:
        series = _one_by_one(series, role, place)
    if series.dtype != pl.String:
        raise InputError(
            f"{place(0)}: the {role} {series[0]!r} is of type {series.dtype}; ids are whole numbers or strings."
        )
    return _clean(series, role, place)


def _one_by_one(series: pl.Series, role: str, place: Place) -> pl.Series:
    texts = []
    for row, value in enumerate(series.to_list()):
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise InputError(f"{place(row)}: the {role} {value!r} is neither a whole number nor a string.")
        try:
            str(value).encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{place(row)}: the {role} {value!r} is not text: half of a character.") from error
        texts.append(str(value))
    return pl.Series(role, texts, dtype=pl.String)


def _clean(series: pl.Series, role: str, place: Place) -> pl.Series:
    """Refuse ids that no file could hold: empty, too long, with hidden characters or blanks at the ends."""
    if not series.str.contains(rf"^$|^ | $|{HIDDEN.pattern}").any() and int(series.str.len_bytes().max()) <= LONGEST:  # type: ignore[arg-type]
        return series
    for rule, bad in (
        ("is empty", series.str.len_bytes() == 0),
        ("begins or ends with a blank", series.str.starts_with(" ") | series.str.ends_with(" ")),
        (f"is longer than {LONGEST:,} bytes", series.str.len_bytes() > LONGEST),
    ):
        rows = bad.arg_true()
        if len(rows):
            row = int(rows[0])
            value = series[row] if len(series[row]) <= 60 else series[row][:60] + "…"
            raise InputError(f"{place(row)}: the {role} {value!r} {rule}.", AN_ID)
    row = int(series.str.contains(HIDDEN.pattern).arg_true()[0])
    refuse_hidden(series[row], role, place(row))
    return series


def numbers_of(column: pl.Series) -> NDArray[np.float64]:
    """A column as numbers, whatever it holds: texts that write one are read, anything else is NaN.

    >>> numbers_of(pl.Series([0.5, "0.25", None, [1], 10**400, True], dtype=pl.Object)).tolist()
    [0.5, 0.25, nan, nan, nan, nan]
    """
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    if column.dtype == pl.String:
        return column.str.strip_chars().cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().astype(np.float64)
    values = np.full(len(column), np.nan)
    for row, value in enumerate(column.to_list()):
        if isinstance(value, str | int | float | np.number) and not isinstance(value, bool):
            with contextlib.suppress(ValueError, OverflowError):
                values[row] = float(value)
    return values


def code(names: pl.Series) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """(vocabulary in natural order, code of every row)."""
    unique = names.unique().to_list()
    vocabulary = [unique[i] for i in natural_order(unique)]
    codes = names.cast(pl.Enum(vocabulary)).to_physical()
    return tuple(vocabulary), codes.to_numpy().astype(np.int32)


def names_of(names: Sequence[str], codes: NDArray[np.integer[Any]]) -> pl.Series:
    """The column that was coded: the name of every code."""
    return pl.Series(names, dtype=pl.String).gather(codes)


def sorted_texts(names: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """(the distinct texts in the order of their bytes, the place of each row's among them).

    >>> distinct, places = sorted_texts(pl.Series(["b", "a", "b"]))
    >>> distinct.to_list(), places.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    order = names.arg_sort()  # Polars sorts texts by their bytes
    ordered = names.gather(order)
    new = (ordered != ordered.shift()).fill_null(True)
    codes = np.empty(len(names), np.int32)
    codes[order.to_numpy()] = np.cumsum(new.to_numpy()) - 1
    return ordered.filter(new), codes


def worth_kernels(ids: Sequence[Any], values: Any, rows: int) -> bool:
    """Are these Polars columns without gaps, and at least as many `rows` as take longer than loading the kernels?"""
    columns = (*ids, values)
    if not all(isinstance(c, pl.Series) for c in columns) or len(values) < rows:
        return False
    plain = all(c.dtype.is_integer() or c.dtype in (pl.String, pl.Categorical, pl.Enum) for c in ids)
    return plain and not any(c.null_count() for c in columns)


def chosen(names: Sequence[str], wanted: Iterable[str], role: str) -> list[str]:
    """The wanted names in the order of `names`; an unknown one is an error."""
    asked = {str(w) for w in wanted}
    unknown = sorted(asked - set(names))
    if unknown:
        some = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
        raise InputError(f"no {role} is called {', '.join(map(repr, unknown[:5]))}; there are {some}.")
    return [n for n in names if n in asked]


def recode(names: Sequence[str], kept: Sequence[str]) -> NDArray[np.int64]:
    """Position of each name among the kept ones, −1 for the others."""
    position = {n: i for i, n in enumerate(kept)}
    return np.array([position.get(n, -1) for n in names], np.int64)


def freeze_arrays(holder: Any) -> None:
    """Make the arrays of a frozen dataclass read-only; the arrays it was given stay as they were."""
    for field in fields(holder):
        value = getattr(holder, field.name)
        if isinstance(value, np.ndarray):
            view = value.view()
            view.setflags(write=False)
            object.__setattr__(holder, field.name, view)
