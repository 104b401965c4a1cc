"""Assessors who look random, lazy or contrary."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good
from label_matrices import from_matrix

import dissensus as ds
from dissensus.errors import Note
from dissensus.judging.agreement.api import agreement
from dissensus.judging.agreement.flags import assessor_frame
from dissensus.judging.label_table import labels


def test_suspects_are_found() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, 600)
    coin, lazy = np.full((3, 3), 1 / 3), np.tile([1.0, 0, 0], (3, 1))
    contrary = np.array([[0.05, 0.15, 0.8], [0.45, 0.1, 0.45], [0.8, 0.15, 0.05]])
    j = crowd(truth, [good(3, 0.8)] * 6 + [coin, lazy, contrary], 5, seed=12, topics=20)
    people = agreement(j, replicates=99).assessors
    looks = dict(zip(people["assessor"], people["looks"], strict=True))
    assert looks == {**{f"w{k}": "" for k in range(6)}, "w6": "random", "w7": "lazy", "w8": "contrary"}


def test_kappa_with_the_others_is_the_loop_over_documents() -> None:
    rng = np.random.default_rng(2)
    matrix = rng.integers(0, 3, (50, 4))
    matrix[rng.random(matrix.shape) < 0.3] = -1
    judgments = from_matrix(matrix, "0..2")
    frame = assessor_frame(labels(judgments).first(), judgments.assessors)
    for k, row in enumerate(frame.rows(named=True)):
        agree, own, others = [], np.zeros(3), np.zeros(3)
        for document in matrix:
            rest = [g for j, g in enumerate(document) if j != k and g >= 0]
            if document[k] >= 0 and rest:
                share = np.bincount(rest, minlength=3) / len(rest)
                agree.append(share[document[k]])
                own[document[k]] += 1
                others += share
        n = len(agree)
        chance = float(own / n @ (others / n))
        assert row["shared"] == n
        assert row["kappa"] == pytest.approx((np.mean(agree) - chance) / (1 - chance), abs=1e-12)
        assert row["looks"] in ("", "random")


def test_few_documents_allow_no_verdict() -> None:
    judgments = from_matrix(np.array([[0, 1], [1, 0], [0, 1]]), "0..1")
    assert assessor_frame(labels(judgments).first(), judgments.assessors)["looks"].to_list() == ["too few labels"] * 2


def test_a_binary_judge_beside_a_graded_one_is_named():
    rng = np.random.default_rng(0)
    graded = {f"q{t}": {f"d{d}": int(rng.integers(4)) for d in range(20)} for t in range(5)}
    binary = {t: {d: int(g >= 2) for d, g in docs.items()} for t, docs in graded.items()}
    found = ds.agreement(ds.Judgments.from_dict({"graded": graded, "bin": binary}, scale="0..3"))
    (note,) = [n for n in found.notes if isinstance(n, Note) and n.kind == "agreement.unused-grades"]
    high = sum(g >= 2 for docs in graded.values() for g in docs.values())
    assert note.values == {"assessor": "bin", "grades": "2 or 3", "given": high, "shared": 100}
    same = ds.agreement(ds.Judgments.from_dict({"graded": graded, "other": graded}, scale="0..3"))
    assert not any(isinstance(n, Note) and n.kind == "agreement.unused-grades" for n in same.notes)
