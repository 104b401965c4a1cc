"""Every column of every table that a verb returns has a meaning."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from paths import ROOT
from refusals import refused

import dissensus as ds
from dissensus.aliases import KEYWORDS, VERBS
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
def corrected() -> ds.Corrected:
    return ds.correct(runs(), llm(), ds.read_audit(str(EXAMPLES / "audit.csv")), "P@10")


VERBS_ON_EXAMPLES: dict[str, Callable[[], Result]] = {
    "agree": lambda: ds.agree(labels(), replicates=99),
    "merge": lambda: ds.merge(labels(), "majority"),
    "weights": lambda: ds.weights(labels()),
    "correct": corrected,
    "compare": lambda: corrected().compare_all(),
    "plan": lambda: ds.plan(runs(), llm(), budget=40, measures="P@10"),
    "ceiling": lambda: ds.ceiling([1, 1, 0, 0], [[0.9, 0.1], [0.3, 0.7]], "P@2"),
    "check": lambda: ds.check(runs(), llm()),
    "confusion": lambda: ds.confusion(labels(), reference="ann", observed="llm"),
    "check_axioms": lambda: ds.check_axioms("P@2", 3),
    "gate": lambda: ds.gate("bm25", "dense", None, "AP", tolerance=0.1, scores=scores()),
    "leaderboards": lambda: ds.leaderboards(ds.evaluate(runs(), labels(), "AP"), replicates=20),
    "replaceability": lambda: ds.replaceability(labels(), "llm", ["ann", "ben", "cyd"]),
    "multiverse": lambda: ds.multiverse(runs(), labels(), "AP", replicates=20),
    "judges": lambda: ds.judges(labels(), "ann"),
    "noise": lambda: ds.noise(llm(), levels=[0.1], replicates=2),
    "pair_noise": lambda: ds.pair_noise(llm(), ds.inject_noise(llm(), ds.Confusion.uniform(4, 0.2))),
    "balance": lambda: ds.balance(["AP", "ERR"], length=20),
    "train": lambda: ds.train(features(), "PRank", measures=["AP"]),
    "robustness": lambda: ds.robustness(features(), ["PRank"], levels=(0, 0.3), replicates=1, folds=3),
    "rank": lambda: ds.rank(ds.train(features(), "PRank", measures=["AP"]).ranker, features()),
    "label": lambda: ds.label({"q": ["a", "b", "c"]}, lambda topic, x, y: x < y, 2),
    "experiment": ds.experiment,
    "corrected_rate": lambda: ds.corrected_rate(0.5, 100, relevant=(70, 80), nonrelevant=(67, 84)),
}


@pytest.mark.parametrize("verb", VERBS_ON_EXAMPLES)
def test_every_column_of_every_table_has_a_meaning(verb: str) -> None:
    result = VERBS_ON_EXAMPLES[verb]()
    silent = [
        f"{name}.{column.name}"
        for name, table in result.tables.items()
        for column in table.columns.values()
        if column.meaning.endswith(UNKNOWN) or not column.title
    ]
    assert silent == []
    assert all(table.frame.columns == list(table.columns) for table in result.tables.values())


def test_names_of_02_are_the_same_verbs() -> None:
    assert all(getattr(ds, verb) is getattr(ds, name) for verb, name in VERBS.items())


@pytest.mark.parametrize(("verb", "old"), [(verb, old) for verb, table in KEYWORDS.items() for old in table])
def test_a_keyword_of_02_is_answered_with_the_new_one(verb: str, old: str) -> None:
    new = KEYWORDS[verb][old]
    with refused(InputError, f"{verb}() no longer takes {old}=.", new if " " in new else f"Write {new}="):
        getattr(ds, verb)([1, 0], **{old: 1})
