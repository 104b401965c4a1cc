"""`dissensus audit new`: the texts it needs, and what it writes."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused
from wording import phrase

from dissensus.cli.parts.audit_new import _missing, needed_texts
from dissensus.errors import FileError


class Order:
    """What `needed_texts` looks at of an audit in order."""

    order = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "c"]})


@pytest.fixture(name="texts")
def _texts(tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"doc": "a", "text": "A"}\n{"doc": "b", "text": "B"}\n')
    (tmp_path / "topics.tsv").write_text("1\tone\n2\ttwo\n")
    return [str(tmp_path / "docs.jsonl")], str(tmp_path / "topics.tsv")


def test_missing_texts_are_listed(texts):
    with refused(FileError, 1, 3, "--documents"):
        needed_texts(Order.order, None, *texts, anyway=False)


def test_only_documents_within_the_budget_need_a_text(texts):
    found = needed_texts(Order.order, 2, *texts, anyway=False)
    assert set(found.documents) == {"a", "b"}
    assert {topic: t.query for topic, t in found.topics.items()} == {"1": "one", "2": "two"}


def test_without_texts_it_goes_on_with_a_warning(texts, capsys):
    found = needed_texts(Order.order, None, *texts, anyway=True)
    assert set(found.documents) == {"a", "b"}
    assert phrase("audit-new.documents-no-text", 1, 3) in capsys.readouterr().err


def test_of_many_missing_texts_ten_are_named():
    error = _missing("--documents", "documents", [f"d{i}" for i in range(12)], 20)
    assert "d9, and 2 more" in str(error)
    assert "d10" not in str(error)
