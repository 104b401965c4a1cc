"""`dissensus train` from the shell."""

from __future__ import annotations

import json

import pytest
from feature_files import feature_folder  # noqa: F401 (a fixture)
from shell import run
from wording import phrase


def test_cross_validation(files, capsys):
    status, out, err = run(capsys, "train", "train.txt", "-r", "PRank", "--folds", "3", "--json")
    assert status == 0, err
    rows = json.loads(out)["tables"]["scores"]
    assert [r["fold"] for r in rows] == ["fold 1", "fold 2", "fold 3", "mean"]
    assert rows[-1]["AP"] == pytest.approx(sum(r["AP"] for r in rows[:3]) / 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("train", "train.txt", "-r", "Oracle"), phrase("train.no-ranker", "Oracle")),
        (("train", "train.txt", "--set", "colour=1"), phrase("train.settings")),
        (("train", "absent.txt"), phrase("compare.cannot-read", "absent.txt")),
        (("train", "absent.txt", "-m", "XX"), phrase("cli-evaluate.no-measure", "XX")),  # before anything is read
        (("train", "absent.txt", "--model", "nowhere/m.json"), phrase("train.folder-nowhere-does-not")),
        (("train", "absent.txt", "--model", "."), "--model . is a folder"),
        (("train", "train.txt", "--folds", "3", "--model", "m.json"), phrase("train.single-file")),
    ],
)
def test_refused(files, capsys, words, message):
    status, _, err = run(capsys, *words)
    assert status == 2
    assert message in err
