"""`dissensus agree` and `dissensus merge` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dissensus.cli import main
from dissensus.judges.confusion.api import Confusion


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four assessors and gold on 12 topics of 15 documents; w3 tosses a coin."""
    rng = np.random.default_rng(1)
    rows = []
    for topic in range(12):
        for doc in range(15):
            truth = int(rng.integers(0, 3))
            rows.append((topic, f"d{doc}", "gold", truth))
            for k, skill in enumerate((0.9, 0.85, 0.8, 0.0)):
                rows.append((topic, f"d{doc}", f"w{k}", truth if rng.random() < skill else int(rng.integers(0, 3))))
    path = tmp_path_factory.mktemp("agree") / "labels.csv"
    pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row").write_csv(path)
    return path


def call(*words: object) -> int:
    return main([str(w) for w in words])


def test_agree_prints_coefficients_and_suspects(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("agree", labels, "--gold", "gold", "--resamples", 99, "--per-topic", "--pairs") == 0
    out = capsys.readouterr().out
    for word in ("percent agreement", "Krippendorff's alpha, ordinal", "Gwet's AC2", "by grade", "by topic", "pairs"):
        assert word in out
    assert "looks random: w3" in out
    assert "Effective number of assessors" in out
    assert "studentised bootstrap over 12 topics" in out


def test_agree_json_and_chart(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chart = tmp_path / "map.svg"
    assert call("agree", labels, "--json", "--resamples", 99, "--chart", chart) == 0
    document = json.loads(capsys.readouterr().out)
    assert {"coefficients", "by grade", "assessors", "alike", "pairs", "by topic"} == set(document["tables"])
    assert len(document["tables"]["pairs"]) == 10
    assert chart.read_text().startswith("<svg")


def test_agree_confusion_prints_counts_and_saves_what_can_be_read_back(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("agree", labels, "--confusion", "gold", "w0") == 0
    out = capsys.readouterr().out
    assert "P(w0 says | gold says)" in out
    assert "n→2" in out
    assert call("agree", labels, "--confusion", "gold", "w0", "-o", tmp_path / "c.json") == 0
    found = Confusion.read(tmp_path / "c.json")
    assert found.counts is not None
    assert found.counts.sum() == 180
    assert call("agree", labels, "--confusion", "gold", "nobody") == 2
    assert "no assessor has that name" in capsys.readouterr().err


def test_merge_writes_qrels_with_posteriors_and_confusions_beside(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "merged.qrels"
    assert call("merge", labels, "--method", "em-mv", "--gold", "gold", "-o", target) == 0
    out = capsys.readouterr().out
    assert "converged after" in out
    assert "against gold:" in out
    lines = target.read_text().splitlines()
    assert len(lines) == 180
    assert lines[0].split()[:3] == ["0", "0", "d0"]
    posterior = pl.read_csv(tmp_path / "merged-posterior.csv")
    assert posterior.height == 180 * 3
    assert pl.read_csv(tmp_path / "merged-confusions.csv").columns == [
        "assessor", "reference", "observed", "probability", "count",
    ]  # fmt: skip


def test_merge_json_and_csv(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("merge", labels, "--json", "--ties", "lower") == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["tables"]["labels"]) == 180
    assert call("merge", labels, "-o", tmp_path / "merged.csv") == 0
    assert pl.read_csv(tmp_path / "merged.csv")["assessor"].unique().to_list() == ["majority"]
    assert (tmp_path / "merged-posterior.csv").exists()
    assert call("merge", labels, "--method", "mean") == 2


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("agree", "merge"):
        assert call(command, "--help") == 0
        assert f"dissensus {command} labels.csv" in capsys.readouterr().out
