"""What is known of the judge whose labels are corrected."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from study_files import study_files  # noqa: F401 (a fixture)

import dissensus as ds
from dissensus.cli.inputs.correction_inputs import read_confusions, read_knowledge
from dissensus.errors import InputError


def test_an_audit_or_a_matrix_or_nothing(files):
    assert read_knowledge(None, None, None) is None
    assert isinstance(read_knowledge(str(files / "gold.csv"), None, None), ds.Audit)
    assert isinstance(read_knowledge(None, [str(files / "judge.json")], None), ds.Confusion)
    with refused(InputError, "--audit", "--confusion"):
        read_knowledge(str(files / "gold.csv"), [str(files / "judge.json")], None)


def test_systems_that_name_one_file_share_its_matrix(files):
    judge, strict = files / "judge.json", files / "strict.json"
    found = read_confusions([f"A={judge}", f"B={judge}", f"C={strict}"])
    assert found["A"] is found["B"]
    assert found["A"] is not found["C"]
    assert found["C"].counts.tolist() == [[190, 10], [60, 140]]


def test_a_file_whose_name_holds_an_equals_sign_is_a_file(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p=0.8.json").write_text((files / "judge.json").read_text())
    assert isinstance(read_confusions(["p=0.8.json"]), ds.Confusion)
