"""Counts of levels per document, and what is resampled."""

from __future__ import annotations

import numpy as np
import pytest
from label_matrices import from_matrix
from wording import phrase

from dissensus.judges.agreement import counts
from dissensus.judges.agreement.counts import units
from dissensus.judges.label_table import labels

MATRIX = np.array([[0, 0, 1], [2, -1, -1], [1, 1, -1], [-1, 2, 2]])


def test_counts_topics_and_totals() -> None:
    judgments = from_matrix(MATRIX, "0..2", topics=2)
    found = units(judgments, labels(judgments).first())
    rows = dict(zip(judgments.doc_ids(), found.count.tolist(), strict=True))
    assert rows == {"0": [2, 1, 0], "1": [0, 0, 1], "2": [0, 2, 0], "3": [0, 0, 2]}
    assert (found.kind, found.n_clusters) == ("topics", 2)
    assert sorted(found.pairable().size.tolist()) == [2, 2, 3]
    by_topic = dict(zip(judgments.topics, found.totals(found.size)[:, 0].tolist(), strict=True))
    assert by_topic == {"0": 5, "1": 3}


def test_one_topic_takes_documents_or_groups_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = from_matrix(MATRIX, "0..2")
    table = labels(judgments).first()
    assert units(judgments, table).kind == "documents"
    monkeypatch.setattr(counts, "ROOM", 0)
    monkeypatch.setattr(counts, "GROUPS", 3)
    found = units(judgments, table)
    assert found.kind == phrase("agreement-counts.groups-documents")
    assert found.cluster.tolist() == [0, 1, 2, 0]
