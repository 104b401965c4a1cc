"""`dissensus measures`: the list, one measure, JSON."""

from __future__ import annotations

import json

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.measures.catalog import names


def test_the_list_names_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures"]) == 0
    out = capsys.readouterr().out
    assert f"{len(names())} measures" in out
    shown = {line.split()[0] for line in out.splitlines() if line.split()}
    assert set(names()) <= shown


def test_one_measure_by_another_packages_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "ndcg_cut_10"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "nDCG"
    for words in (
        phrase("cli-measures.ideal-ranking", "DCG", "DCG"),
        "the user loses interest slowly",
        "ceiling (exact)",
        "base=2.0: base",
    ):
        assert words in out


def test_json_and_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "--kind", "linear", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["measures"]
    assert {r["kind"] for r in rows} == {"linear"}
    assert {"P", "RBP", "INSQ", "SDCG", "NumRelRet", "DCG"} <= {r["name"] for r in rows}


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "nDGC"]) == 2
    assert phrase("experiment.did-you-mean", "nDCG") in capsys.readouterr().err
