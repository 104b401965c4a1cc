"""The list of measures says what is true of each of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from random_collections import EVERY, random_collection
from wording import phrase

import dissensus as ds
from dissensus.measures.catalog import names


def test_a_row_for_every_measure_and_every_fact() -> None:
    table = ds.list_measures()
    assert table["name"].to_list() == names()
    for column in ("formula", "user", "kind", "aggregate", "inherits", "reference"):
        assert (table[column] != "").all(), column
    facts = {row["name"]: row for row in table.rows(named=True)}
    assert facts["NumRet"]["aggregate"] == "sum"
    assert facts["GMAP"]["aggregate"] == "geometric"
    assert facts["INST"]["needs"] == "max_rel"
    assert facts["alpha_nDCG"]["needs"] == phrase("listing.judgments-per-intent")
    assert facts["IPrec"]["needs"] == phrase("listing.level-after-at")
    assert phrase("listing.probability-go-next-document", 0, 1) in facts["RBP"]["parameters"]


@pytest.mark.parametrize("name", EVERY)
def test_a_measure_that_is_called_linear_is_its_linear_form(name: str) -> None:
    m = ds.measure(name)
    kind = ds.list_measures().filter(pl.col("name") == m.name)["kind"].item()
    joined = random_collection(3).joined
    counts = joined.pool_counts[0, 0]
    form = m.linear_form(counts, 20, joined.scale)
    assert (kind == "not linear" or "judged_only" in name) == (form is None)
    if kind == "linear" and form is not None:
        other = m.linear_form(counts + 1, 20, joined.scale)
        assert other is not None
        np.testing.assert_array_equal(form[0], other[0])


def test_the_conformance_page_has_every_name() -> None:
    from paths import ROOT

    page = (ROOT / "docs" / "look-up" / "conformance.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    first_column = " ".join(rows)
    assert [n for n in names() if f"`{n}" not in first_column] == []
    assert phrase("listing.lists-measures", len(names())) in page
