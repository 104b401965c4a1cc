"""Replacement and swap: known verdicts, and counterexamples that really are ones."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, MeasureError
from dissensus.measures.families.markov import MODELS

SOUND = ["P@10", "R@10", "Rprec", "AP", "nDCG", "nDCG@3", "DCG@5", "RBP(p=0.8)", "ERR", "RR", "Bpref", "GAP", "ESL"]


@pytest.mark.parametrize("name", SOUND)
def test_utility_oriented_measures(name: str) -> None:
    assert ds.check_axioms(name, 5, "0..1").utility_oriented
    assert ds.check_axioms(name, 3, "0..2").utility_oriented


@pytest.mark.parametrize("model", MODELS)
def test_plain_markov_precision_breaks_replacement(model: str) -> None:
    check = ds.check_axioms(f"MP(model='{model}')", 4, "0..1")
    assert not check.utility_oriented
    found = check.replacement
    assert found is not None
    assert (found.worse, found.better) == ((1, 0, 0, 0), (1, 0, 0, 1))
    assert found.score_better == pytest.approx(0.75)
    m = ds.measure(check.measure)
    assert m.score(found.better) < m.score(found.worse)
    assert ds.order(found.worse, found.better) == "<"
    assert ds.check_axioms(f"MP(model='{model}', rec=True)", 4, "0..1").utility_oriented


def test_local_walks_break_swap_even_with_recall() -> None:
    """The two ends of the page have one neighbour, half the weight: moving a document up from the end can cost."""
    check = ds.check_axioms("MP(model='LO_AD_ID', rec=True)", 6, "0..1")
    assert check.replacement is None
    assert check.swap is not None
    assert (check.swap.worse, check.swap.better) == ((1, 0, 0, 0, 0, 1), (1, 0, 0, 0, 1, 0))
    assert (check.swap.score_worse, check.swap.score_better) == pytest.approx((2 / 9, 0.2))
    assert phrase("theory-axioms.swap-broken-pairs", 4, 240) in str(check)


def test_random_check_finds_the_violation_too() -> None:
    check = ds.check_axioms("MP(model='GL_AD_ID')", 40, "0..3", replicates=300, seed=1)
    assert not check.exhaustive
    assert check.replacement is not None
    assert check == ds.check_axioms("MP(model='GL_AD_ID')", 40, "0..3", replicates=300, seed=1)
    sound = ds.check_axioms("nDCG@10", 40, "0..3", replicates=300)
    assert sound.utility_oriented
    assert phrase("theory-axioms.showed-no-violation-random", 300) in str(sound)


def test_a_measure_of_ones_own() -> None:
    @dataclass(frozen=True)
    class Upside(ds.Linear):
        """Weights that rise with the rank."""

        def weights(self, n: int) -> np.ndarray:
            return np.arange(1.0, n + 1)

    check = ds.check_axioms(Upside(), 3)
    assert check.replacement is None
    assert check.swap is not None
    assert check.swap.worse == (0, 0, 1)


def test_fixed_number_of_relevant_documents() -> None:
    check = ds.check_axioms("AP", 4, relevant=2)
    assert check.runs == 1 + 4 + 6
    assert check.relevant == 2
    assert check.utility_oriented


def test_results_in_all_forms() -> None:
    check = ds.check_axioms("MP(model='LO_OR_ID')", 4)
    frame = check.to_frame()
    assert frame["property"].to_list() == ["replacement", "swap"]
    assert frame["holds"].to_list() == [False, True]
    assert frame["worse"][0] == "1 0 0 0"
    assert json.loads(check.to_json())["utility_oriented"] is False


def test_what_cannot_be_checked() -> None:
    with refused(InputError, "length=0"):
        ds.check_axioms("AP", 0)
    with refused(InputError, "relevant=0"):
        ds.check_axioms("AP", 3, relevant=0)
    with refused(MeasureError, "Nope"):
        ds.check_axioms("Nope", 3)


def test_a_scale_of_one_grade_gives_no_verdict() -> None:
    with refused(InputError, 0, options=["scale"]):
        ds.check_axioms("AP", 4, scale="0..x")
