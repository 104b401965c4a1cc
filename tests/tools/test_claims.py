"""The page of claims says what the rules say of the evidence that is there, and quotes what the papers print."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import claim_rules
import claims
import evidence

CLAIMS = claims.table()["claims"]
SOURCES = ROOT.parent / "shared" / "sources"
VERDICTS = {claim_rules.CONFIRMED, claim_rules.REFUTED, claim_rules.OPEN, claim_rules.UNTESTED, claims.NOT_RUN}


def name(claim: dict[str, Any]) -> str:
    return str(claim["claim"])[:40]


def test_the_page_is_what_the_rules_say_now() -> None:
    assert claims.PAGE.read_text("utf-8") == claims.page(), "run: python tools/claims.py"


@pytest.mark.parametrize("claim", CLAIMS, ids=name)
def test_every_claim_has_a_rule_data_and_a_verdict(claim: dict[str, Any]) -> None:
    assert claim["asked"].endswith(".")
    assert claim["data"]
    for part, answer in claims.answers(claim):
        assert answer.verdict in VERDICTS
        assert not part or part in evidence.PARTS
        assert (answer.estimate == "–") == (answer.verdict in {claim_rules.UNTESTED, claims.NOT_RUN})


def plain(text: str) -> str:
    return re.sub(r"[\s`$*]+", " ", text.replace("-\n", "").replace("dis-agreement", "disagreement")).lower()


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "quote" in c], ids=name)
def test_quotations_are_short_and_the_papers_own(claim: dict[str, Any]) -> None:
    assert len(claim["quote"].split()) <= 8
    found = sorted(SOURCES.glob(f"00{claim['paper'][1]}_*.txt")) if SOURCES.is_dir() else []
    if not found:
        pytest.skip("no ../shared/sources here")
    assert claim["quote"].lower() in plain(Path(found[0]).read_text("utf-8"))


def test_a_rule_turns_with_its_numbers() -> None:
    row = {"matrix": "own pair, topic left out", "bias": 0.0, "rmse": 0.1, "correlation": 0.9, "points": 10}
    row |= {f"{name}_{side}": value for name in ("bias", "rmse") for side, value in (("low", -0.01), ("high", 0.01))}
    row |= {"correlation_low": 0.8, "correlation_high": 0.95}
    assert claim_rules.ceiling_predicts({"summary": [row]}, {}).verdict == "confirmed"
    biased = {**row, "bias": 0.1, "bias_low": 0.08, "bias_high": 0.12}
    assert claim_rules.ceiling_predicts({"summary": [biased]}, {}).verdict == "refuted"
    assert claim_rules.ceiling_predicts({"summary": [{**row, "bias_high": 0.08}]}, {}).verdict == "cannot tell"
    grades = {"figure": "Fig. 7", "set": "s", "profile": "uniform", "step": "C = 2 → C = 3"}
    steps = "more grades, better balance"
    assert claim_rules.more_grades({steps: [{**grades, "last level without a fall": 0.2}]}, {}).verdict == "refuted"
    assert claim_rules.more_grades({steps: [{**grades, "last level without a fall": 0.5}]}, {}).verdict == "confirmed"


def test_sides_and_power() -> None:
    assert [claim_rules.side(*ends) for ends in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1))] == [
        "confirmed", "refuted", "cannot tell",
    ]  # fmt: skip
    assert claim_rules.power(2.8, 1.0) == "0.80"  # 1.96 + 0.84 standard errors
    assert claim_rules.power(0.0, 1.0) == "0.02"
