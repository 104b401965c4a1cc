"""The result of merging: tables, confusions and JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from crowds import crowd, good

from dissensus.judging.merging.api import merge
from dissensus.judging.merging.result import Confusions, calibration_error, check_with_gold
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

COUNTS = np.array([[[3.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [2.0, 6.0]]])


def test_confusions_are_built_from_counts() -> None:
    plain = Confusions(("ann", "bob"), COUNTS, Scale.range(0, 1), 0.0)
    assert list(plain) == ["ann", "bob"]
    assert plain["bob"].matrix.tolist() == [[0.5, 0.5], [0.25, 0.75]]
    assert plain["ann"].unknown == ("1",)
    smooth = Confusions(("ann", "bob"), COUNTS, Scale.range(0, 1), 1.0)
    assert smooth["ann"].matrix.tolist() == [[4 / 6, 2 / 6], [0.5, 0.5]]
    frame = smooth.to_frame()
    cell = frame.filter((frame["assessor"] == "bob") & (frame["reference"] == "1") & (frame["observed"] == "0"))
    assert cell.row(0)[3:] == (pytest.approx(3 / 10), 2.0)


def test_probabilities_by_document_and_grade() -> None:
    judgments = Judgments.from_dict({"a": {1: {"x": 0, "y": 2}}, "b": {1: {"x": 2, "y": 2}}}, scale="0..2")
    merged = merge(judgments, ties="higher")
    assert merged.posterior.rows() == [
        ("1", "x", 0, 0.5), ("1", "x", 1, 0.0), ("1", "x", 2, 0.5),
        ("1", "y", 0, 0.0), ("1", "y", 1, 0.0), ("1", "y", 2, 1.0),
    ]  # fmt: skip
    named = merge(Judgments.from_dict({"a": {1: {"x": "Key"}}}, scale=("Non", "Key")))
    assert named.posterior["grade"].to_list() == ["Non", "Key"]


def test_text_and_json_say_what_was_merged() -> None:
    merged = merge(crowd(np.arange(60) % 2, [good(2, a) for a in (0.9, 0.8, 0.7)], None, seed=1), "em-mv", temper=False)
    content = json.loads(merged.to_json())
    assert (content["method"], content["converged"], content["rounds"]) == ("em-mv", True, merged.rounds)
    assert len(content["tables"]["labels"]) == 60
    assert merged.notes[0].startswith("em-mv: 60 documents (0: ")


def test_by_hand() -> None:
    posterior = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.0, 0.0]])
    level, truth = np.array([0, 0, 1, -1]), np.array([0, 1, 1, 1])
    found = check_with_gold(posterior, level, truth)
    assert found is not None
    assert found.n == 3
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.claimed == pytest.approx((0.9 + 0.6 + 0.8) / 3)
    assert found.log_loss == pytest.approx(-np.log([0.9, 0.4, 0.8]).mean())
    assert found.ece == pytest.approx((0.1 + 0.6 + 0.2) / 3)
    assert check_with_gold(posterior, level, None) is None
    assert check_with_gold(posterior, level, np.full(4, -1)) is None


def test_calibrated_claims_have_no_error() -> None:
    rng = np.random.default_rng(0)
    claim = rng.uniform(0.5, 1, 40_000)
    assert calibration_error(claim, rng.random(40_000) < claim) < 0.01
