"""TREC files, line by line: the quick way reads what the exact one does."""

from __future__ import annotations

import pytest

from dissensus.data.readers import trec


@pytest.mark.parametrize(
    "text",
    [
        "1 0 d 1\n2 0 e 0\n",
        "1 0 d 1\n 2\t0  e 0",
        "1 0 d 1\r\n2 0 e 0\n",
        "# x\n1 0 d 1\n",
        "1 0 ü 1\n",
        "1 0 d 1\n\n2 0 e 0",
    ],
)
def test_plain_qrels_are_read_as_all_others(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = trec.qrels_rows(text.encode(), "q")
    monkeypatch.setattr(trec, "_plain_qrels", lambda data: None)
    slow = trec.qrels_rows(text.encode(), "q")
    for column in ("topic", "second", "doc", "value"):
        assert getattr(quick, column) == getattr(slow, column)
    assert quick.line.tolist() == slow.line.tolist()
