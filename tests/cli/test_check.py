"""`dissensus check`: what files are, what is odd, status 2 where one is an error; the commands it writes out run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.io.samples import generated_collection


def test_status_and_words(tmp_path, capsys):
    (tmp_path / "a.run").write_text("".join(f"1 Q0 d{i} {i} {-i} t\n" for i in range(20)))
    (tmp_path / "g.qrels").write_text("".join(f"1 0 d{i} {i % 2}\n" for i in range(20)))
    arguments = ["check", str(tmp_path / "a.run"), "-j", str(tmp_path / "g.qrels"), "--scale", "0..1"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.endswith("0 errors, 0 warnings, 0 notes\n")
    (tmp_path / "g.qrels").write_text("2 0 d1 1\n")
    assert main(arguments) == 2
    assert phrase("cli-check.error-no-topic-runs") in capsys.readouterr().out


def test_json_and_files(tmp_path, capsys):
    assert main(["check", str(tmp_path / "gone.run"), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    assert phrase("cli-check.not-exist", "gone.run") in found["tables"]["findings"][0]["what"]
    assert main(["check", str(tmp_path / "gone.run"), "-o", str(tmp_path / "found.csv")]) == 2
    assert (tmp_path / "found.csv").read_text().startswith("severity,what")


def test_nothing_given(capsys):
    assert main(["check"]) == 2
    assert phrase("cli-check.neither-runs-nor-judgments") in capsys.readouterr().err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generated_collection(topics=6).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _checked(capsys: pytest.CaptureFixture[str], *files: str) -> dict[str, object]:
    assert main(["check", *files, "--json"]) in (0, 2)
    out = json.loads(capsys.readouterr().out)
    assert isinstance(out, dict)
    return out


def test_the_commands_that_it_writes_out_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = _checked(capsys, "runs/*", "labels.csv", "audit.csv")
    lines = {c["command"]: c["line"] for c in out["commands"]}  # type: ignore[attr-defined]
    assert {"evaluate", "compare", "plan", "correct", "report", "agree", "merge", "aware"} <= set(lines)
    for name in ("evaluate", "compare", "plan", "correct", "agree", "merge", "weights"):
        words = shlex.split(lines[name])
        assert words[0] == "dissensus"
        assert main(words[1:]) == 0, lines[name]
        capsys.readouterr()
    assert (folder / "to-audit.csv").is_file()


def test_what_is_missing_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = _checked(capsys, "runs/bm25.run")
    assert out["commands"] == []
    needs = {row["command"]: row["needs"] for row in out["tables"]["missing"]}  # type: ignore[index]
    assert needs["evaluate"].startswith(phrase("doctor.labels-graded"))
    (folder / "other.qrels").write_text("999 0 x 1\n")
    out = _checked(capsys, "runs/bm25.run", "other.qrels")
    needs = {row["command"]: row["needs"] for row in out["tables"]["missing"]}  # type: ignore[index]
    assert phrase("prescriptions.not-topic-both") in needs["evaluate"]


def test_an_order_is_followed_and_a_sample_is_to_be_graded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["runs/bm25.run", "runs/dense.run", "-j", "labels.csv", "--assessor", "llm"]
    assert main(["plan", *words, "--order", "--sample", "order.csv"]) == 0
    capsys.readouterr()
    out = _checked(capsys, "runs/bm25.run", "runs/dense.run", "labels.csv", "order.csv")
    needs = {row["command"]: row["needs"] for row in out["tables"]["missing"]}  # type: ignore[index]
    assert phrase("doctor.experts-fill-column-grade") in needs["correct"]
    text = (folder / "order.csv").read_text().splitlines()
    (folder / "order.csv").write_text("\n".join([text[0], text[1].replace(",,", ",1,"), *text[2:]]) + "\n")
    out = _checked(capsys, "runs/bm25.run", "runs/dense.run", "labels.csv", "order.csv")
    line = next(c["line"] for c in out["commands"] if c["command"] == "compare --anytime")  # type: ignore[attr-defined]
    assert main(shlex.split(line)[1:]) == 0


def test_a_table_of_scores_is_enough_for_a_gate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{s},q{t},AP,{0.3 + 0.01 * t}" for s in ("old", "new") for t in range(6)]
    (folder / "scores.csv").write_text("\n".join(["name,qid,measure,value", *rows]) + "\n")
    out = _checked(capsys, "scores.csv")
    line = next(c["line"] for c in out["commands"] if c["command"] == "gate")  # type: ignore[attr-defined]
    assert main(shlex.split(line)[1:]) in (0, 1, 3)


def test_labels_on_other_scales_are_left_out_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topic = generated_collection(topics=6).runs.topics[0]
    (folder / "binary.qrels").write_text(f"{topic} 0 {topic}-d01 1\n")
    assert main(["check", "runs/*", "labels.csv", "binary.qrels"]) in (0, 2)
    text = capsys.readouterr().out
    assert phrase("doctor.files-runs", 8) in text
    assert phrase("doctor.left-out-grades-end") in text
    assert "-j binary.qrels" not in text


def test_preferences_and_scores_without_a_header_are_known(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prefs.txt").write_text("q d1 d2 d1\nq d2 d3 d3\n")
    (tmp_path / "board.tsv").write_text("bm25\tndcg_cut_10\t1\t0.5\nbm25\tndcg_cut_10\t2\t0.25\n")
    assert main(["check", "prefs.txt", "board.tsv", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {r["file"]: r["is"] for r in shown["tables"]["files"]} == {"prefs.txt": "preferences", "board.tsv": "scores"}
    assert "dissensus agree prefs.txt" in [c["line"] for c in shown["commands"]]


def test_a_folder_is_looked_at_whole_and_what_is_nothing_known_is_a_note(folder, capsys):
    (folder / "notes.txt").write_text("remember the milk\n")
    assert main(["check", ".", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    kinds = {row["file"]: row["is"] for row in out["tables"]["files"]}
    assert (kinds["notes.txt"], kinds["labels.csv"]) == ("unknown", "labels")
    assert [r["severity"] for r in out["tables"]["findings"] if r["where"] == "notes.txt"] == ["note"]
    assert main(["check", "notes.txt"]) == 2  # named itself, it is an error


def test_the_old_name_is_answered_with_the_new_one(capsys):
    assert main(["doctor", "labels.csv"]) == 2
    assert "dissensus check" in capsys.readouterr().err
