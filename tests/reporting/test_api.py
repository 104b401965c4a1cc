"""The report and the figures from Python."""

from __future__ import annotations

from pathlib import Path

from refusals import refused

import dissensus as ds
from dissensus.errors import InputError

RUNS = {
    s: {f"q{q}": {d: float(k) for k, d in enumerate(order)} for q in range(6)}
    for s, order in (("A", "xy"), ("B", "yx"))
}
LABELS = {"ann": {f"q{q}": {"x": q % 2, "y": 1} for q in range(6)}}


def test_a_report_is_written_from_objects(tmp_path: Path) -> None:
    runs, labels = ds.Runs.from_dict(RUNS), ds.Judgments.from_dict(LABELS)
    page = ds.write_report(
        runs, labels, tmp_path / "r.html", measures="P@1", documents={"x": "a red fox"}, topic_texts={"q0": "foxes"},
        title="Mine",
    )  # fmt: skip
    text = page.read_text(encoding="utf-8")
    assert "<title>Mine</title>" in text
    assert '"queries":["foxes"' in text


def test_an_assessor_that_is_not_there_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with refused(InputError, 'assessor="zoe"'):
        ds.write_report(ds.Runs.from_dict(RUNS), ds.Judgments.from_dict(LABELS), tmp_path / "r.html", assessor="zoe")
    assert not list(tmp_path.iterdir())


def test_figures_are_written_from_objects(tmp_path: Path) -> None:
    files = ds.write_figures(
        ds.Runs.from_dict(RUNS), ds.Judgments.from_dict(LABELS), tmp_path / "f", measures=["P@1"], formats=["svg"]
    )
    assert files
    assert {f.suffix for f in files} == {".svg"}
    assert all(f.stat().st_size > 500 for f in files)
