"""Mutated files: an error of ours or the right answer, never a traceback, never a wrong number."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dissensus as ds
from bench.fuzz.oracles import Refused, finite, grades, objects, qrels, ranked, run, table
from bench.fuzz.oracles import name as plain_id
from dissensus.io import files

NASTY = [
    b"\x00", b"\xff", b"\xff\xfe", b"nan", b"inf", b"-Infinity", b"1_000", b"0x1p3", b"\r", b"\r\n", b"\n", b"\n\n",
    b"#", b"# x\n", b"\t", b"  ", b" ", b"\xc3\xa9", b"\xc3", b"\xef\xbb\xbf", b"1e400", b"1e-400", b"-", b"+",
    b".", b"e", b"\x0b", b"12345678901234567890123", b"0.1234567890123456789", b"9007199254740993", b'"', b",",
    b"{", b"}", b":", b"\x7f", b"\xe2\x80\x83", b"true", b"null", b"-3", b"127", b"2.0", b"2.5", b"rel", b"1e3",
    b"\xc2\xa0", b"\\", b"\x1f\x8b",
]  # fmt: skip
SPOTS = st.integers(0, 400)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), SPOTS, st.sampled_from(NASTY)),
        st.tuples(st.just("replace"), SPOTS, st.sampled_from(NASTY)),
        st.tuples(st.just("delete"), SPOTS, st.integers(1, 12)),
        st.tuples(st.just("repeat"), SPOTS, st.integers(1, 40)),
        st.tuples(st.just("cut"), SPOTS, st.just(0)),
    ),
    max_size=3,
)
QUICK = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.fixture(autouse=True, scope="module", params=["kernel", "plain"])
def path_through(request):
    """Small files go through the plain readers, large ones through the kernels: all tests take both ways."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SMALL", 0 if request.param == "kernel" else 1 << 30)
        yield


def changed(data: bytes, changes: list[tuple[str, int, bytes | int]]) -> bytes:
    for what, spot, extra in changes:
        at = spot % (len(data) + 1)
        if isinstance(extra, bytes):
            data = data[:at] + extra + data[at + (len(extra) if what == "replace" else 0) :]
        elif what == "delete":
            data = data[:at] + data[at + extra :]
        elif what == "repeat":
            data = data[:at] + data[at : at + extra] * 2 + data[at + extra :]
        else:
            data = data[:at]
    return data


def written(data: bytes, name: str) -> Path:
    path = Path(tempfile.mkdtemp()) / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def refused(read) -> str:
    with pytest.raises(ds.DissensusError) as caught:
        read()
    return str(caught.value)


def same_runs(runs: ds.Runs, expected: dict[str, dict[str, float]]) -> None:
    got = {
        topic: dict(zip(runs.ranking(runs.systems[0], topic), scores_of(runs, topic), strict=True))
        for topic in runs.topics
    }
    assert got == expected
    for topic, docs in expected.items():
        assert runs.ranking(runs.systems[0], topic) == ranked(docs)
        assert scores_of(runs, topic) == [docs[d] for d in ranked(docs)]


def scores_of(runs: ds.Runs, topic: str) -> list[float]:
    (segment,) = [s for s, t in enumerate(runs.segment_topic) if runs.topics[t] == topic]
    return runs.score[runs.bounds[segment] : runs.bounds[segment + 1]].tolist()


def same_judgments(judgments: ds.Judgments, expected: dict[tuple[str, str], str]) -> None:
    rows = judgments.to_frame().iter_rows()
    assert {(topic, doc): str(grade) for topic, doc, _, grade in rows} == expected


LINES = st.lists(
    st.tuples(
        st.sampled_from(["301", "302", "é7"]),
        st.sampled_from(["FT911-1", "FT911-2", "d", "LA041090-0148", "longer-than-sixteen-bytes", "ü"]),
        st.sampled_from(["12.5", "0.3333", "-1e-3", "7", "12.50", "1.7976931348623157e308", "0.30000000000000004"]),
        st.sampled_from(["tag", "a-longer-tag"]),
    ),
    min_size=1,
    max_size=9,
    unique_by=lambda line: line[:2],
)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(LINES, CHANGES, ENDS, st.sampled_from(["a.run", "a.gz"]))
@example([("301", "d", "1", "t")], [("insert", 0, b"\xef\xbb\xbf")], "\n", "a.run")
@QUICK
def test_runs(lines, changes, end, name):
    text = "".join(f"{t} Q0 {d} {i}\t{s}  {tag}{end}" for i, (t, d, s, tag) in enumerate(lines))
    data = changed(text.encode(), changes)
    path = written(data, name)
    try:
        expected = run(data)
    except Refused:
        assert str(path) in refused(lambda: ds.read_runs(path))
    else:
        same_runs(ds.read_runs(path), expected)


