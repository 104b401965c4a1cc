"""The sets of the noise experiment."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.rankers.noise_sets import noise_sets
from dissensus.tables.folds import digest


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
    with refused(InputError, "documents=-5"):
        noise_sets(("TD2003",), documents=-5)
