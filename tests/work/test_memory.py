"""What does not fit is refused before it begins, with its size and the way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.comparison.engine import pairs_of
from dissensus.io import files
from dissensus.work import memory


@pytest.fixture(autouse=True)
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISSENSUS_MAX_MEMORY", "1M")
    monkeypatch.setattr(memory, "TOLD", 1000)


def test_scores_of_a_crowd_are_refused_with_their_size() -> None:
    labels = {f"a{i}": {"q1": {"d1": i % 2}, "q2": {"d1": 1}} for i in range(20_000)}
    runs = {"x": {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, "y": {"q1": {"d2": 1.0}, "q2": {"d1": 1.0}}}
    with refused(InputError, "20,000 judges × 2 systems × 2 topics", "ds.merge", "DISSENSUS_MAX_MEMORY=1G"):
        ds.evaluate(runs, labels, "P@1", scale="0..1")
    some = {name: labels[name] for name in ("a0", "a1")}
    assert np.isfinite(ds.evaluate(runs, some, "P@1", scale="0..1")["P@1"]).all()


def test_pairs_of_very_many_systems_are_refused() -> None:
    with refused(InputError, "all 499,500 pairs of 1,000 systems", "baseline"):
        pairs_of(1000)
    assert len(pairs_of(1000, baseline=3)[0]) == 999


def test_text_that_does_not_fit_is_refused_with_what_converts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "a.run"
    run.write_text("".join(f"q1 Q0 d{i} {i} {9 - i} x\n" for i in range(9)))
    monkeypatch.setattr(files, "IN_MEMORY", 1e5)
    with refused(InputError, "of text at once", "dissensus convert"):
        ds.read_runs(run)


def test_what_is_free_is_what_system_and_container_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISSENSUS_MAX_MEMORY")
    for name, text in {
        "system": "MemTotal: 9 kB\nMemAvailable:  5000 kB\n",
        "max": "3000000",
        "used": "file 77\nanon 1000000",
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(memory, "_SYSTEM", tmp_path / "system")
    monkeypatch.setattr(memory, "_GROUPS", ((tmp_path / "none", tmp_path / "used", "anon"),))
    assert memory.free() == 5_120_000
    monkeypatch.setattr(memory, "_GROUPS", ((tmp_path / "max", tmp_path / "used", "anon"),))
    assert memory.free() == 2_000_000
    (tmp_path / "max").write_text("max")
    monkeypatch.setattr(memory, "_SYSTEM", tmp_path / "none")
    assert memory.free() is None
    memory.with_room(1 << 50, "anything")
