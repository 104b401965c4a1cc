"""The documented table of axioms is the one the code computes: a part of it anew, all of it from the evidence."""

from __future__ import annotations

import json

from paths import ROOT

from dissensus.measures.catalog import _FAMILIES
from dissensus.studies.axioms import CURVES, MARKOV, NOT_APPLICABLE, PLAIN, axiom_table

PAGE = (ROOT / "docs" / "evidence" / "axioms.md").read_text(encoding="utf-8")


def line_of(row: dict[str, object]) -> str:
    verdict = "yes" if row["utility_oriented"] else "**no**"
    return f"| `{row['measure']}` | {verdict} | {row['replacement']} | {row['swap']} | {row['blind']:.0%} |"


def test_the_page_shows_what_the_code_finds() -> None:
    table = axiom_table([*PLAIN[1::6], "BPM(max_rel=3)@5", MARKOV[3]])  # all of it takes a minute
    assert table.height > 10
    assert [line for line in map(line_of, table.iter_rows(named=True)) if line not in PAGE] == []


def test_the_page_shows_the_evidence_and_no_measure_is_forgotten() -> None:
    rows = json.loads((ROOT / "docs" / "evidence" / "axioms.json").read_text("utf-8"))["tables"]["axioms"]
    for row in rows:
        assert line_of(row) in PAGE
    assert [row["measure"] for row in rows] == [*PLAIN, *MARKOV, *CURVES]
    covered = {row["measure"].split("(")[0].split("@")[0].split(",")[0] for row in rows}
    assert covered | set(NOT_APPLICABLE) == set(_FAMILIES)
    broken = {row["measure"] for row in rows if not row["utility_oriented"]}
    assert broken == {*MARKOV, "nMCG@4, rising curve", "BPM(max_rel=3)@5"}
