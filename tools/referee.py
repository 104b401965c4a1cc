"""The referee: every number of the public verbs and commands, as recorded from a version that was right.

    python tools/referee.py compare [CASE …]   run the cases, list every number that differs
    python tools/referee.py record [CASE …]    the same, then write the new numbers; one without a reason is refused

The cases are in tests/referee_commands.py and tests/referee_verbs.py, the numbers in tests/numbers/recorded/, one file
for each collection. A number is found by its case, its column and the *text* of its row (system, topic, assessor …),
not by its place: tables and rows may move. A new name of a column, table or value goes into tests/numbers/names.toml,
the reason for a number that must change into a file in tests/numbers/expected/.

Deterministic numbers agree to 1e-12 of their size (1e-10 where names say that a distribution is behind them). A number
that depends on the seed was recorded with its Monte-Carlo error over `SEEDS` seeds, and agrees within four of them.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import sys
import tempfile
import tomllib
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "numbers"
DATA = ROOT.parent / "shared" / "data"
SEEDS = 5
ROWS = 100  # of a table that are kept: those with the smallest checksums
EXACT, SPECIAL, TINY = 1e-12, 1e-10, 1e-14
DISTRIBUTION = re.compile(
    r"\b(p|p_value|low|high|lower|upper|se|power|detectable|z)\b|_(p|low|high|se|z)\b|\.(low|high)$"
)

Row = dict[str, Any]
Cells = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Case:
    """A call with a name that stays when the call changes: 'examples/compare'. `run(seed, folder)` gives the result."""

    collection: str
    name: str
    verb: str
    run: Callable[[int, Path], Any] = field(repr=False, compare=False)

    @property
    def title(self) -> str:
        return f"{self.collection}/{self.name}"


@dataclass(frozen=True)
class Numbers:
    """One column of a table: {cells that name a row: (value, Monte-Carlo error)}."""

    table: str
    column: str
    rows: dict[Cells, tuple[float, float]]

    @cached_property
    def error(self) -> float:
        """The Monte-Carlo error of the column: one estimated from a few seeds alone is too rough."""
        errors = [e for _, e in self.rows.values() if e]
        return math.sqrt(sum(e * e for e in errors) / len(errors)) if errors else 0.0


@dataclass(frozen=True)
class Change:
    """A number that is no longer what it was (None: it is gone)."""

    case: Case
    table: str
    column: str
    cells: Cells
    old: float
    new: float | None

    @property
    def row(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.cells)

    def __str__(self) -> str:
        new = "gone" if self.new is None else repr(self.new)
        return f"{self.case.title} [{self.table}] {self.column} ({self.row}): {self.old!r} → {new}"

    @cached_property
    def reason(self) -> str | None:
        """Why it may change, if a file in tests/numbers/expected says so."""
        for entry in expected():
            asked = {"verb": self.case.verb, "case": self.case.title, "table": self.table, "column": self.column}
            asked["row"] = self.row
            if all(fnmatchcase(asked[name], entry.get(name, "*")) for name in asked):
                return str(entry["reason"])
        return None


@cache
def names() -> dict[str, Any]:
    with open(FOLDER / "names.toml", "rb") as file:
        return tomllib.load(file)


@cache
def expected() -> list[dict[str, str]]:
    """What may change, and why: the entries of every file in tests/numbers/expected."""
    found: list[dict[str, str]] = []
    for path in sorted((FOLDER / "expected").glob("*.toml")):
        found += tomllib.loads(path.read_text("utf-8"))["change"]
    return found


def cases() -> list[Case]:
    """Every case; those of absent collections are left out by `absent`."""
    sys.path += [str(p) for p in (ROOT, ROOT / "tests") if str(p) not in sys.path]
    import referee_commands
    import referee_verbs

    return [*referee_commands.cases(), *referee_verbs.cases()]


def absent(collection: str) -> bool:
    return collection != "examples" and not (DATA / collection).is_dir()


# ── from results to rows ─────────────────────────────────────────────────────────────────────────────────────────────
def command(words: Iterable[str]) -> Any:
    """What a command prints as JSON, whatever its exit status."""
    from dissensus.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*words, "--json"])
    if not out.getvalue().strip():
        raise RuntimeError(f"dissensus {' '.join(words)}: exit status {status}, {err.getvalue()}")
    return json.loads(out.getvalue())


def plain(result: Any) -> Any:
    """A verb's result as JSON values: frames as rows, score sets as rows of dimensions, results by their tables."""
    if hasattr(result, "data_vars"):  # a Dataset
        return [r for m in result.data_vars for r in _cells_of(str(m), result[m])]
    if isinstance(result, Mapping):
        return {str(name): plain(value) for name, value in result.items()}
    if isinstance(getattr(result, "tables", None), Mapping):
        return {name: plain(table) for name, table in result.tables.items()}
    if hasattr(result, "frame") and not hasattr(result, "to_frame"):  # a table with described columns
        return plain(result.frame)
    if hasattr(result, "to_dicts"):
        return result.to_dicts()
    if hasattr(result, "to_frame"):
        return plain(result.to_frame())
    if hasattr(result, "tolist"):
        return result.tolist()
    return list(result) if isinstance(result, tuple) else result


