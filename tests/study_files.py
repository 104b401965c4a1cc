"""The files of a small study with an audit, and commands called on them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from audited_study import audit, study


@pytest.fixture(scope="module", name="files")
def study_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    runs, bronze, gold = study(topics=20)
    for (system,), part in runs.to_frame().partition_by("system", as_dict=True).items():
        part.select("topic", "doc", "score").write_csv(folder / f"{system}.csv")
    bronze.to_frame().write_csv(folder / "llm.csv")
    gold.to_frame().write_csv(folder / "gold-all.csv")
    pl.concat([bronze.to_frame(), gold.to_frame()]).write_csv(folder / "two.csv")
    audit(gold, 0.5).to_frame().write_csv(folder / "gold.csv")
    (folder / "judge.json").write_text('{"counts": [[160, 40], [30, 170]]}')
    (folder / "strict.json").write_text('{"counts": [[190, 10], [60, 140]]}')
    return folder


def runs(files: Path) -> list[Path]:
    return [files / f"{s}.csv" for s in "ABC"]
