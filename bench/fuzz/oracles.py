"""The slowest readers there could be: what every file means, said as plainly as possible; no code of dissensus."""

from __future__ import annotations

import csv
import io
import json
import math
import re


class Refused(Exception):
    """The file breaks a rule."""


NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
# what nobody sees in a name: marks of byte order, of lines and directions, soft hyphens, joints without width
UNSEEN = re.compile("[\x80-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")
INTEGER = re.compile(r"[+-]?[0-9]+\Z")


def text_of(data: bytes) -> str:
    if not data or data.startswith(b"\x1f\x8b"):
        raise Refused("empty or packed")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(str(error)) from error
    text = text.removeprefix("\ufeff")
    if any(ord(c) < 32 and c not in "\t\n\r\v\f" for c in text):
        raise Refused("control character")
    return text


def name(text: str) -> str:
    """An id or a grade, as it is; one with a character that nobody sees breaks a rule."""
    if UNSEEN.search(text):
        raise Refused("a character that nobody sees")
    return text


def word_lines(data: bytes) -> list[list[str]]:
    """The words of every line that has some: only line feeds and returns end lines, only ASCII's blanks part words."""
    lines = re.split("\r\n|\r|\n", text_of(data))
    return [words for line in lines if (words := [w for w in re.split("[ \t\v\f]+", line) if w])]


def trec_lines(data: bytes) -> list[list[str]]:
    lines = [words for words in word_lines(data) if not words[0].startswith("#")]
    if not lines:
        raise Refused("nothing in it")
    return lines


def finite(text: str) -> float:
    if not NUMBER.match(text) or math.isinf(float(text)):
        raise Refused(f"score {text}")
    return float(text)


def run(data: bytes) -> dict[str, dict[str, float]]:
    topics: dict[str, dict[str, float]] = {}
    for columns in trec_lines(data):
        more = len(columns) > 6 and NUMBER.match(columns[4]) and not NUMBER.match(columns[5])
        if len(columns) != 6 and not (more and columns[3].lstrip("+-").isdigit()):
            raise Refused(f"{len(columns)} columns")
        topic, _, doc, _, score, _ = columns[:6]
        docs = topics.setdefault(name(topic), {})
        if doc in docs or len(doc.encode()) > 65_535:
            raise Refused("twice, or too long")
        docs[name(doc)] = finite(score)
    return topics


def ranked(docs: dict[str, float]) -> list[str]:
    """Score descending, ties by id descending in byte order."""
    return sorted(docs, key=lambda d: (docs[d], d.encode()), reverse=True)


def grades(labels: list[tuple[str, str, str]]) -> dict[tuple[str, str], str]:
    """{(topic, doc): grade as it is printed} of one assessor; grades are whole numbers or names, never both."""
    out: dict[tuple[str, str], str] = {}
    names = 0
    for topic, doc, grade in labels:
        grade = name(grade.strip())
        if re.match(r"[+-]?[0-9]+\.0*\Z", grade):
            grade = grade.partition(".")[0]
        if INTEGER.match(grade):
            number = int(grade)
            if not -127 <= number <= 126:
                raise Refused("outside the scale")
            grade = str(number)
        elif not grade or NUMBER.match(grade) or grade.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            raise Refused("neither number nor name")
        elif grade.lower() in ("na", "n/a", "null"):
            raise Refused("a missing grade")
        else:
            names += 1
        if out.setdefault((name(topic), name(doc)), grade) != grade:
            raise Refused("two grades")
    if names not in (0, len(labels)):
        raise Refused("numbers and names")
    return out


def qrels(data: bytes) -> dict[tuple[str, str], str]:
    lines = trec_lines(data)
    if any(len(columns) != 4 for columns in lines):
        raise Refused("columns")
    return grades([(c[0], c[2], c[3]) for c in lines])


def table(data: bytes, separator: str) -> list[dict[str, str]]:
    text = text_of(data)
    rows = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
            if row and not (len(row) == 1 and not row[0].strip()):
                rows.append(row)
    except csv.Error as error:
        raise Refused(str(error)) from error
    if len(rows) < 2:
        raise Refused("no rows")
    header = [name.strip() for name in rows[0]]
    if any(len(row) != len(header) or any("\n" in v or "\r" in v for v in row) for row in rows[1:]):
        raise Refused("ragged, or a line break in a value")
    named = [n.lower() for n in header if n]
    if len(set(named)) < len(named):
        raise Refused("two columns of one name")
    ours = [n.startswith("'") for n in header]
    cells = ([cell(v, own) for v, own in zip(row, ours, strict=True)] for row in rows[1:])
    return [dict(zip((n.removeprefix("'") for n in header), row, strict=True)) for row in cells]