GRADED = st.lists(
    st.tuples(
        st.sampled_from(["301", "302"]),
        st.sampled_from(["FT911-1", "FT911-2", "d", "long-document-id", "ü"]),
        st.sampled_from(["0", "1", "2", "-1", "+1"]),
    ),
    min_size=1,
    max_size=9,
)


@given(GRADED, CHANGES, ENDS)
@QUICK
def test_qrels(lines, changes, end):
    data = changed("".join(f"{t} 0 {d} {g}{end}" for t, d, g in lines).encode(), changes)
    path = written(data, "gold.qrels")
    try:
        expected = qrels(data)
    except Refused:
        assert str(path) in refused(lambda: ds.read_judgments(path))
    else:
        same_judgments(ds.read_judgments(path), expected)


@given(GRADED, CHANGES, ENDS, st.sampled_from([",", "\t"]))
@example([("301", "d", "0")], [("insert", 16, b"\xef\xbb\xbf")], "\n", ",")
@QUICK
def test_tables(lines, changes, end, separator):
    rows = [("topic", "grade", "doc")] + [(t, g, d) for t, d, g in lines]
    data = changed("".join(separator.join(row) + end for row in rows).encode(), changes)
    path = written(data, "gold.csv" if separator == "," else "gold.tsv")
    first = data.partition(b"\n")[0].split(b"\t")
    if len(first) == 4 and first[3].strip().lstrip(b"+-").isdigit():
        return  # no header, but four columns and a grade: a qrels file with tabs
    try:
        read = table(data, separator)
        if any(set(row) != {"topic", "grade", "doc"} for row in read):
            return  # a column was renamed: its role is another test's business
        if any(not row[c] or any(ord(x) < 32 for x in row[c]) for row in read for c in ("topic", "doc")):
            raise Refused("an empty id, or one with a control character")
        expected = grades([(plain_id(row["topic"]), plain_id(row["doc"]), row["grade"]) for row in read])
    except Refused:
        assert str(path) in refused(lambda: ds.read_judgments(path))
    else:
        same_judgments(ds.read_judgments(path), expected)


@given(LINES, CHANGES)
@QUICK
def test_json_lines(lines, changes):
    text = "".join(f'{{"topic": "{t}", "doc": "{d}", "score": {s}}}\n' for t, d, s, _ in lines)
    data = changed(text.encode(), changes)
    path = written(data, "a.jsonl")
    try:
        expected: dict[str, dict[str, float]] = {}
        for row in objects(data):
            if set(row) != {"topic", "doc", "score"}:
                return
            ids = [row["topic"], row["doc"]]
            if any(isinstance(i, bool) or not isinstance(i, str | int) for i in ids):
                raise Refused("no id")
            topic, doc = (plain_id(str(i)) for i in ids)
            if any(not i or i != i.strip(" ") or any(ord(c) < 32 for c in i) for i in (topic, doc)):
                raise Refused("no id")
            if isinstance(row["score"], bool) or not isinstance(row["score"], str | int | float):
                raise Refused("no score")
            docs = expected.setdefault(topic, {})
            if doc in docs:
                raise Refused("twice")
            docs[doc] = finite(str(row["score"]).strip(" \t"))
    except Refused:
        assert str(path) in refused(lambda: ds.read_runs(path))
    else:
        same_runs(ds.read_runs(path), expected)


@given(st.binary(max_size=200), st.sampled_from(["a.run", "a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.gz"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_noise_is_refused(data, name):
    path = Path(tempfile.mkdtemp()) / name
    path.write_bytes(data)
    for read in (ds.read_runs, ds.read_judgments):
        refusal = ""
        try:
            read(path)
        except ds.DissensusError as error:
            refusal = str(error)
        assert str(path) in refusal or not refusal


@given(st.integers(0, 10**6), st.integers(0, 255), st.sampled_from(["cut", "flip"]))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_damaged_files(where, byte, how):
    folder = Path(tempfile.mkdtemp())
    runs = ds.Runs.from_dict({"s": {"q": {f"d{i}": float(i) for i in range(50)}}})
    for name in ("s.run.gz", "s.parquet"):
        runs.write(folder / name)
        data = bytearray((folder / name).read_bytes())
        at = where % len(data)
        if how == "cut" or name.endswith(".parquet"):  # a changed byte inside a Parquet file may go unnoticed
            data = data[:at]
        else:
            data[at] = byte
        (folder / name).write_bytes(bytes(data))
        refusal = ""
        try:
            got = ds.read_runs(folder / name)
        except ds.DissensusError as error:
            refusal = str(error)
        assert name in refusal or not refusal
        if not refusal:
            assert got.ids.strings() == runs.ids.strings()
