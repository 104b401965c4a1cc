"""Every verb that reads tables reads them as its options say: other names of columns, another separator, other grades.

Each verb answers twice: for plain files, and for files that hold the same rows in other words, which options name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import dissensus as ds
from dissensus.io.samples import generated_collection

pytestmark = pytest.mark.filterwarnings("ignore::dissensus.errors.DissensusWarning")
M = "P(rel=2)@5"
NOISE = ds.Confusion.uniform(4, 0.2)
SYSTEMS = ["bm25", "dense", "splade"]
#: a part of a table → what its column is called in the other files
NAMES = {
    "topic": "qid", "doc": "docno", "score": "points", "grade": "stars", "assessor": "who", "inclusion": "chance",
    "system": "engine", "doc_a": "left", "doc_b": "right", "answer": "better", "session": "sid", "rank": "place",
    "query": "words", "time": "clock",
}  # fmt: skip
GAPS = {"runs", "base", "new", "labels"}  # the other files of these have a row without a value
WORDS = {0: "none", 1: "some", 2: "much", 3: "all"}  # for ann's grades


def frames() -> dict[str, pl.DataFrame]:
    """The rows of the plain files."""
    made = generated_collection(seed=3, topics=6)
    runs = made.runs.to_frame().select("system", "topic", "doc", "score").filter(pl.col("system").is_in(SYSTEMS))
    runs = runs.group_by("system", "topic", maintain_order=True).head(15)
    labels = made.judgments.to_frame().select("topic", "doc", "assessor", "grade")
    labels = labels.filter(pl.col("assessor").is_in(["ann", "ben", "cyd", "llm"]))
    found = ds.evaluate(runs, labels, "AP")["AP"]
    scores = [
        (str(a), str(s), str(t), float(found.sel(assessor=a, system=s, topic=t)))
        for a in ("ann", "llm") for s in SYSTEMS for t in found.topic.values
    ]  # fmt: skip
    prefs = [("1", a, b, min(a, b), who) for who in ("x", "y") for a, b in zip("abcdab", "bcdacd", strict=True)]
    clicks = [(str(s), "q", 1 + (s + k) % 4, k) for s in range(12) for k in range(2)]
    order = ds.plan(runs, labels, measures=M, systems=("bm25", "dense"), assessor="llm", order=True).sample
    return {
        "runs": runs, "base": runs.filter(system="bm25"), "new": runs.filter(system="dense"), "labels": labels,
        "gold": labels.filter(assessor="ann").select("topic", "doc", "grade").with_columns(inclusion=pl.lit(1.0)),
        "order": order.join(labels.filter(assessor="ann").drop("assessor"), on=["topic", "doc"], how="left")
        .with_columns(pl.col("grade").fill_null(0)),
        "scores": pl.DataFrame(scores, schema=["assessor", "system", "topic", "AP"], orient="row"),
        "prefs": pl.DataFrame(prefs, schema=["topic", "doc_a", "doc_b", "answer", "assessor"], orient="row"),
        "clicks": pl.DataFrame(clicks, schema=["session", "query", "rank", "time"], orient="row"),
    }  # fmt: skip


def in_other_words(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of the other files: ann's grades are words, one label is there twice, rows at the end lack a value."""
    if name == "labels":
        grade = pl.when(assessor="ann").then(pl.col("grade").replace_strict(WORDS)).otherwise(pl.col("grade"))
        frame = frame.with_columns(grade.cast(pl.String))
        again = frame.filter(assessor="ben").head(1)
        again = again.with_columns(grade=pl.lit("3") if again["grade"][0] != "3" else pl.lit("0"))
        frame = pl.concat([frame, again, frame.tail(1).with_columns(pl.lit("no label").alias("doc"), grade=None)])
    elif name in GAPS:
        frame = pl.concat([frame, frame.tail(1).with_columns(pl.lit("no score").alias("doc"), score=None)])
    return frame.rename({c: NAMES[c] for c in frame.columns if c in NAMES})


class Files:
    """`files("labels")` is the path of a table, `files.read` the options that say how it is to be read."""

    def __init__(self, folder: Path, tables: dict[str, pl.DataFrame], other: bool) -> None:
        self.folder, self.tables, self.other = folder, tables, other
        for name, frame in tables.items():
            rows = in_other_words(name, frame) if other else frame
            rows.write_csv(self(name), separator=";" if other else ",")

    def __call__(self, name: str) -> str:
        return str(self.folder / f"{name}.csv")

    def ask(self, verb: Callable[..., Any], *given: Any, **asked: Any) -> Any:
        """The verb's answer, told how these files are to be read."""
        stems = {Path(path).stem for path in given if str(path).endswith(".csv")}
        there = {column for stem in stems for column in self.tables[stem].columns}
        options: dict[str, Any] = {"columns": {c: name for c, name in NAMES.items() if c in there}, "separator": ";"}
        if stems & GAPS:
            options["missing"] = "skip"
        if "labels" in stems:
            options |= {"repeated": "first", "map": {"ann": {word: grade for grade, word in WORDS.items()}}}
        return verb(*given, **asked, **(options if self.other else {}))


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.DataFrame]:
    return frames()


