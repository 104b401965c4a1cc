"""The noise experiment at toy size: its tables, its number, its workspace; and the sets it is made of."""

from __future__ import annotations

import polars as pl
import pytest

from dissensus.data.tables.folds import digest
from dissensus.errors import InputError, WorkspaceError
from dissensus.studies.noise import noise_study
from dissensus.studies.rankers.noise_sets import noise_sets
from dissensus.work.workspace import Workspace

TOY = {
    "sets": ("OHSUMED", "OHSUMED2G"),
    "rankers": ("PRank", "ListNet"),
    "profiles": ("uniform",),
    "levels": (0.0, 0.2, 0.5),
    "repeats": 1,
    "folds": 3,
    "documents": 1500,
}


def in_workspace(folder, **settings):
    with Workspace(folder) as workspace:
        return noise_study(**settings, workspace=workspace)


def test_tables_and_workspace(tmp_path):
    study = in_workspace(tmp_path / "w", **TOY)
    assert study.curves.height == 2 * 2 * 3
    assert study.claim.height == 2 * 2
    assert study.same_grade.columns == ["set", "whose", "PRank", "ListNet"]
    assert study.loss["ranker"].unique().to_list() == ["PRank"]
    assert (study.loss.filter(pl.col("dnoise") > 0.4)["rise"] > 0).all()  # Fig. 3
    assert all(0.4 < v < 0.6 for v in study.same_grade["PRank"])
    assert "-" not in study.headline  # a negative share is not called "gone"
    measured = study.curves.filter(study.curves["ranker"] == "PRank").sort("set", "level")["pnoise"].to_list()
    assert measured == pytest.approx(study.theory.sort("set", "dnoise")["pnoise"].to_list(), abs=0.04)
    again = in_workspace(tmp_path / "w", **TOY)
    assert again.result.table.equals(study.result.table)
    with pytest.raises(WorkspaceError, match="seed"):
        in_workspace(tmp_path / "w", **TOY, seed=1)


def test_a_workspace_is_for_these_data_only():
    sets = noise_sets(("OHSUMED",), documents=1500, folds=3)
    before = digest(sets)
    assert before == digest(noise_sets(("OHSUMED",), documents=1500, folds=3))
    sets["OHSUMED"][1].test.y[0] += 1
    assert before != digest(sets)


def test_endings_change_the_training_labels_only():
    sets = noise_sets(("OHSUMED", "OHSUMED2G", "TD2003P1", "TD2003P7", "MSLR-WEB10K2GP5"), documents=15_000, folds=3)
    plain, two = sets["OHSUMED"][0], sets["OHSUMED2G"][0]
    assert (two.train.y == (plain.train.y > 0)).all()
    assert (two.test.y == plain.test.y).all()
    for name, size, relevant in (("TD2003P1", 16, 8), ("TD2003P7", 16, 2), ("MSLR-WEB10K2GP5", 102, 17)):
        train = sets[name][0].train
        assert set(train.group) == {size}
        assert train.y.sum() == relevant * len(train.topics)
        assert sets[name][0].test.group.mean() > 90


def test_a_folder_of_ones_own(tmp_path):
    for part in ("train", "vali", "test"):
        (tmp_path / "Fold1").mkdir(exist_ok=True)
        (tmp_path / "Fold1" / f"{part}.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n1 qid:2 1:2\n")
    (fold,) = noise_sets((str(tmp_path),), documents=3)[str(tmp_path)]
    assert fold.train.topics == ("1",)


@pytest.mark.parametrize("name", ["LETOR", "OHSUMEDP1", "TD2003P3"])
def test_unknown_sets(name):
    with pytest.raises(InputError):
        noise_sets((name,), documents=500, folds=3)


def test_sets_have_documents():
    with pytest.raises(InputError, match="documents=-5"):
        noise_sets(("TD2003",), documents=-5)


def test_unknown_ranker():
    with pytest.raises(InputError, match="no ranker 'LambdaMART'"):
        noise_study(**{**TOY, "rankers": ("LambdaMART",)})
