"""What a report is about, read from files."""

from __future__ import annotations

import io
import sys

from study_files import runs, study_files  # noqa: F401 (a fixture)
from wording import phrase

from dissensus.cli.inputs.options import RunReading, StudyFiles
from dissensus.cli.inputs.report_inputs import read_study, stages


def test_files_become_a_study(files, tmp_path):
    (tmp_path / "docs.jsonl").write_text(
        '{"doc": "d00", "title": "One", "text": "first"}\n{"doc": "zz", "text": "no"}\n'
    )
    (tmp_path / "topics.tsv").write_text("q00\twhat is first\n")
    study = read_study(
        StudyFiles([str(f) for f in runs(files)], [str(files / "llm.csv")]), ["P@5", "AP"], RunReading(),
        audit=str(files / "gold.csv"), truth=str(files / "gold-all.csv"), assessor=None, seed=7, label="x",
        documents=[str(tmp_path / "docs.jsonl")], topic_texts=str(tmp_path / "topics.tsv"),
    )  # fmt: skip
    assert study.runs.systems == ("A", "B", "C")
    assert (study.measure, study.seed) == ("P@5", 7)
    assert study.truth.assessors == ("truth",)
    assert study.audit.judgments.scale == study.judgments.scale
    assert study.texts == {"d00": "One\nfirst"}  # of judged documents only
    assert study.topic_texts == {"q00": "what is first"}


def test_stages_are_told_on_a_terminal_only(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    quiet, loud = io.StringIO(), Terminal()
    for stream in (quiet, loud):
        monkeypatch.setattr(sys, "stderr", stream)
        tell = stages("report")
        tell("scores")
        tell("done")
    assert quiet.getvalue() == ""
    assert phrase("report-inputs.report-scores") in loud.getvalue()
    assert loud.getvalue().endswith("\r\x1b[2K")
