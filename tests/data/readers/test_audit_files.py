"""Audits from files, and files that are not audits."""

from __future__ import annotations

from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import FileError


class TestAudits:
    def test_swapped_judgments_and_audit(self, tmp_path, capsys):
        audit = file(tmp_path, "audit.csv", "topic,doc,grade,inclusion\n1,d1,1,0.5\n1,d2,0,0.5\n")
        labels = file(tmp_path, "labels.csv", "topic,doc,assessor,grade\n1,d1,llm,1\n1,d2,llm,0\n")
        run = file(tmp_path, "a.run", "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n")
        with refused(FileError, "audit.csv", "inclusion", by="readers.api"):
            ds.read_judgments(audit)
        assert main(["correct", str(run), "-j", str(audit), "--audit", str(labels), "-m", "P@10"]) == 2
        assert "--audit" in capsys.readouterr().err


def test_tables_and_qrels_are_audits(tmp_path) -> None:
    table = ds.read_audit(file(tmp_path, "a.csv", "topic,doc,grade,inclusion\n1,x,1,0.5\n1,y,0,0.25\n"))
    assert table.inclusion.tolist() == [0.5, 0.25]
    plain = ds.read_audit(file(tmp_path, "gold.qrels", "1 0 x 1\n1 0 y 0\n"))
    assert plain.inclusion is None
    named = ds.read_audit(
        file(tmp_path, "b.csv", "q;d;g\n1;x;1\n"), columns={"topic": "q", "doc": "d", "grade": "g"}, separator=";"
    )
    assert named.judgments.grade.tolist() == [1]
    with refused(FileError, tmp_path.name, by="audit_files"):
        ds.read_audit(tmp_path)
