"""The table of doors on docs/look-up/formats.md is what the commands print now."""

from __future__ import annotations

import importlib.util

import pytest
from paths import ROOT


def test_the_page_shows_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    spec = importlib.util.spec_from_file_location("doors_table", ROOT / "tools" / "doors_table.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.PAGE.read_text(encoding="utf-8")
    assert tool.page(text) == text
