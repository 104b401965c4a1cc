"""Topics in groups: query classes (navigational, informational …), kinds of topics (ambiguous, faceted …).

One small file serves everything that treats topics by group: `nMCG(classes=…)`, `dissensus clicks --class-file`,
`MarkovUser.fit`, `NMCGMART(classes=…)`, `dissensus weights --groups`. It is a table of two columns, commas or tabs,

    topic,class
    301,navigational

whose header may be left out, or JSON, {"301": "navigational"}; plain or gzip.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dissensus.data.readers.columns import column_or_none, find_column
from dissensus.data.readers.files import PathLike, contents, unreadable
from dissensus.data.readers.text import decode
from dissensus.errors import FileError

_HOW = 'A table has the columns topic and class, one line per topic; JSON looks like {"301": "navigational"}.'


def read_groups(path: PathLike) -> Mapping[str, str]:
    """{topic: group} from a CSV, TSV or JSON file; read again only when the file has changed.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "classes.csv")
    >>> _ = file.write_text("301,navigational\\n302,informational\\n")
    >>> read_groups(file)
    {'301': 'navigational', '302': 'informational'}
    """
    file = Path(path)
    try:
        state = file.stat()
    except OSError as error:
        raise FileError(unreadable(file, error).what, _HOW) from error
    return _read(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=32)
def _read(path: Path, mtime: int, size: int) -> Mapping[str, str]:
    text = decode(contents(path), path)
    is_json = path.name.lower().removesuffix(".gz").endswith(".json")
    return _each_once(_json_pairs(text, path) if is_json else _table_rows(text, path))


def _each_once(rows: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    groups: dict[str, str] = {}
    for place, topic, group in rows:
        if not topic or not group:
            raise FileError(f"{place}: the {'class' if topic else 'topic'} is missing.", _HOW)
        if groups.setdefault(topic, group) != group:
            raise FileError(f"{place}: topic {topic} has two classes, {groups[topic]} and {group}.", "Keep one.")
    return groups


def _table_rows(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    """(place, topic, group) of every line; the first is a header if one of its names is known."""
    tabs = "\t" in text.lstrip().partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ",", strict=True)
    try:
        rows = [(reader.line_num, [v.strip() for v in row]) for row in reader if any(v.strip() for v in row)]
    except csv.Error as error:
        raise FileError(f"{path}:{reader.line_num}: {error}.", _HOW) from None
    first = rows[0][1]
    named = any(column_or_none(first, role, str(path)) for role in ("topic", "class"))
    topic, group = (first.index(find_column(first, r, str(path))) for r in ("topic", "class")) if named else (0, 1)
    if named and len(rows) == 1:
        raise FileError(f"{path} holds a header and no rows.", _HOW)
    for line, row in rows[named:]:
        if len(row) != (len(first) if named else 2):
            wanted = f"the header {len(first)}" if named else "a table without a header has 2"
            raise FileError(f"{path}:{line} has {len(row)} value{'s' * (len(row) > 1)}, {wanted}.", _HOW)
        yield f"{path}:{line}", row[topic], row[group]


def _json_pairs(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    """(file, topic, group) of every pair, also of topics that stand there twice."""
    try:
        pairs = json.loads(text, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: not JSON ({error.msg}).", _HOW) from None
    if not isinstance(pairs, _Pairs) or not pairs:
        raise FileError(f"{path} holds no topics and classes.", _HOW)
    for topic, group in pairs:
        if isinstance(group, bool) or not isinstance(group, str | int):
            raise FileError(f"{path}: the class of topic {topic} is {group!r}, not a name.", _HOW)
        yield str(path), topic.strip(), str(group).strip()


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it is written, repeated keys included."""
