"""The page of claims says what the rules say of the evidence that is there."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest
from paths import ROOT


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("claims", ROOT / "tools" / "claims.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["claims"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


claims = tool()


def test_the_page_is_what_the_rules_say_now() -> None:
    assert claims.PAGE.read_text("utf-8") == claims.page(), "run: python tools/claims.py"


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda c: c.text[:40])
def test_every_claim_has_a_part_and_a_verdict(claim: Any) -> None:
    assert claim.part in claims.evidence().PARTS
    verdict, numbers = claims.judged(claim)
    assert verdict in {"confirmed", "not confirmed", "**refuted**", "partly", "not run"}
    assert (numbers == "–") == (verdict == "not run")


def test_a_rule_turns_with_its_numbers() -> None:
    row = {"matrix": "own pair, topic left out", "bias": 0.0, "rmse": 0.1, "correlation": 0.9, "points": 10}
    row |= {f"{name}_{side}": 0.0 for name in ("bias", "rmse", "correlation") for side in ("low", "high")}
    assert claims.ceiling_predicts({"summary": [row]})[0] == "confirmed"
    assert claims.ceiling_predicts({"summary": [{**row, "bias": 0.1}]})[0] == "not confirmed"
    grades = {"figure": "Fig. 7", "set": "s", "profile": "uniform", "step": "C = 2 → C = 3"}
    table = "more grades, better balance"
    assert claims.falls("Fig. 7")({table: [{**grades, "last level without a fall": 0.2}]})[0] == "**refuted**"
    assert claims.falls("Fig. 7")({table: [{**grades, "last level without a fall": 0.5}]})[0] == "confirmed"
