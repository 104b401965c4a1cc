"""`dissensus figures` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.io.samples import generated_collection


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collection")
    generated_collection(topics=12).write(folder)
    return folder


def arguments(files: Path) -> list[str]:
    return [str(files / "runs" / "*.run"), "--judgments", str(files / "labels.csv"), "-m", "P@10"]


def test_figures(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "figures"
    assert main(["figures", *arguments(files), "-o", str(folder), "-f", "svg"]) == 0
    assert phrase("cli-figures.files-to") in capsys.readouterr().err
    assert (folder / "precision-recall-raw.svg").exists()
    assert main(["figures", *arguments(files), "-o", str(folder), "-f", "svg", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["figures"]
    assert {Path(row["file"]) for row in rows} == set(folder.glob("*.svg"))
    assert all(Path(row["file"]).stat().st_size == row["bytes"] for row in rows)
    assert main(["figures", *arguments(files), "-o", str(folder), "-f", "gif"]) == 2
    assert phrase("cli-figures.svg-pdf-png") in capsys.readouterr().err