def _cells_of(measure: str, array: Any) -> Iterator[Row]:
    if not array.dims:
        yield {"measure": measure, "score": float(array)}
        return
    import itertools

    labels = [[str(v) for v in array[d].values.tolist()] for d in array.dims]
    for where in itertools.product(*(range(n) for n in array.shape)):
        value = array.values[where]
        if hasattr(value, "item") and isinstance(value.item(), int | float | bool):
            named = {str(d): labels[k][i] for k, (d, i) in enumerate(zip(array.dims, where, strict=True))}
            yield {**named, "measure": measure, "score": value.item()}


def tables(value: Any, name: str = "facts") -> Iterator[tuple[str, list[Row]]]:
    """Every table inside a JSON value: a list of objects is one, and what stands alone is a row of facts."""
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        yield name, [r for v in value for r in _melted(dict(_flat(v)))]
        return
    if not isinstance(value, dict):
        value = {name: value}
    facts: Row = {}
    for key, inner in value.items():
        if isinstance(inner, dict) or (isinstance(inner, list) and inner and all(isinstance(v, dict) for v in inner)):
            yield from tables(inner, key)
        else:
            facts.update(_flat(inner, key))
    if facts:
        yield name, list(_melted(facts))


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for i, inner in enumerate(value[:30]):
            yield from _flat(inner, f"{path}[{i}]")
    else:
        yield path, value


def _melted(row: Row) -> Iterator[Row]:
    """A row with columns of measures as one row for each measure: 'nDCG@10' and 'weight nDCG@10' are wide forms."""
    by_measure: dict[str, Row] = defaultdict(dict)
    rest: Row = {}
    for column, value in row.items():
        prefix, _, measure = column.rpartition(" ")
        if measure in names()["measures"] and "measure" not in row:
            by_measure[measure][prefix or "score"] = value
        else:
            rest[column] = value
    if by_measure:
        text = {c: v for c, v in rest.items() if isinstance(v, str) or c in names()["further_keys"]}
        for measure, values in by_measure.items():
            yield {**text, "measure": measure, **values}
    yield rest


def cells(row: Row, more: bool = False) -> Cells:
    """What names a row: the texts in the columns listed as keys in names.toml, and the numbers among them if asked."""
    keys = names()["keys"] + (names()["further_keys"] if more else [])
    return tuple((c, str(row[c])) for c in keys if isinstance(row.get(c), str) or (more and row.get(c) is not None))


def number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def computed(case: Case, seed: int = 0) -> list[tuple[str, list[Row]]]:
    """The tables of a case now."""
    with tempfile.TemporaryDirectory(prefix="referee-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(tables(plain(case.run(seed, Path(folder)))))


# ── recorded files ───────────────────────────────────────────────────────────────────────────────────────────────────
@cache
def recorded(collection: str) -> dict[str, list[Numbers]]:
    """{case: its columns}, from the file of a collection: a line names case, table and columns, rows follow it."""
    found: dict[str, list[Numbers]] = defaultdict(list)
    path = FOLDER / "recorded" / f"{collection}.jsonl"
    if not path.exists():
        return found
    columns: list[Numbers] = []
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if isinstance(entry, dict):
            columns = [Numbers(entry["table"], name, {}) for name in entry["columns"]]
            found[entry["case"]] += columns
            keys = entry["keys"]
            continue
        key = tuple((k, v) for k, v in zip(keys, entry, strict=False) if v is not None)
        for column, value in zip(columns, entry[len(keys) :], strict=True):
            if value is not None:
                column.rows[key] = (value[0], value[1]) if isinstance(value, list) else (value, 0.0)
    return found


def taken(case: Case) -> list[Numbers]:
    """The numbers of a case now, with their Monte-Carlo errors, as they are recorded."""
    draws = [_by_column(computed(case, seed)) for seed in (0, 1)]
    if draws[0] != draws[1]:  # a seed matters
        draws += [_by_column(computed(case, seed)) for seed in range(2, SEEDS)]
    result = []
    for (table, column), rows in draws[0].items():
        kept = {}
        for key in sorted(rows, key=lambda k: zlib.crc32(repr(k).encode()))[:ROWS]:
            values = [v for d in draws if (v := d.get((table, column), {}).get(key)) is not None]
            mean = sum(values) / len(values)
            spread = math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1))
            kept[key] = (rows[key], spread if spread > EXACT * abs(mean) + TINY else 0.0)
        result.append(Numbers(table, column, dict(sorted(kept.items()))))
    return result


