"""The pages show the numbers that the parts of the evidence gave, and every part is a command that exists."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from paths import ROOT

from dissensus.studies.study import load, settings


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("evidence", ROOT / "tools" / "evidence.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["evidence"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


evidence = tool()
FILES = sorted(evidence.TARGET.glob("*.json"))


@pytest.mark.parametrize("page", evidence.pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_show_what_was_computed(page: Path) -> None:
    text = page.read_text("utf-8")
    assert evidence.filled(text) == text, "run: python tools/evidence.py --pages"


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.stem)
def test_every_file_says_how_it_was_made(file: Path) -> None:
    facts = json.loads(file.read_text("utf-8"))
    part = evidence.PARTS[file.stem]
    assert facts["command"].startswith(part.shown())  # smaller runs say so: --set audits=20
    rest = facts["command"].removeprefix(part.shown()).split()
    assert rest[::2] == ["--set"] * len(rest[1::2])
    assert facts["seconds"] <= 60 * evidence.MINUTES * 4
    assert set(facts["tables"]) == set(part.tables)
    assert all(rows for rows in facts["tables"].values())
    assert str(ROOT.parent) not in file.read_text("utf-8")


@pytest.mark.parametrize("name", evidence.PARTS)
def test_every_part_names_an_experiment_and_its_settings(name: str) -> None:
    words = list(evidence.PARTS[name].words)
    if evidence.PARTS[name].bench:
        assert (ROOT / "bench" / f"{words[0]}.py").is_file()
        return
    module = load(words[0])
    given = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
    assert set(settings(module.SETTINGS, given)) == set(module.SETTINGS)


def test_a_table_as_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "TARGET", tmp_path)
    rows = [{"a": 0.123456, "b": None}, {"a": 1234.5, "b": "x|y"}]
    (tmp_path / "part.json").write_text(json.dumps({"tables": {"one": rows}}))
    text = "before\n<!-- evidence: part / one | a, b -->\nold\n<!-- end -->\nafter\n"
    filled = evidence.filled(text)
    assert "| 0.1235 | – |" in filled
    assert "| 1,234 | x\\|y |" in filled
    assert evidence.filled(filled) == filled
    assert filled.startswith("before\n")
    assert filled.endswith("after\n")
