"""`dissensus agree` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crowd_file import crowd_labels  # noqa: F401 (a fixture)
from shell import call
from wording import phrase

from dissensus.judging.confusion.api import Confusion


def test_agree_prints_coefficients_and_suspects(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("agree", labels, "--gold", "gold", "--replicates", 99, "--per-topic", "--pairs") == 0
    out = capsys.readouterr().out
    for word in ("Krippendorff's alpha, ordinal", "by grade", "by topic", "pairs"):
        assert word in out
    assert "Gwet's AC2" not in out
    assert out.splitlines()[1].startswith(phrase("agree.same-label", 61))
    assert phrase("agree.looks-random", "w3") in out
    assert phrase("agree.effective-number-assessors") in out
    assert phrase("agreement.studentised-bootstrap-over-topics", 12) in out
    assert call("agree", labels, "--gold", "gold", "--replicates", 99, "--all") == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("percent agreement", "Gwet's AC2", "Conger's kappa", "pairs"))


def test_agree_json_and_chart(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chart = tmp_path / "map.svg"
    assert call("agree", labels, "--json", "--replicates", 99, "--chart", chart) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document["tables"]) == ["coefficients", "by grade", "assessors", "alike", "pairs", "by topic"]
    assert len(document["tables"]["pairs"]) == 10
    assert chart.read_text().startswith("<svg")


def test_agree_confusion_prints_counts_and_saves_what_can_be_read_back(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("agree", labels, "--confusion", "gold", "w0") == 0
    out = capsys.readouterr().out
    assert phrase("agree.says-gold-says") in out
    assert "n→2" in out
    assert call("agree", labels, "--confusion", "gold", "w0", "-o", tmp_path / "c.json") == 0
    found = Confusion.read(tmp_path / "c.json")
    assert found.counts is not None
    assert found.counts.sum() == 180
    assert call("agree", labels, "--confusion", "gold", "nobody") == 2
    assert phrase("agree.no-assessor-name") in capsys.readouterr().err
