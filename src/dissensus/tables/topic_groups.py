"""Topics in groups: query classes (navigational, informational …), kinds of topics (ambiguous, faceted …).

One small file serves everything that treats topics by group: `nMCG(classes=…)`, `dissensus clicks --class-file`,
`MarkovUser.fit`, `NMCGMART(classes=…)`, `dissensus weights --groups`. It is a table of two columns, commas or tabs,

    topic,class
    301,navigational

whose header may be left out, or JSON, {"301": "navigational"}; plain or gzip.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from dissensus.errors import FileError
from dissensus.io.contents import contents, decode, lines_of
from dissensus.io.files import PathLike, kind
from dissensus.io.table import read_table
from dissensus.tables.columns import column_or_none
from dissensus.tables.ids import refuse_hidden

_HOW = 'A table has the columns topic and class, one line per topic; JSON looks like {"301": "navigational"}.'


def read_groups(path: PathLike) -> Mapping[str, str]:
    """{topic: group} from a CSV, TSV or JSON file; parsed again only when its bytes have changed.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "classes.csv")
    >>> _ = file.write_text("301,navigational\\n302,informational\\n")
    >>> read_groups(file)
    {'301': 'navigational', '302': 'informational'}
    """
    file = Path(path)
    try:
        return _read(file, contents(file))
    except FileError as error:
        raise FileError(error.what, *(error.fixes or (_HOW,))) from error


@lru_cache(maxsize=32)
def _read(path: Path, data: bytes) -> Mapping[str, str]:
    rows = _json_pairs(decode(data, path), path) if kind(path) == "json" else _table_rows(data, path)
    return _each_once(rows)


def _each_once(rows: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    groups: dict[str, str] = {}
    for place, topic, group in rows:
        if not topic or not group:
            raise FileError(f"{place}: the {'class' if topic else 'topic'} is missing.", _HOW)
        for name, role in ((topic, "topic"), (group, "class")):
            refuse_hidden(name, role, place)
        if groups.setdefault(topic, group) != group:
            raise FileError(f"{place}: topic {topic} has two classes, {groups[topic]} and {group}.", "Keep one.")
    return groups


def _table_rows(data: bytes, path: Path) -> Iterator[tuple[str, str, str]]:
    """(place, topic, group) of every line; the first is a header if one of its names is known."""
    line = next(line for line in lines_of(decode(data, path)) if line.strip())
    separator = "\t" if "\t" in line else ","
    first = [name.strip() for name in line.split(separator)]
    named = any(column_or_none(first, role, str(path)) for role in ("topic", "class"))
    table = read_table(path, separator=separator, names=None if named else ["topic", "class"], data=data)
    for row, (topic, group) in enumerate(zip(table["topic"], table["class"], strict=True)):
        yield table.place(row), topic, group


def _json_pairs(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    """(file, topic, group) of every pair, also of topics that appear twice."""
    try:
        pairs = json.loads(text, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: not JSON ({error.msg}).", _HOW) from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: not JSON that can be read ({error}).", _HOW) from None
    if not isinstance(pairs, _Pairs) or not pairs:
        raise FileError(f"{path} holds no topics and classes.", _HOW)
    for topic, group in pairs:
        if isinstance(group, bool) or not isinstance(group, str | int):
            raise FileError(f"{path}: the class of topic {topic} is {group!r}, not a name.", _HOW)
        yield str(path), topic.strip(), str(group).strip()


class _Pairs(list[tuple[str, object]]):
    """A JSON object as it is written, repeated keys included."""
