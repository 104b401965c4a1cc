"""Folds read from LETOR folders and dealt from one set."""

from __future__ import annotations

import numpy as np
from refusals import refused

from dissensus.errors import FileError, InputError
from dissensus.tables.features import Features
from dissensus.tables.folds import read_folds, split_folds


def test_letor_folder(tmp_path):
    for fold in ("Fold1", "Fold2"):
        (tmp_path / fold).mkdir()
        for i, name in enumerate(("train.txt", "vali.txt", "test.txt")):
            (tmp_path / fold / name).write_text(f"1 qid:{i} 1:1 {i + 2}:2\n")
    folds = read_folds(tmp_path)
    assert [f.name for f in folds] == ["Fold1", "Fold2"]
    assert folds[0].train.X.shape == folds[1].test.X.shape == (1, 4)
    assert folds[0].validation.topics == ("1",)


def test_letor_folder_without_a_part(tmp_path):
    with refused(FileError, "Fold1"):
        read_folds(tmp_path)
    (tmp_path / "Fold1").mkdir()
    with refused(FileError, "Fold1"):
        read_folds(tmp_path)


def test_every_topic_tests_once_and_parts_are_apart():
    data = Features.from_arrays(np.eye(11), np.zeros(11), group=[1] * 11)
    folds = split_folds(data, 5, seed=3)
    assert sorted(t for f in folds for t in f.test.topics) == sorted(data.topics)
    for f in folds:
        parts = [set(p.topics) for p in (f.train, f.validation, f.test)]
        assert set.union(*parts) == set(data.topics)
        assert sum(map(len, parts)) == len(data.topics)
    assert [f.test.topics for f in split_folds(data, 5, seed=3)] == [f.test.topics for f in folds]
    with refused(InputError, "folds=2"):
        split_folds(data, 2)
