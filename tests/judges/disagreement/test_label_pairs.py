"""Labels beside their partners, against a loop over documents."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused, stated

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import InputError
from dissensus.judges.disagreement.label_pairs import partners

ROWS = [
    ("1", "x", "a", 2), ("1", "x", "a", 1), ("1", "x", "b", 2), ("1", "x", "c", 0),
    ("1", "y", "a", 1), ("1", "y", "b", 2), ("2", "z", "c", 2), ("2", "w", "a", 0), ("2", "w", "a", 2),
]  # fmt: skip


def judged() -> Judgments:
    frame = pl.DataFrame(ROWS, schema=["topic", "doc", "assessor", "grade"], orient="row")
    return Judgments.from_frame(frame, repeated="keep")


@pytest.mark.parametrize("repeats", ["separate", "others"])
def test_slow_twin(repeats: str) -> None:
    expected = []
    for i, (_, doc, who, grade) in enumerate(ROWS):
        others = [
            row[3] for j, row in enumerate(ROWS) if row[1] == doc and j != i and (repeats == "others" or row[2] != who)
        ]
        if others:
            expected.append((doc, grade, len(others), others.count(2)))
    judgments = judged()
    found = partners(judgments, 2, repeats=repeats)
    docs = judgments.doc_ids(found.item)
    got = zip(docs, found.level.tolist(), found.others.tolist(), found.tops.tolist(), strict=True)
    assert sorted(got) == sorted(expected)
    for doc in set(docs):
        assert found.share[np.array(docs) == doc].sum() == pytest.approx(1)
    assert [judgments.topics[t] for t in found.topic] == ["2" if d in "zw" else "1" for d in docs]


def test_documents_with_too_few_labels_are_counted() -> None:
    found = partners(judged(), 2, min_labels=3)
    assert set(judged().doc_ids(found.item)) == {"x"}
    assert stated(found.notes, 3)
    kept = found.rows(found.level == 2)
    assert len(kept) == 2


def test_what_is_refused() -> None:
    with refused(InputError, 'repeats="first"'):
        partners(judged(), 2, repeats="first")
    with refused(InputError, "min_labels=1"):
        partners(judged(), 2, min_labels=1)
    with refused(InputError, 2, by="label_pairs.partners"):
        partners(judged().select(topics=["2"]), 2)
