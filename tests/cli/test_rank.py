"""`dissensus rank` from the shell."""

from __future__ import annotations

import pytest
from feature_files import feature_folder  # noqa: F401 (a fixture)
from shell import run
from wording import phrase


def test_train_rank_evaluate(files, capsys):
    status, out, err = run(
        capsys, "train", "train.txt", "-r", "ranksvm", "--validation", "vali.txt", "--model", "m.json", "--set", "C=10"
    )
    assert status == 0, err
    assert "RankSVM(C=10.0)" in out
    assert phrase("rank.best-feature") in out
    status, out, err = run(capsys, "rank", "m.json", "vali.txt", "--run", "svm.run", "--qrels", "v.csv", "-m", "AP")
    assert status == 0, err
    here = float(out.splitlines()[3].split()[-1])
    status, out, _ = run(capsys, "evaluate", "svm.run", "-j", "v.csv", "-m", "AP", "--json")
    assert status == 0
    assert f"{here:.4f}" in out or str(here)[:5] in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rank", "train.txt", "train.txt"), phrase("rank.not-ranker")),
    ],
)
def test_refused(files, capsys, words, message):
    status, _, err = run(capsys, *words)
    assert status == 2
    assert message in err
