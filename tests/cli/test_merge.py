"""`dissensus merge` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from crowd_file import crowd_labels  # noqa: F401 (a fixture)
from shell import call
from wording import phrase


def test_merge_writes_qrels_with_posteriors_and_confusions_beside(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "merged.qrels"
    assert call("merge", labels, "--method", "em-mv", "--gold", "gold", "-o", target) == 0
    out = capsys.readouterr().out
    assert phrase("merging.converged-after") in out
    assert phrase("merge.against-gold") in out
    lines = target.read_text().splitlines()
    assert len(lines) == 180
    assert lines[0].split()[:3] == ["0", "0", "d0"]
    posterior = pl.read_csv(tmp_path / "merged-posterior.csv")
    assert posterior.height == 180 * 3
    assert pl.read_csv(tmp_path / "merged-confusions.csv").columns == [
        "assessor", "reference", "observed", "probability", "count",
    ]  # fmt: skip


def test_merge_json_and_csv(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("merge", labels, "--json", "--break-ties", "lower") == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["tables"]["labels"]) == 180
    assert call("merge", labels, "-o", tmp_path / "merged.csv") == 0
    assert pl.read_csv(tmp_path / "merged.csv")["assessor"].unique().to_list() == ["majority"]
    assert (tmp_path / "merged-posterior.csv").exists()
    assert call("merge", labels, "--method", "mean") == 2


def test_an_assessor_on_a_shorter_scale_is_named(tmp_path, capsys):
    (tmp_path / "graded.qrels").write_text("".join(f"q 0 d{i} {i % 4}\n" for i in range(40)))
    (tmp_path / "binary.qrels").write_text("".join(f"q 0 d{i} {int(i % 4 > 1)}\n" for i in range(40)))
    assert call("merge", tmp_path / "graded.qrels", tmp_path / "binary.qrels") == 0
    assert phrase("merge.binary-never-gives", 2, 3) in " ".join(capsys.readouterr().out.split())
