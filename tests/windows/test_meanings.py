"""Every column of every table that a verb returns has a meaning, and its docstring lists the tables and columns."""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from paths import ROOT
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.aliases import KEYWORDS, VERBS
from dissensus.audit.simulate import example_study, play
from dissensus.docstrings import sections
from dissensus.errors import InputError
from dissensus.results import Result
from dissensus.studies.generated.features import Shape, generate

EXAMPLES = ROOT / "examples"
UNKNOWN = "(not described)"


@cache
def runs() -> ds.Runs:
    return ds.read_runs(str(EXAMPLES / "runs" / "*"))


@cache
def labels() -> ds.Judgments:
    return ds.read_judgments(str(EXAMPLES / "labels.csv"))


def llm() -> ds.Judgments:
    return labels().select(assessors=["llm"])


def scores() -> Any:
    return ds.evaluate(runs(), llm(), "AP")


@cache
def features() -> Any:
    return generate(Shape(12, 20, 4, (0.6, 0.4)))


@cache
def clicked() -> ds.Clicks:
    rows = [(s, "q", r, 10.0 * s + i) for s in range(8) for i, r in enumerate((1, 2, 1, 3)[: 2 + s % 3])]
    return ds.Clicks.from_frame(pl.DataFrame(rows, schema=["session", "query", "rank", "time"], orient="row"))


@cache
def corrected() -> ds.Corrected:
    return ds.correct(runs(), llm(), ds.read_audit(str(EXAMPLES / "audit.csv")), "P@10")


@cache
def study() -> Path:
    place = Path(tempfile.mkdtemp()) / "study.db"
    play(example_study(place), {(f"q{q}", f"d{i}"): str(i % 2) for q in range(12) for i in range(9)}, most=5)
    return place


@cache
def preferred() -> ds.Preferences:
    rows = {
        "topic": ["q"] * 12, "doc_a": ["x", "y", "x"] * 4, "doc_b": ["y", "z", "z"] * 4,
        "assessor": ["ann"] * 6 + ["llm"] * 6, "answer": ["a", "a", "a", "b", "a", "a"] * 2,
    }  # fmt: skip
    return ds.Preferences.from_frame(pl.DataFrame(rows))


@cache
def sequence() -> ds.Plan:
    return ds.plan(runs(), llm(), measures="P@10", order=True, systems=("bm25", "dense"), budget=40)


def looked_at() -> Result:
    truth = ds.read_judgments(str(EXAMPLES / "truth.csv")).to_frame().select("topic", "doc", "grade")
    order = sequence().sample.drop("grade").head(40)
    graded = order.join(truth, on=["topic", "doc"], how="left").with_columns(pl.col("grade").fill_null(0)).sort("draw")
    return ds.sequential(runs(), llm(), ds.read_audit(graded, scale="0..3"), "P@10", systems=("bm25", "dense"))


#: every verb that returns a result, called so that it makes every table it can make
VERBS_ON_EXAMPLES: dict[str, list[Callable[[], Any]]] = {
    "agreement": [lambda: ds.agree(labels(), replicates=99)],
    "audit_status": [lambda: ds.audit_status(study())],
    "audit_export": [lambda: ds.audit_export(study()), lambda: ds.audit_export(study(), log=True)],
    "audit_import": [lambda: ds.audit_import(study(), [])],
    "merge": [lambda: ds.merge(labels(), "majority")],
    "disagreement": [lambda: ds.weights(labels())],
    "correct": [corrected],
    "compare": [lambda: ds.compare(scores(), "AP"), lambda: corrected().compare_all()],
    "correct_scores": [
        lambda: ds.correct_scores(ds.evaluate(runs(), labels(), "P@10"), "P@10", gold="ann", assessor="llm")
    ],
    "plan": [lambda: ds.plan(runs(), llm(), budget=40, measures="P@10"), sequence],
    "sequential": [looked_at],
    "ceiling": [lambda: ds.ceiling([1, 1, 0, 0], [[0.9, 0.1], [0.3, 0.7]], "P@2")],
    "check": [lambda: ds.check(runs(), llm())],
    "confusion": [lambda: ds.confusion(labels(), reference="ann", observed="llm")],
    "check_axioms": [lambda: ds.check_axioms("P@2", 3)],
    "gate": [lambda: ds.gate("bm25", "dense", None, "AP", tolerance=0.1, scores=scores())],
    "leaderboards": [lambda: ds.leaderboards(ds.evaluate(runs(), labels(), "AP"), replicates=20)],
    "replaceability": [lambda: ds.replaceability(labels(), "llm", ["ann", "ben", "cyd"])],
    "multiverse": [lambda: ds.multiverse(runs(), labels(), "AP", gold="ann", replicates=20)],
    "judges": [lambda: ds.judges(labels(), "ann", "llm", before="ben", human=["cyd", "dee"], runs=runs())],
    "noise": [lambda: ds.noise(llm(), levels=[0.1], replicates=2)],
    "pair_noise": [lambda: ds.pair_noise(llm(), ds.inject_noise(llm(), ds.Confusion.uniform(4, 0.2)))],
    "preferences": [lambda: ds.preferences(preferred(), gold="ann"), lambda: ds.preferences(preferred())],
    "balance": [lambda: ds.balance(["AP", "ERR"], length=20), lambda: ds.balance(["AP"], length=4, axioms=True)],
    "clicks": [lambda: ds.clicks(clicked(), replicates=2)],
    "compare_rates": [lambda: ds.compare_rates(*(ds.corrected_rate(p, 100, (70, 80), (67, 84)) for p in (0.6, 0.5)))],
    "convert": [lambda: ds.convert(str(EXAMPLES / "labels.csv"), Path(tempfile.mkdtemp()) / "data")],
    "train": [
        lambda: ds.train(features(), "PRank", measures=["AP"]),
        lambda: ds.train(features(), "PRank", measures=["AP"], folds=3),
    ],
    "robustness": [
        lambda: ds.robustness(features(), ["PRank"], levels=(0, 0.3), replicates=1, folds=3, measures=["AP"])
    ],
    "rank": [
        lambda: ds.rank(ds.train(features(), "PRank", measures=["AP"]).ranker, features()),
        lambda: ds.rank(ds.train(features(), "PRank", measures=["AP"]).ranker, features(), measures=["AP"]),
    ],
    "label": [lambda: ds.label({"q": ["a", "b", "c"]}, lambda topic, x, y: x < y, 2)],
    "top_k_labelling": [lambda: ds.top_k_labelling(["a", "b", "c"], lambda x, y: x < y, 2)],
    "experiment": [ds.experiment],
    "corrected_rate": [lambda: ds.corrected_rate(0.5, 100, relevant=(70, 80), nonrelevant=(67, 84))],
}  # fmt: skip