def cell(value: str, ours: bool) -> str:
    """A value without blanks at its ends.

    In a column whose name begins with an apostrophe, one is taken off texts that a spreadsheet would run: that is how
    dissensus writes them. Elsewhere it belongs to the text.
    """
    value = value.strip(" \t")
    return value[1:] if ours and re.match(r"'+[=+@-].", value) else value


def objects(data: bytes) -> list[dict[str, object]]:
    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise Refused("a key twice")
        return dict(pairs)

    def constant(name: str) -> object:
        raise Refused(name)

    rows = []
    for line in text_of(data).split("\n"):
        if line.strip():
            try:
                row = json.loads(line, object_pairs_hook=distinct, parse_constant=constant)
            except ValueError as error:
                raise Refused(str(error)) from error
            if not isinstance(row, dict):
                raise Refused("no object")
            rows.append(row)
    if not rows:
        raise Refused("nothing in it")
    return rows


def letor(data: bytes) -> list[tuple[float, str, dict[int, float]]]:
    """(label, query, features) of every row; a query's rows are together, its documents have distinct names."""
    rows: list[tuple[float, str, dict[int, float]]] = []
    names: dict[str, list[str]] = {}
    for line in text_of(data).split("\n"):
        body, _, comment = line.partition("#")
        words = [w for w in re.split("[ \t\r]+", body) if w]
        if not words:
            continue
        label, query, features, last = finite(words[0]), "", dict[int, float](), -1
        if label < 0:
            raise Refused("a label below zero")
        for word in words[1:]:
            name, colon, value = word.partition(":")
            if not colon:
                raise Refused("no colon")
            if name == "qid":
                if query or not value:
                    raise Refused("a second query, or none")
                query = value
                continue
            if not name or not name.isascii() or not name.isdigit() or int(name) > 1_000_000_009 or int(name) <= last:
                raise Refused("no feature number")
            last = int(name)
            features[last] = finite(value)
        if not query:
            raise Refused("no query")
        if rows and rows[-1][1] != query and query in names:
            raise Refused("a query comes back")
        docid = re.search(r"docid\s*=\s*(\S+)", comment, re.IGNORECASE)
        doc = docid.group(1) if docid else (comment.split() or [""])[0]
        place = len(names.setdefault(query, []))
        doc = doc or f"{query}.{place + 1}"
        if doc in names[query]:
            raise Refused("a document twice")
        names[query].append(doc)
        rows.append((label, query, features))
    if not rows:
        raise Refused("nothing in it")
    return rows


Page = list[tuple[int, float | None]]


def pages(data: bytes) -> dict[tuple[str, str], Page]:
    """{(session, query): ranks and how long each was looked at} of a table session,query,rank, timed or not."""
    rows = [click(row) for row in table(data, ",")]
    out: dict[tuple[str, str], Page] = {(session, query): [] for session, query, _, _ in rows}
    for session in {row[0] for row in rows}:
        own = [row for row in rows if row[0] == session]
        own.sort(key=lambda row: 0 if row[3] is None else row[3])
        for row, after in zip(own, [*own[1:], None], strict=True):
            if row[2] is not None:
                stayed = None if after is None or row[3] is None or after[3] is None else after[3] - row[3]
                out[session, row[1]].append((row[2], stayed))
    return out


def click(row: dict[str, str]) -> tuple[str, str, int | None, float | None]:
    """(session, query, rank, time) of a row; ranks up to 1,000."""
    session, query, rank = row["session"], row["query"], row["rank"]
    if not session or not query or any(ord(c) < 32 for c in session + query):
        raise Refused("no session or no query")
    name(session)
    name(query)
    if rank and (not re.match(r"\+?[0-9]{1,18}\Z", rank) or not 1 <= int(rank) <= 1000):
        raise Refused("no rank")
    return session, query, int(rank) if rank else None, moment(row["time"]) if "time" in row else None


