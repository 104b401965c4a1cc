"""What the topics ask: query, description and narrative, from TSV, CSV, JSONL or TREC topic files.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "topics.trec"
    >>> _ = file.write_text("<top>\\n<num> Number: 301\\n<title> organised crime\\n<desc> Who?\\n</top>\\n")
    >>> read_topic_texts(file)["301"].query
    'organised crime'

TSV and CSV: topic and query, then description and narrative if they are there, with or without a header. JSONL: one
object per topic. TREC: `<top>` blocks (ad hoc tracks) or XML `<topic number="…">` (web tracks).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from dissensus.arrays import Values
from dissensus.errors import FileError
from dissensus.io.contents import contents, decode
from dissensus.io.files import TYPED, PathLike, find_files, kind
from dissensus.tables.ids import refuse_hidden

NAMES: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "topic_id", "topicid", "query_id", "qid", "number", "num", "id", "_id"),
    "query": ("query", "title", "text", "question"),
    "description": ("description", "desc"),
    "narrative": ("narrative", "narr"),
}
_TOP = re.compile(r"<top>(.*?)</top>", re.S | re.I)
_FIELD = re.compile(r"<(num|title|desc|narr)>(.*?)(?=<(?:num|title|desc|narr|/)|\Z)", re.S | re.I)
_TOPIC = re.compile(r"<topic\b([^>]*)>(.*?)</topic>", re.S | re.I)
_NUMBER = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']+)["']""", re.I)
_LABEL = re.compile(r"^\s*(?:Number|Topic|Title|Description|Narrative)\s*:\s*", re.I)


@dataclass(frozen=True)
class TopicText:
    """A topic as somebody reads it."""

    query: str
    description: str = ""
    narrative: str = ""


def read_topic_texts(path: PathLike) -> dict[str, TopicText]:
    """{topic: its text} of all topics in a file; a topic with two texts is an error."""
    (file,) = find_files([path], "read_topic_texts")
    text = decode(contents(file), file) if kind(file) not in TYPED else ""
    form = kind(file)
    if form in TYPED:
        raise FileError(f"{file}: topic texts are read from TSV, CSV, JSONL or TREC topic files.")
    if form == "jsonl":
        rows = _from_jsonl(file, text)
    elif _TOP.search(text) or _TOPIC.search(text):
        rows = _from_trec(file, text)
    else:
        rows = _from_table(file, text, "," if form == "csv" else "\t")
    found: dict[str, TopicText] = {}
    for where, values in rows:
        topic, query = values.get("topic", ""), values.get("query", "")
        if not topic or not query:
            raise FileError(f"{where}: a topic needs its id and its query.", f"Keys: {', '.join(NAMES)}.")
        refuse_hidden(topic, "topic", where)
        one = TopicText(query, values.get("description", ""), values.get("narrative", ""))
        if found.setdefault(topic, one) != one:
            raise FileError(f"{where} gives topic {topic} a second text.", "Keep one of them.")
    if not found:
        raise FileError(f"{file} holds no topics.", "Give TSV (topic, query), JSONL, or TREC topics.")
    return found


def _from_jsonl(file: Path, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                row: Values = dict(json.loads(line))
            except (ValueError, TypeError, RecursionError) as error:
                raise FileError(f"{file}:{number}: not a JSON object ({error}).") from error
            yield (
                f"{file}:{number}",
                {
                    role: str(next((row[n] for n in names if row.get(n) is not None), "")).strip()
                    for role, names in NAMES.items()
                },
            )


def _from_table(file: Path, text: str, separator: str) -> Iterator[tuple[str, dict[str, str]]]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
    )  # fmt: skip
    column: dict[str, int] = {}
    for number, row in enumerate(reader, 1):
        if not any(v.strip() for v in row):
            continue
        if not column:
            lower = [v.strip().lower() for v in row]
            column = {r: lower.index(n) for r, names in NAMES.items() for n in reversed(names) if n in lower}
            if "topic" in column and "query" in column:
                continue
            column = {role: i for i, role in enumerate(NAMES) if i < len(row)}  # no header
        if len(row) <= max(column["topic"], column.get("query", 1)):
            raise FileError(
                f"{file}:{number} has {len(row)} value{'' if len(row) == 1 else 's'}: {separator.join(row)[:60]!r}.",
                "A line holds the topic and its query, with a tab between them (.csv: a comma).",
            )
        yield f"{file}:{number}", {role: row[i].strip() for role, i in column.items() if i < len(row)}


def _from_trec(file: Path, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    roles = {"num": "topic", "title": "query", "desc": "description", "narr": "narrative"}
    for block in _TOP.finditer(text):
        where = f"{file}:{text.count(chr(10), 0, block.start()) + 1}"
        yield where, {roles[f[1].lower()]: _clean(f[2]) for f in _FIELD.finditer(block[1])}
    for block in _TOPIC.finditer(text):
        where = f"{file}:{text.count(chr(10), 0, block.start()) + 1}"
        number = _NUMBER.search(block[1]) or re.search(r"<(?:number|num|id)>\s*(.*?)\s*<", block[2], re.S | re.I)
        values = {"topic": number[1] if number else ""}
        for role in ("query", "description", "narrative"):
            named = "|".join(NAMES[role])
            field = re.search(rf"<({named})\b[^>]*>(.*?)</\1>", block[2], re.S | re.I)
            values[role] = _clean(field[2]) if field else ""
        yield where, values


def _clean(text: str) -> str:
    return " ".join(unescape(_LABEL.sub("", re.sub(r"<[^>]*>", " ", text))).split())
