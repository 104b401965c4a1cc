"""Click logs: who clicked which rank of a result page, in what order, and how long they stayed.

A *page* is one result list shown to somebody; moves between ranks are counted within a page. Formats are told by their
first lines:

- a table (CSV or TSV) with columns session, rank and, where known, query and time; without a header the columns are
  session, query, rank and, if there is a fourth, time;
- Yandex's session log: `session time Q query region url…` and `session time C url`, separated by tabs;
- `query<TAB>url1,url2,… : clicked , clicked`, pages separated by `;` or line ends (Yandex's prediction samples);
- varepsilon/clickmodels' JSON columns, plain and extended;
- TianGong-ST's rows per document, sessions separated by empty lines.

The last two do not tell the order of clicks; they are then taken from the top down, and the notes say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from dissensus.errors import FileError
from dissensus.io import click_samples
from dissensus.io.contents import contents, decode
from dissensus.io.files import TYPED, PathLike, find_files, kind
from dissensus.io.options import ReadOptions, RoleOptions, TableKeywords, spelled_out
from dissensus.io.table import open_table, read_table
from dissensus.tables.click_columns import click_fields
from dissensus.tables.clicks import Clicks


@spelled_out
def read_clicks(*paths: PathLike | Iterable[PathLike], **table: Unpack[TableKeywords]) -> Clicks:
    r"""Read click logs: tables, Yandex's log, and the samples of clickmodels, PyClick and TianGong-ST.

    Several files make one log. Sessions of the same name in two files are two sessions.

    Parameters
    ----------
    paths
        Files, globs, or lists of them, plain or compressed.

    Returns
    -------
    Clicks
        Clicks by session, query and rank.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
    >>> _ = path.write_text("session,query,rank,time\ns1,q1,1,0\ns1,q1,3,4\n")
    >>> len(ds.read_clicks(path))
    2
    """
    options = ReadOptions.of(**table).clicks
    clicks = clicks_from_files(paths, options)
    options.refuse_unused()
    return clicks


def clicks_from_files(paths: Iterable[PathLike | Iterable[PathLike]], options: RoleOptions) -> Clicks:
    """The clicks in files and globs."""
    parts = [_read_one(path, options) for path in find_files(paths, "read_clicks")]
    return parts[0] if len(parts) == 1 else _concatenate(parts)


def _read_one(path: Path, options: RoleOptions) -> Clicks:
    data = contents(path)
    head = data[:100_000].decode("utf-8", "replace")
    first = next((line for line in re.split("[\r\n]+", head) if line.strip()), None)
    if first is None:
        raise FileError(f"{path} holds nothing but empty lines.")
    form = "table" if options.columns and not options.numbered else click_format(first)
    if form == "session log":
        from dissensus.io.click_log import parse_session_log

        return parse_session_log(data, str(path))
    if form in ("table", "bare table"):
        return _table(path, data, first, options, header=form == "table")
    parsers = {
        "page lists": click_samples.parse_page_lists,
        "json columns": click_samples.parse_json_columns,
        "document rows": click_samples.parse_document_rows,
    }
    if form is None:
        raise FileError(
            f"{path}: the first line is not of a click-log format that dissensus reads: {first[:80]!r}.",
            "Simplest: a CSV or TSV with a header and the columns session, query, rank, time (rank counts from 1).",
        )
    return parsers[form](decode(data, path), str(path))


def _table(path: Path, data: bytes, first: str, options: RoleOptions, *, header: bool) -> Clicks:
    """Clicks from a CSV or TSV file; without a header its columns are session, query, rank, time."""
    if kind(path) in TYPED:
        table = open_table(path, options)
        return Clicks(**click_fields(table.frame, str(path), table.place, table.named))
    separator = options.separator or max("\t,;", key=first.count)
    bare = ["session", "query", "rank", "time"][: first.count(separator) + 1]
    table = read_table(path, separator=separator, names=None if header else bare, data=data)
    named = options.named_in(table.frame.columns, str(path))
    clicks = Clicks(**click_fields(table.frame, str(path), table.place, named))
    if header:
        return clicks
    return replace(clicks, notes=(f"no header: columns taken as {', '.join(bare)}", *clicks.notes))


def click_format(line: str) -> str | None:
    """The format a log's first line belongs to.

    >>> click_format("7\\t0\\tQ\\t11\\t1\\t100\\t101"), click_format("session,rank"), click_format("1 2 3")
    ('session log', 'table', None)
    >>> click_format("s1,q7,3,20")  # session, query, rank, time without a header
    'bare table'
    """
    fields = line.rstrip("\r\n").split("\t")
    if len(fields) >= 4 and fields[2].strip() in ("Q", "C"):
        return "session log"
    if len(fields) >= 7 and fields[4].lstrip()[:1] in ("[", "{"):
        return "json columns"
    if len(fields) >= 4 and re.match(r"\s*\[[\d,\s]*\]\s*$", fields[0]):
        return "document rows"
    if re.match(r"[^\t]+\t[^\t:]+:", line):
        return "page lists"
    cells = [cell.strip().strip('"').lower() for cell in re.split(r"[\t,;]", line)]
    if set(cells) & {"rank", "position", "pos"}:
        return "table"
    return "bare table" if len(cells) in (3, 4) and cells[2].isdigit() else None


def _concatenate(parts: list[Clicks]) -> Clicks:
    queries = tuple(dict.fromkeys(q for part in parts for q in part.queries))
    position = {q: i for i, q in enumerate(queries)}
    first = np.r_[0, np.cumsum([part.n_pages for part in parts])]
    return Clicks(
        queries=queries,
        page=np.concatenate([part.page + shift for part, shift in zip(parts, first, strict=False)]),
        rank=np.concatenate([part.rank for part in parts]),
        dwell=np.concatenate([part.dwell for part in parts]),
        page_query=np.concatenate(
            [np.array([position[q] for q in part.queries], np.int32)[part.page_query] for part in parts]
        ),
        page_length=np.concatenate([part.page_length for part in parts]),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )
