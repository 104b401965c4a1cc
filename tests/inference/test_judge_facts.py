"""What an audit says about its judge: weighted shares that cover, and favourites with their size."""

from __future__ import annotations

import numpy as np
import pytest
from paths import ROOT
from wording import phrase

import dissensus as ds
from dissensus.inference.judge_facts import hajek
from dissensus.stats.sampling import fixed_size

EXAMPLES = ROOT / "examples"


def test_shares_are_weighted_and_cover() -> None:
    """Documents that are likely to be chosen are those the judge errs on: the plain share is far off."""
    rng = np.random.default_rng(0)
    right = (rng.random(4000) < np.linspace(0.95, 0.4, 4000)).astype(float)
    truth, held, plain = right.mean(), 0, []
    pi = np.linspace(0.01, 0.2, 4000)
    for _ in range(300):
        at = fixed_size(pi, rng)
        share = hajek(right[at], pi[at])
        held += share.low <= truth <= share.high
        plain.append(right[at].mean())
    assert np.mean(plain) < truth - 0.08
    assert 0.92 <= held / 300 <= 0.99


def test_a_census_is_known_and_an_end_has_no_interval() -> None:
    everyone = hajek(np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4))
    assert (everyone.value, everyone.low, everyone.high) == (0.75, 0.75, 0.75)
    alike = hajek(np.ones(30), np.full(30, 0.2))
    assert alike.value == 1.0
    assert np.isnan(alike.low)


def test_the_example_judge_favours_the_reranker() -> None:
    runs, labels = ds.read_runs(EXAMPLES / "runs/*"), ds.read_judgments(EXAMPLES / "labels.csv")
    found = ds.correct(runs, labels, ds.read_audit(EXAMPLES / "audit.csv"), ["P(rel=2)@10"], assessor="llm").judge
    assert found is not None
    truth = (
        ds.read_judgments(EXAMPLES / "truth.csv")
        .to_frame()
        .join(labels.select(assessors=["llm"]).to_frame(), on=["topic", "doc"])
    )
    right = float((truth["grade"] == truth["grade_right"]).mean())  # type: ignore[arg-type]
    assert found.same.low < right < found.same.high
    assert found.same.value + found.higher.value + found.lower.value == pytest.approx(1)
    assert found.favourites is not None
    assert [f.systems for f in found.favourites] == [("llm-rerank",), ("llm-rewrite",)]
    assert found.favourites[0].size == pytest.approx(0.214, abs=1e-3)
    assert phrase("judge-facts.too-generous", "llm-rerank", "0.21") in found.favour
    assert found.of in found.agreement
