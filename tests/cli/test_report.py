"""`dissensus report` from the shell."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from study_files import runs, study_files  # noqa: F401 (a fixture)
from wording import phrase

from dissensus.cli import main
from dissensus.cli.inputs.options import RunReading, StudyFiles
from dissensus.cli.report import read_study, stages
from dissensus.io.samples import generated_collection


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collection")
    generated_collection(topics=12).write(folder)
    return folder


def arguments(collection: Path) -> list[str]:
    return [str(collection / "runs" / "*.run"), "--judgments", str(collection / "labels.csv"), "-m", "P@10"]


def test_a_report_is_one_file(collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    audit = ["--audit", str(collection / "audit.csv"), "--truth", str(collection / "truth.csv"), "--assessor", "llm"]
    assert main(["report", *arguments(collection), *audit, "-o", str(page), "--title", "Mine"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert phrase("cli-report.note-wrote", page) in err
    assert "<title>Mine</title>" in page.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_the_verdict_as_json(collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    audit = ["--audit", str(collection / "audit.csv"), "--assessor", "llm"]
    assert main(["report", *arguments(collection), *audit, "-o", str(page), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"] == str(page)
    assert told["order"][0] == told["tables"]["scores"][0]["system"]
    assert set(told["best"]) <= set(told["order"])
    assert len(told["tables"]["pairs"]) == 8 * 7 / 2
    assert "audit" in told["basis"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["-o", "report.pdf"], phrase("cli-report.report-web-page")),
        (["--assessor", "zoe"], "--assessor zoe"),
        (["--audit", "nowhere.csv"], "nowhere.csv is not a file"),
        (["-m", "nonsense@10"], "nonsense"),
    ],
)
def test_what_cannot_be_is_refused(
    collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: list[str], message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["report", *arguments(collection), *change]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_a_table_of_scores_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{s},q{t},AP,{0.2 + 0.1 * k + 0.01 * ((7 * t + k) % 5)}" for k, s in enumerate("abc") for t in range(12)]
    table = tmp_path / "board.csv"
    table.write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    page = tmp_path / "report.html"
    assert main(["report", "--score-table", str(table), "-o", str(page), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["order"] == ["c", "b", "a"]
    assert [r["groups"] for r in told["tables"]["order"]] == ["", "", ""]  # every pair differs: no letters are needed
    assert 'id="leaderboards"' in page.read_text()
    assert main(["report", "--score-table", str(table), "--ties", "expected", "-o", str(page)]) != 0
    assert main(["report", "--score-table", str(table), "-m", "RBP", "-o", str(page)]) != 0
    assert main(["figures", "--score-table", str(table), "-o", str(tmp_path / "f"), "-f", "svg"]) == 0
    assert phrase("cli-report.scores-taken-table", "AP") in (tmp_path / "f" / "captions.md").read_text()


def test_policies_reach_the_scores_or_are_refused(
    collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    some = [
        str(collection / "runs" / "bm25.run"),
        str(collection / "runs" / "rm3.run"),
        "-j",
        str(collection / "labels.csv"),
    ]
    words = ["report", *some, "--assessor", "llm", "-m", "P@10", "-o", str(page)]
    assert main([*words, "--unjudged", "condense", "--topics", "shared"]) == 0
    assert "unjudged=condense" in page.read_text()
    capsys.readouterr()
    assert main([*words, "--unjudged", "bounds"]) != 0
    assert main([*words, "--audit", str(collection / "audit.csv"), "--topics", "own"]) != 0
    err = capsys.readouterr().err
    assert "--unjudged bounds" in err
    assert "--topics own" in err


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
