"""A screen is short, unless all rows are asked for; JSON always has all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.windows.terminal import LINES


@pytest.fixture(name="files")
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for s in range(60):
        Path(f"s{s}.run").write_text("".join(f"q{q} Q0 d{q} 1 {s}.0 t\n" for q in range(3)))
    Path("a.qrels").write_text("".join(f"q{q} 0 d{q} {q % 2}\n" for q in range(3)))
    return tmp_path


def test_all_shows_all_and_json_always_has_all(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = sorted(map(str, files.glob("*.run")))
    assert main(["evaluate", *runs, "-j", "a.qrels", "-m", "P@1,AP"]) == 0
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= LINES
    assert phrase("lines.rows-all-shows") in short
    assert main(["evaluate", *runs, "-j", "a.qrels", "-m", "P@1,AP", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 60
    assert main(["evaluate", *runs, "-j", "a.qrels", "-m", "P@1,AP", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["scores"]
    assert len(rows) == 60
    assert {"P@1", "AP"} <= set(rows[0])
