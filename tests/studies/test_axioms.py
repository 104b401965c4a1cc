"""The documented table of axioms is the one the code computes."""

from __future__ import annotations

from paths import ROOT

from dissensus.measures.catalog import _FAMILIES
from dissensus.studies.axioms import MARKOV, axiom_table


def test_the_page_shows_what_the_code_finds() -> None:
    table = axiom_table()
    page = (ROOT / "docs" / "validation" / "axioms.md").read_text(encoding="utf-8")
    assert table.to_markdown() in page
    covered = {name.split("(")[0].split("@")[0].split(",")[0] for name in table.checks}
    assert covered <= set(_FAMILIES)
    frame = table.to_frame()
    broken = set(frame.filter(~frame["utility_oriented"])["measure"])
    assert broken == {*MARKOV, "nMCG@4, rising curve"}
