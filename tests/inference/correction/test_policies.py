"""Corrected scores follow `evaluate`'s policies where they can, and refuse the others in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.measures.policies import CHOICES


@pytest.fixture(scope="module")
def study() -> tuple[ds.Runs, ds.Judgments, ds.Judgments]:
    """Three systems with tied scores, a topic that one of them lacks, unlabelled documents; gold for every label."""
    rng = np.random.default_rng(5)
    runs: dict[str, dict[str, dict[str, float]]] = {
        s: {f"q{q}": {f"d{d}": float(rng.integers(3)) for d in rng.permutation(9)[:6]} for q in range(8)} for s in "ABC"
    }
    del runs["B"]["q3"]
    truth = {f"q{q}": {f"d{d}": int(rng.integers(2)) for d in range(7)} for q in range(8)}
    noisy = {q: {d: int(g if rng.random() > 0.2 else 1 - g) for d, g in docs.items()} for q, docs in truth.items()}
    return ds.Runs.from_dict(runs), ds.Judgments.from_dict({"llm": noisy}), ds.Judgments.from_dict({"gold": truth})


FOLLOWED: list[dict[str, Any]] = [
    {},
    {"topics": "shared"},
    {"unjudged": "condense"},
    {"ties": "expected"},
    {"ties": "expected", "topics": "shared"},
    {"unjudged": "condense", "topics": "shared", "empty": "zero"},
]


@pytest.mark.parametrize("policies", FOLLOWED, ids=str)
def test_a_complete_audit_gives_the_scores_of_gold_under_the_same_policies(
    study: tuple[ds.Runs, ds.Judgments, ds.Judgments], policies: dict[str, Any]
) -> None:
    runs, llm, gold = study
    for name in ("P@3", "RBP(p=0.5)"):
        result = ds.correct(runs, llm, ds.Audit(gold, np.ones(len(gold))), name, **policies).table
        for column, labels in (("naive", llm), ("corrected", gold)):
            expected = ds.evaluate(runs, labels, name, **policies)[name][0].mean("topic")
            got = dict(zip(result["system"], result[column], strict=True))
            for system in runs.systems:
                assert got[system] == pytest.approx(float(expected.sel(system=system)), abs=1e-12), (name, column)


VERBS: dict[str, Any] = {
    "correct": lambda runs, llm, gold, measure, policies: ds.correct(runs, llm, gold, measure, **policies),
    "plan": lambda runs, llm, gold, measure, policies: ds.plan(runs, llm, measures=measure, **policies),
}


@pytest.mark.parametrize("verb", list(VERBS))
@pytest.mark.parametrize(
    ("policies", "measure"),
    [
        ({"topics": "own"}, "P@3"),
        ({"unjudged": "bounds"}, "P@3"),
        ({"ties": "expected"}, "AP"),
        ({"empty": "zero"}, "AP"),
        ({"topics": "nonsense"}, "P@3"),
    ],
    ids=str,
)
def test_what_cannot_be_followed_is_refused_and_named(
    study: tuple[ds.Runs, ds.Judgments, ds.Judgments], verb: str, policies: dict[str, Any], measure: str
) -> None:
    runs, llm, gold = study
    ((policy, value),) = policies.items()
    with refused(InputError, f'{policy}="{value}"'):
        VERBS[verb](runs, llm, gold, measure, policies)


def test_a_plan_follows_the_policies_and_its_command_says_so(
    study: tuple[ds.Runs, ds.Judgments, ds.Judgments],
) -> None:
    runs, llm, _ = study
    plan = ds.plan(runs, llm, budget=20, measures="P@3", topics="shared", ties="expected")
    assert "q3" not in plan.everyone["topic"].to_list()
    assert "--topics shared" in plan.design
    assert "--ties expected" in plan.design
    with refused(InputError, 'topics="shared"'):
        ds.plan(runs, llm, measures="P@3", topics="shared", order=True)


@pytest.mark.parametrize("policy", [p for p in CHOICES if p != "unjudged"])
def test_aware_takes_the_policies_too(study: tuple[ds.Runs, ds.Judgments, ds.Judgments], policy: str) -> None:
    runs, llm, _ = study
    followed = {"topics": "shared", "ties": "trec", "empty": "zero"}[policy]
    value = {"topics": "own", "ties": "expected", "empty": "skip"}[policy]
    scores = ds.aware(runs, llm, "AP", "uni", replicates=1, **{policy: followed})  # type: ignore[arg-type]
    assert ("q3" in scores["topic"].values) == (policy != "topics")
    with refused(InputError, f'{policy}="{value}"'):
        ds.aware(runs, llm, "AP", "uni", replicates=1, **{policy: value})  # type: ignore[arg-type]


def test_a_gate_with_an_audit_follows_the_policies(study: tuple[ds.Runs, ds.Judgments, ds.Judgments]) -> None:
    runs, llm, gold = study
    pair = [runs.select(systems=[s]) for s in "AB"]
    audit = ds.Audit(gold, np.ones(len(gold)))
    everywhere, shared = (
        ds.gate(*pair, llm, "P@3", tolerance=0.1, audit=audit, topics=t) for t in ("judged", "shared")
    )
    assert (everywhere.topics, shared.topics) == (8, 7)
