"""`dissensus check`: findings on the terminal, status 2 where one is an error."""

from __future__ import annotations

import json

from wording import phrase

from dissensus.cli import main


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
    assert phrase("cli-check.not-exist", "gone.run") in found["tables"]["table"][0]["what"]
    assert main(["check", str(tmp_path / "gone.run"), "-o", str(tmp_path / "found.csv")]) == 2
    assert (tmp_path / "found.csv").read_text().startswith("severity,what")


def test_nothing_given(capsys):
    assert main(["check"]) == 2
    assert phrase("cli-check.neither-runs-nor-judgments") in capsys.readouterr().err
