"""What all rankers share: checks, settings and files."""

from __future__ import annotations

import numpy as np
from refusals import refused
from small_rankers import make, small_fold  # noqa: F401 (a fixture)

from dissensus import learning
from dissensus.errors import FileError, InputError
from dissensus.learning.rankers.ranker import Watch


def test_loading_the_wrong_class(tmp_path, fold):
    make("PRank").fit(fold.train).save(tmp_path / "m.json")
    with refused(FileError, "PRank", "RankSVM"):
        learning.RankSVM.load(tmp_path / "m.json")


def test_whole_grades_wanted(fold):
    for name in ("PRank", "RankSVM", "RankBoost", "AdaRank"):
        with refused(InputError, "2.5"):
            make(name).fit(fold.train.X, fold.train.y + 0.5, fold.train.group)


def test_the_first_best_round_is_kept_and_training_ends_after_patience():
    scores = iter([0.1, 0.5, 0.5, 0.4, 0.3])
    watch = Watch(lambda predictions: next(scores), patience=3)
    stops = [watch.see(np.zeros(1), lambda i=i: f"model {i}") for i in range(1, 6)]
    assert stops == [False, False, False, False, True]
    assert (watch.best, watch.best_round, watch.best_score) == ("model 2", 2, 0.5)
    assert watch.history == [0.1, 0.5, 0.5, 0.4, 0.3]


def test_a_model_is_copied_only_where_it_is_the_best():
    scores, copies = iter([0.5, 0.4, 0.6]), []
    watch = Watch(lambda predictions: next(scores), patience=5)
    for i in range(3):
        watch.see(np.zeros(1), lambda i=i: copies.append(i) or i)
    assert copies == [0, 2]
