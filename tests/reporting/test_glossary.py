"""How numbers were made: every method that the report links to has an entry, and every entry a page."""

from __future__ import annotations

import re

from paths import ROOT

from dissensus.reporting.glossary import METHODS

REPORT = ROOT / "src" / "dissensus" / "reporting"


def test_every_method_named_in_the_report_has_an_entry():
    import ast

    named = set()
    for file in REPORT.rglob("sections/*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Paragraph", "TableBlock", "ChartBlock"):
                place = {"Paragraph": 1, "TableBlock": 3, "ChartBlock": 4}[call.func.id]
                given = [*call.args[place : place + 1], *(k.value for k in call.keywords if k.arg == "method")]
                named |= {a.value for a in given if isinstance(a, ast.Constant) and a.value}
    assert len(named) > 10
    assert named <= set(METHODS)


def test_entries_are_whole():
    for key, method in METHODS.items():
        assert method.text.endswith((".", "?")), key
        assert not method.caution or method.caution.endswith("."), key
        assert not method.reference or re.search(r"\d{4}\.$", method.reference), key
