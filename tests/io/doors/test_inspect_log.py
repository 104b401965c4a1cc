"""Inspect AI: letters as numbers, epochs as repeats."""

from __future__ import annotations

from pathlib import Path

from wording import phrase

from dissensus.io.exports import inspect_log
from dissensus.io.exports.document import ExportedFile


def test_letters_count_and_epochs_are_averaged() -> None:
    values = ["C", "P", "I", "N", "?", 2]
    samples = [{"id": 1, "epoch": e, "scores": {"g": {"value": v}}} for e, v in enumerate(values)]
    found = inspect_log.read(ExportedFile({"eval": {"model": "m"}, "samples": samples}, Path("i.json")))
    assert found["judgments"].columns["grade"].to_list() == [1, 0.5, 0, 0, 2]
    assert found["scores"].columns["value"].to_list() == [3.5 / 5]
    assert found["scores"].columns["system"].to_list() == ["m"]
    assert any(note.startswith(phrase("inspect-log.judgments-no-value", 1, 6)) for note in found["scores"].notes)


def test_samples_without_scores_are_not_a_log() -> None:
    assert not inspect_log.opens(ExportedFile({"samples": [{"id": 1}]}, Path("i.json")))
    assert not inspect_log.opens(ExportedFile({"samples": []}, Path("i.json")))
