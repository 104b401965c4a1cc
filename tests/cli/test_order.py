"""`dissensus order`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from wording import phrase

from dissensus.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_order_prints_the_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", "0 1 1 2 2", "0 1 1 1 3"]) == 0
    out = capsys.readouterr().out
    assert "2 > 1*" in out
    assert phrase("cli-order.not-comparable") in out


def test_order_as_json_and_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", "0,1,1,2,2", "0,1,1,2,3", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["relation"] == "<"
    assert out["inversions"] == []
    assert main(["order", "1 0", "0 1", "--by", "set", "-o", "matrix.csv"]) == 0
    assert pl.read_csv("matrix.csv")["relation"].to_list() == ["=", "="]


def test_order_refuses_what_is_no_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", "0 x", "1 1"]) == 2
    assert phrase("cli-order.not-grade", "x") in capsys.readouterr().err
    assert main(["order", "0 1", "1"]) == 2
    assert phrase("cli-order.equal-length") in capsys.readouterr().err


def test_order_plot(folder: Path) -> None:
    assert main(["order", "0 1 2", "0 2 1", "--plot", "matrix.svg"]) == 0
    text = (folder / "matrix.svg").read_text()
    assert "1 &lt; 2" in text or "0 &lt; 1" in text
