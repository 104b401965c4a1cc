"""Characters that nobody sees make no topics, documents, judges, grades or columns, whichever reader meets them."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.io.documents import read_documents
from dissensus.io.topic_texts import read_topic_texts

MARKS = ["\ufeff", "\u200b", "\x85", "\u2028", "\u2060", "\xad", "\u202e"]
RUN = "".join(f"{t} Q0 d{i} {i} {10 - i}.0 tag\n" for t in "12" for i in range(3))
QRELS = "".join(f"{t} 0 d{i} {i % 2}\n" for t in "12" for i in range(3))
CSV = "topic,doc,assessor,grade\n1,d1,ann,no\n1,d2,ann,yes\n"
READERS = {
    "run": (ds.read_runs, "a.run", RUN + "@3 Q0 d1 1 1.0 tag\n"),
    "document of a run": (ds.read_runs, "a.run", RUN.replace("d2", "d@2")),
    "qrels": (ds.read_judgments, "a.qrels", QRELS + "@3 0 d1 1\n"),
    "csv": (ds.read_judgments, "a.csv", CSV + "1,d@3,ann,no\n"),
    "judge": (ds.read_judgments, "a.csv", CSV + "1,d3,an@n,no\n"),
    "grade": (ds.read_judgments, "a.csv", CSV + "1,d3,ann,n@o\n"),
    "column": (ds.read_judgments, "a.csv", CSV.replace("assessor", "asses@sor")),
    "inclusion": (ds.read_audit, "a.csv", "topic,doc,grade,inclu@sion\n1,d1,1,0.5\n1,d2,0,0.5\n"),
    "key": (ds.read_judgments, "a.jsonl", '{"topic":"1","doc":"d1","asses@sor":"a","grade":1}\n'),
    "value": (ds.read_judgments, "a.jsonl", '{"topic":"1","doc":"d@1","assessor":"a","grade":1}\n'),
    "nested": (ds.read_judgments, "a.json", '{"1":{"d1":1,"d@2":0}}'),
    "preferences": (ds.read_preferences, "p.csv", "topic,doc_a,doc_b,assessor,answer\n1,a@x,b,x,a\n"),
    "clicks": (ds.read_clicks, "c.csv", "session,query,rank,time\n1,q,1,1\n2,q@1,1,2\n"),
    "session log": (ds.read_clicks, "c.tsv", "1\t0\tQ\tq@1\t5\tu1\tu2\n1\t3\tC\tu1\n"),
    "scores": (ds.read_scores, "s.csv", "system,topic,measure,value\na,1@2,AP,0.5\n"),
    "trec_eval": (ds.read_scores, "s.txt", "map 1 0.5\nmap 3@4 0.5\n"),
    "features": (ds.read_features, "l.txt", "1 qid:1 1:0.5 # d1\n0 qid:2@3 1:0.5 # d2\n"),
    "topics": (read_topic_texts, "t.tsv", "1\tx\n2@3\ty\n"),
    "texts": (lambda path: read_documents([path], {"d1"}), "d.csv", "doc,text\nd1,x\nd@2,y\n"),
    "lines of texts": (lambda path: read_documents([path], {"d1"}), "d.jsonl", '{"doc":"d@1","text":"x"}\n'),
}


@pytest.mark.parametrize("what", READERS)
def test_no_reader_takes_one(tmp_path, what: str) -> None:
    read, name, text = READERS[what]
    read(file(tmp_path, name, text.replace("@", "")))
    for mark in MARKS:
        with refused(ds.DissensusError, name):
            read(file(tmp_path, name, text.replace("@", mark)))


def test_nor_do_the_kernels(tmp_path) -> None:
    rows = 60_000
    lines = "".join(f"{t} Q0 d{i} {i} {rows - i}.0 é\n" for t in range(60) for i in range(rows // 60))
    frame = pl.DataFrame({"system": "a", "topic": "é", "doc": [f"d{i}" for i in range(rows)], "score": 1.0})
    for mark in MARKS[:2]:
        with refused(ds.DissensusError, f"a.run:{rows + 1}"):
            ds.read_runs(file(tmp_path, "a.run", f"{lines}{mark}77 Q0 d1 1 1.0 é\n"))
        odd = frame.with_columns(pl.col("doc").str.replace("d599$", f"d5{mark}99"))
        for one in (odd, odd.cast({"doc": pl.Categorical})):
            with refused(ds.DissensusError, "row 600"):
                ds.Runs.from_frame(one)
    assert ds.read_runs(file(tmp_path, "a.run", lines)).systems == ("a",)
