"""Inclusion probabilities of documents that were not chosen: nobody wrote them down, and variances need them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from audited_study import study

import dissensus as ds
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.rectified import odds_of_the_others, rectify, smooth_audit_covariance
from dissensus.inference.correction.weights import Weights, weights_of


@pytest.fixture(scope="module")
def everything() -> tuple[Design, Weights]:
    """30 topics of 40 documents and three systems of ten; every document has a gold label."""
    runs, bronze, gold = study(30, pool=40)
    design = lay_out(runs, bronze, ds.Audit(gold, np.ones(len(gold))))
    return design, weights_of(ds.measure("P@10"), design.joined, design.gold_scale)


def audits(design: Design, pi: np.ndarray, n: int) -> list[Design]:
    rng = np.random.default_rng(3)
    chosen = (rng.random(len(pi)) < pi for _ in range(n))
    return [replace(design, gold=np.where(c, design.gold, -1), inclusion=np.where(c, pi, np.nan)) for c in chosen]


@pytest.mark.parametrize("by", ["document", "topic", "nothing"])
def test_unequal_probabilities_that_no_weight_explains_are_not_taken_for_the_likely_ones(
    everything: tuple[Design, Weights], by: str
) -> None:
    design, weights = everything
    odd = {"document": np.arange(len(design.gold)), "topic": design.topic, "nothing": np.ones(len(design.gold))}[by] % 2
    pi = np.where(odd > 0, 0.5, 0.1)
    ratio = []
    for audit in audits(design, pi, 20):
        labels = audit.labels(np.array([0.0, 1.0]))
        residual = rectify(weights, labels).residual
        known = smooth_audit_covariance(weights, labels, residual, pi)
        guessed = smooth_audit_covariance(weights, labels, residual, audit.everyones_inclusion(weights))
        ratio.append(np.diag(guessed) / np.diag(known))
    assert np.mean(ratio) == pytest.approx(1, abs=0.12)  # the plain nearest one gives 0.4 to 0.6


def test_the_odds_of_the_others_are_those_of_documents_near_them() -> None:
    pull = np.repeat([0.0, 1.0], 20)
    pi = np.repeat([0.1, 0.5], 20)
    assert odds_of_the_others(pi, pull, np.array([0.0, 0.1, 0.9, 5.0])) == pytest.approx([9, 9, 1, 1])


def test_few_documents_are_all_asked() -> None:
    assert odds_of_the_others(np.array([0.5, 0.1]), np.array([0.0, 1.0]), np.array([0.0])) == pytest.approx([82 / 10])


def test_documents_like_those_that_were_certain_have_no_odds_against_them() -> None:
    assert odds_of_the_others(np.ones(3), np.zeros(3), np.zeros(2)).tolist() == [0, 0]
