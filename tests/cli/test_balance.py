"""`dissensus balance`: what it prints, writes and refuses."""

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


def test_balance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["balance", "RBP(p=0.8)", "ERR", "--length", "100", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["indices"]
    assert rows == [
        {"measure": "RBP(p=0.8)", "length": 100, "index": 8},
        {"measure": "ERR", "length": 100, "index": 1},
    ]


def test_balance_says_where_it_is_undefined(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["balance", "ERR", "-n", "5", "--high", "3"]) == 0
    assert phrase("balance.is-undefined", "B(5)") in capsys.readouterr().out


def test_balance_curve_and_plot(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["balance", "AP", "P@10", "-n", "30", "--curve", "5", "--plot", "b.svg", "-o", "b.csv"]) == 0
    table = pl.read_csv("b.csv")
    assert table.filter(pl.col("measure") == "P@10")["index"].to_list()[-1] == 10
    assert phrase("balance.balancing-index") in (folder / "b.svg").read_text()


def test_balance_axioms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["balance", "MP(model='GL_AD_ID')", "--axioms", "-n", "4"]) == 0
    out = capsys.readouterr().out
    assert phrase("balance.not-utility-oriented") in out
    assert phrase("balance.takes-it-from-to") in out


def test_balance_curve_has_a_column_per_measure_on_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["balance", "AP", "P@10", "AP", "-n", "30", "--curve", "3"]) == 0
    assert "length  AP  P@10" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--axioms", "--plot", "a.svg"], phrase("balance.plot-no-curve-axioms")),
        (["--axioms", "--curve", "5"], phrase("balance.curve-no-curve-axioms")),
        (["--axioms", "--high", "3"], "with --scale 0..3"),
        (["--scale", "0..3"], "--low 1 --high 3"),
        (["--axioms", "--scale", "0..x"], phrase("balance.one-grade")),
    ],
)
def test_balance_refuses_options_that_would_do_nothing(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["balance", "AP", "-n", "4", *options]) == 2
    assert message in capsys.readouterr().err