def _by_column(found: Iterable[tuple[str, list[Row]]]) -> dict[tuple[str, str], dict[Cells, float]]:
    columns: dict[tuple[str, str], dict[Cells, float]] = defaultdict(dict)
    for table, rows in found:
        kinds = [(cells(row), tuple(row)) for row in rows]
        more = len(set(kinds)) < len(kinds)
        for row in rows:
            key = cells(row, more)
            for column, value in row.items():
                if column not in dict(key) and column not in names()["left_out"]:
                    n = number(value)
                    if n is not None:
                        columns[table, column].setdefault(key, n)
    return columns


def written(found: Mapping[str, list[Numbers]]) -> str:
    """The text of a recorded file."""
    lines = []
    for case, columns in found.items():
        by_table: dict[str, list[Numbers]] = defaultdict(list)
        for column in columns:
            by_table[column.table].append(column)
        for table, group in by_table.items():
            keys = sorted({k for c in group for cell in c.rows for k, _ in cell})
            named = {"case": case, "table": table, "keys": keys, "columns": [c.column for c in group]}
            lines.append(json.dumps(named, ensure_ascii=False))
            for key in dict.fromkeys(k for c in group for k in c.rows):
                row: list[Any] = [dict(key).get(k) for k in keys]
                row += [_short(c.rows[key]) if key in c.rows else None for c in group]
                lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(lines) + "\n"


def _short(value: tuple[float, float]) -> Any:
    number = float(f"{value[0]:.14g}")
    number = int(number) if number.is_integer() and abs(number) < 1e15 else number
    return [number, float(f"{value[1]:.3g}")] if value[1] else number


# ── comparison ───────────────────────────────────────────────────────────────────────────────────────────────────────
def renamed(kind: str, name: str) -> str:
    """The new name of a column or value, from names.toml."""
    return str(names().get(kind, {}).get(name, name))


def agree(column: str, old: float, new: float, error: float) -> bool:
    """Whether two numbers are the same: by rounding, or by the Monte-Carlo error of both."""
    near = (SPECIAL if DISTRIBUTION.search(column) else EXACT) * abs(old) + TINY
    return abs(new - old) <= max(near, 4 * math.sqrt(2) * error)


def changes(case: Case) -> list[Change]:
    """Every recorded number of a case that is gone or differs now."""
    found = [(table, rows) for table, rows in computed(case)]
    index: dict[tuple[int, tuple[str, ...]], dict[tuple[str, ...], list[Row]]] = {}
    result = []
    for numbers in recorded(case.collection)[case.name]:
        column = renamed("columns", numbers.column)
        near = sorted(range(len(found)), key=lambda i: found[i][0] != renamed("tables", numbers.table))
        for key, (old, error) in numbers.rows.items():
            wanted = tuple(renamed("columns", k) for k, _ in key)
            values: list[float] = []
            for i in near:  # the table of that name first; then any that has the column and the row
                if (i, wanted) not in index:
                    index[i, wanted] = _indexed(found[i][1], wanted)
                for row in index[i, wanted].get(tuple(renamed("values", v) for _, v in key), ()):
                    n = number(row.get(column))
                    if n is not None:
                        values.append(n)
            if not any(agree(column, old, n, max(error, numbers.error)) for n in values):
                new = min(values, key=lambda n: abs(n - old)) if values else None
                result.append(Change(case, numbers.table, numbers.column, key, old, new))
    return result


def _indexed(rows: list[Row], columns: tuple[str, ...]) -> dict[tuple[str, ...], list[Row]]:
    index: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if all(row.get(c) is not None for c in columns):
            index[tuple(str(row[c]) for c in columns)].append(row)
    return index


# ── the named command ────────────────────────────────────────────────────────────────────────────────────────────────
def main(words: list[str]) -> int:
    """Compare, or record; 1 if a number changed without a reason or a case failed."""
    record = words[:1] == ["record"]
    if not record and words[:1] != ["compare"]:
        sys.stdout.write(__doc__ or "")
        return 2
    asked = [c for c in cases() if not absent(c.collection) and (not words[1:] or any(w in c.title for w in words[1:]))]
    new: dict[str, dict[str, list[Numbers]]] = defaultdict(dict)
    wrong = total = 0
    for case in asked:
        try:
            changed = changes(case) if case.name in recorded(case.collection) else []
            numbers = taken(case) if record else recorded(case.collection)[case.name]
        except Exception as error:
            sys.stdout.write(f"{case.title}: {type(error).__name__}: {error}\n")
            wrong += 1
            continue
        for change in changed:
            sys.stdout.write(f"{change}   {change.reason or 'NO REASON'}\n")
            wrong += change.reason is None
        new[case.collection][case.name] = numbers
        total += sum(len(n.rows) for n in numbers)
    sys.stdout.write(f"{len(asked)} cases, {total:,} numbers, {wrong:,} without a reason\n")
    if record and not wrong:
        for collection, fresh in new.items():
            path = FOLDER / "recorded" / f"{collection}.jsonl"
            path.write_text(written({**recorded(collection), **fresh}), "utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