def moment(text: str) -> float:
    """A number, or a time of day in seconds; dates are not this oracle's business."""
    try:
        value = float(text)
    except ValueError:
        day = re.match(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?\Z", text.strip())
        if day:
            return 3600 * int(day[1]) + 60 * int(day[2]) + float(day[3] or 0)
        if re.search("[0-9]{4}", text):
            raise NotImplementedError from None
        raise Refused("no time") from None
    if not math.isfinite(value) or "_" in text:
        raise Refused("no time")
    return value


def nested(data: bytes) -> dict[str, dict[str, float]]:
    """{topic: {document: number}} of one JSON object."""

    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise Refused("a key twice")
        return dict(pairs)

    try:
        found = json.loads(text_of(data), object_pairs_hook=distinct)
    except (ValueError, RecursionError) as error:
        raise Refused(str(error)) from error
    if not isinstance(found, dict) or not all(isinstance(docs, dict) for docs in found.values()):
        raise Refused("no objects in an object")
    for topic, docs in found.items():
        name(topic)
        for doc, value in docs.items():
            name(doc)
            if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
                raise Refused("no number")
    return found


def session_log(data: bytes) -> list[tuple[str, int, tuple[int, ...]]]:
    """(query, urls shown, clicked ranks in time) of every page of a session log, in the order of the file."""
    pages: list[tuple[bytes, list[bytes], list[int]]] = []
    session, first, last, closed = b"", 0, 0, set[bytes]()
    for line in data.split(b"\n"):
        line = line.rstrip(b"\r\t")
        if not line:
            continue
        fields = line.split(b"\t")
        if len(fields) < 4 or not re.match(rb"[0-9]{1,18}\Z", fields[1]) or fields[2] not in (b"Q", b"C"):
            raise Refused("not a record")
        if not pages or fields[0] != session:
            if fields[0] in closed:
                raise Refused("a session comes back")
            session, first = fields[0], len(pages)
        elif int(fields[1]) < last:
            raise Refused("back in time")
        last = int(fields[1])
        if fields[2] == b"Q":
            if len(fields) < 5:
                raise Refused("no urls")
            closed.add(session)
            pages.append((fields[3], fields[5:], []))
            continue
        if len(pages) == first:
            raise Refused("a click before a query")
        for _, urls, ranks in reversed(pages[first:]):
            if fields[3] in urls:
                ranks.append(urls.index(fields[3]) + 1)
                break
    try:
        text = data.decode(errors="ignore")
        try:
            name(text)
        except Refused:
            raise NotImplementedError from None  # an unseen character: which fields are names is the reader's business
        return [(query.decode(), len(urls), tuple(ranks)) for query, urls, ranks in pages]
    except UnicodeDecodeError as error:
        raise Refused(str(error)) from error


def audit(data: bytes) -> dict[tuple[str, str], tuple[str, float]]:
    """{(topic, doc): (grade, π)} of a table topic,doc,grade,inclusion; a document once, π in (0, 1].

    Rows without a grade were chosen and not graded: π of the others is lowered in proportion.
    """
    rows = table(data, ",")
    if any(set(row) != {"topic", "doc", "grade", "inclusion"} for row in rows):
        raise NotImplementedError
    pi = [row["inclusion"] for row in rows]
    if any(p != p.strip() or not p.isascii() for p in pi):
        raise NotImplementedError
    if not all(NUMBER.match(p) and 0 < float(p) <= 1 for p in pi):
        raise Refused("not a probability")
    keys = [(row["topic"], row["doc"]) for row in rows]
    if any(not k or any(ord(c) < 32 for c in name(k)) for pair in keys for k in pair):
        raise Refused("an id")
    if len(set(keys)) < len(keys):
        raise Refused("a document twice")
    graded = [row for row in rows if row["grade"].strip() and row["grade"].strip().lower() not in ("na", "n/a", "null")]
    if not graded:
        raise Refused("no grade")
    named = grades([(row["topic"], row["doc"], row["grade"]) for row in graded])
    if any(not INTEGER.match(g) for g in named.values()):
        raise NotImplementedError  # names without a declared order
    share = len(graded) / len(rows)
    return {(r["topic"], r["doc"]): (named[r["topic"], r["doc"]], float(r["inclusion"]) * share) for r in graded}


def scores(data: bytes, system: str) -> dict[tuple[str, str], float]:
    """{(measure, topic): value} of trec_eval's three columns; rows that are means are not this oracle's business."""
    text, words = text_of(data), word_lines(data)
    if not words:
        raise Refused("nothing but blanks")
    if any(len(w) != 3 for w in words):
        if len({len(w) for w in words}) > 1 or len(words[0]) not in (3, 4):
            raise Refused("columns")
        raise NotImplementedError
    if any(w[1] == "all" or not NUMBER.match(w[2]) for w in words) or text.lstrip().startswith("{"):
        raise NotImplementedError  # means, words, or what is taken for JSON
    out: dict[tuple[str, str], float] = {}
    for measure, topic, value in words:
        if (name(measure), name(topic)) in out:
            raise Refused("twice")
        out[measure, topic] = finite(value)
    return out