@cache
def results(verb: str) -> list[Result]:
    return [made() for made in VERBS_ON_EXAMPLES[verb]]


def test_every_verb_with_a_result_is_here() -> None:
    verbs = {n: f for n in ds.__all__ if n not in VERBS and inspect.isfunction(f := getattr(ds, n))}
    names = {n: str(inspect.signature(f).return_annotation).split("[")[0].split(" | ") for n, f in verbs.items()}
    kinds = {kind.__name__ for kind in subclasses(Result)}
    assert {n for n, returned in names.items() if kinds & {*returned}} == VERBS_ON_EXAMPLES.keys()


def subclasses(kind: type) -> Iterator[type]:
    for found in kind.__subclasses__():
        yield found
        yield from subclasses(found)


@pytest.mark.parametrize("verb", VERBS_ON_EXAMPLES)
def test_every_column_of_every_table_has_a_meaning(verb: str) -> None:
    tables = [(name, table) for result in results(verb) for name, table in result.tables.items()]
    silent = [
        f"{name}.{column.name}"
        for name, table in tables
        for column in table.columns.values()
        if column.meaning.endswith(UNKNOWN) or not column.title
    ]
    assert silent == []
    assert all(table.frame.columns == list(table.columns) for _, table in tables)


#: tables named after what was given, and those whose columns are (factors, judges, features of an experiment)
GIVEN = {"noise": {"uniform"}, "experiment": {"experiments"}}


@pytest.mark.parametrize("verb", VERBS_ON_EXAMPLES)
def test_the_docstring_lists_every_table_and_column(verb: str) -> None:
    listed = listed_tables(sections(getattr(ds, verb).__doc__)["Returns"])
    missing = []
    for result in results(verb):
        for name, table in result.tables.items():
            columns = listed.get(name)
            if columns is None:
                missing.append(name)
            elif not any(phrase("docstrings.column-for-each") in c for c in columns):
                missing += [f"{name}.{c}" for c in table.frame.columns if c not in columns]
    assert missing == []


def listed_tables(text: str) -> dict[str, list[str]]:
    """Table → columns of "- `pairs`, where …: a, b"."""
    found: dict[str, list[str]] = {}
    for entry in re.split(r"^\s*- ", text, flags=re.M)[1:]:
        head, _, columns = " ".join(entry.split()).partition(": ")
        for name in re.findall(r"`([^`]+)`", head):
            found.setdefault(name, []).extend(c.strip().rstrip(".") for c in columns.split(", "))
    return found


def test_names_of_02_are_the_same_verbs() -> None:
    assert all(getattr(ds, verb) is getattr(ds, name) for verb, name in VERBS.items())


@pytest.mark.parametrize(("verb", "old"), [(verb, old) for verb, table in KEYWORDS.items() for old in table])
def test_a_keyword_of_02_is_answered_with_the_new_one(verb: str, old: str) -> None:
    new = KEYWORDS[verb][old]
    with refused(InputError, f"{verb}() no longer takes {old}=.", new if " " in new else f"Write {new}="):
        getattr(ds, verb)([1, 0], **{old: 1})