Asked = Callable[[Files], Any]


def _labels(verb: Callable[..., Any], **asked: Any) -> Asked:
    return lambda files: files.ask(verb, files("labels"), **asked)


def _scored(verb: Callable[..., Any], *given: Any, **asked: Any) -> Asked:
    return lambda files: files.ask(verb, files("runs"), files("labels"), *given, **asked)


def _one(verb: Callable[..., Any], name: str, *given: Any, **asked: Any) -> Asked:
    return lambda files: files.ask(verb, files(name), *given, **asked)


ASKED: dict[str, Asked] = {
    "agree": _labels(ds.agree, replicates=99),
    "agreement": _labels(ds.agreement, replicates=99),
    "confusion": _labels(ds.confusion, reference="ann", observed="llm"),
    "disagreement": _labels(ds.disagreement),
    "weights": _labels(ds.weights),
    "merge": _labels(ds.merge, method="majority"),
    "inject_noise": _labels(ds.inject_noise, confusion=NOISE),
    "noise": _labels(ds.noise, levels=[0.1], replicates=2),
    "replaceability": _labels(ds.replaceability, judge="llm", humans=["ann", "ben", "cyd"]),
    "ceiling": _labels(ds.ceiling, confusion=NOISE, assessor="ann", measures="nDCG@5", method="simulate", replicates=5),
    "judges": _labels(ds.judges, gold="ann"),
    "read_judgments": _labels(ds.read_judgments),
    "pair_noise": lambda files: files.ask(ds.pair_noise, files("labels"), files("labels")),
    "evaluate": _scored(ds.evaluate, M),
    "score_partition": lambda files: ds.combine([files.ask(ds.score_partition, files("runs"), files("labels"), M)]),
    "aware": _scored(ds.aware, "AP", replicates=5),
    "multiverse": _scored(ds.multiverse, M, replicates=5),
    "plan": _scored(ds.plan, measures=M, budget=30, assessor="llm"),
    "correct": lambda files: files.ask(
        ds.correct, files("runs"), files("labels"), files("gold"), M, assessor="llm"
    ),
    "sequential": lambda files: files.ask(
        ds.sequential, files("runs"), files("labels"), files("order"), M, ("bm25", "dense"), "llm"
    ),
    "gate": lambda files: files.ask(
        ds.gate, files("base"), files("new"), files("labels"), measures=M, tolerance=0.1, assessor="llm"
    ),
    "compare": _one(ds.compare, "scores", "AP", assessor="ann"),
    "correct_scores": _one(ds.correct_scores, "scores", "AP", gold="ann"),
    "leaderboards": _one(ds.leaderboards, "scores", "AP", replicates=5),
    "read_scores": _one(ds.read_scores, "scores"),
    "read_runs": _one(ds.read_runs, "base"),
    "read_audit": _one(ds.read_audit, "gold"),
    "preferences": _one(ds.preferences, "prefs"),
    "read_preferences": _one(ds.read_preferences, "prefs"),
    "clicks": _one(ds.clicks, "clicks"),
    "read_clicks": _one(ds.read_clicks, "clicks"),
}  # fmt: skip
#: these draw charts for seconds, keep rows as they are, or say how files differ: tests/cli/inputs and tests/io ask them
ELSEWHERE = {"report", "figures", "write_report", "write_figures", "convert", "check", "experiment"}


def values(answer: Any) -> Any:
    """What an answer holds, comparable."""
    if hasattr(answer, "data_vars"):
        return {name: np.nan_to_num(part.values, nan=-1).tolist() for name, part in answer.data_vars.items()}
    if hasattr(answer, "tables"):
        return {name: repr(table.frame.rows()) for name, table in answer.tables.items()}
    return repr(answer.to_frame().rows()) if hasattr(answer, "to_frame") else repr(answer)


def test_every_verb_that_reads_tables_is_asked() -> None:
    verbs = {n: f for n in ds.__all__ if inspect.isfunction(f := getattr(ds, n))}
    assert {n for n, f in verbs.items() if "columns" in inspect.signature(f).parameters} - ELSEWHERE == set(ASKED)


@pytest.mark.parametrize("name", ASKED)
def test_tables_in_other_words_give_the_same(tmp_path: Path, tables: dict[str, pl.DataFrame], name: str) -> None:
    answers = []
    for other in (False, True):  # one folder: some answers name their files
        answers.append(values(ASKED[name](Files(tmp_path, tables, other))))
    assert answers[1] == answers[0]
