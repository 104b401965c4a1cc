"""On the generated collection the correction finds the truth that the naive score misses."""

from __future__ import annotations

import numpy as np
import pytest
from wording import phrase

from dissensus.io.samples import generated_collection
from dissensus.studies.generated.judged_truth import against_truth, summary


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_naive_is_fooled_and_corrected_is_not(seed: int) -> None:
    frame = against_truth(generated_collection(seed=seed), "P(rel=2)@10", assessor="llm")
    assert frame["system"][0] == "crossenc"
    assert frame.sort("naive", descending=True)["system"][0] == "llm-rerank"
    assert frame.sort("corrected", descending=True)["system"][0] == "crossenc"
    error = {c: np.abs(frame[c].to_numpy() - frame["truth"].to_numpy()).mean() for c in ("naive", "corrected")}
    assert error["corrected"] < error["naive"] / 3
    assert frame["covered"].sum() >= 7


def test_the_summary_says_so() -> None:
    lines = summary(against_truth(generated_collection(), "P(rel=2)@10", assessor="llm"))
    assert lines[0] == phrase("judged-truth.first-truth-naive-llm", "crossenc", "crossenc")
