"""What all rankers share: checks, settings and files."""

from __future__ import annotations

from refusals import refused
from small_rankers import make, small_fold  # noqa: F401 (a fixture)

from dissensus import learning
from dissensus.errors import FileError, InputError


def test_loading_the_wrong_class(tmp_path, fold):
    make("PRank").fit(fold.train).save(tmp_path / "m.json")
    with refused(FileError, "PRank", "RankSVM"):
        learning.RankSVM.load(tmp_path / "m.json")


def test_whole_grades_wanted(fold):
    for name in ("PRank", "RankSVM", "RankBoost", "AdaRank"):
        with refused(InputError, "2.5"):
            make(name).fit(fold.train.X, fold.train.y + 0.5, fold.train.group)
