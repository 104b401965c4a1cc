"""What simulations of audits share."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.audits.repetitions import (
    ErringJudge,
    GoldStandard,
    by_method,
    repeated,
    settings_named,
)
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs


def test_settings_are_those_asked_for_or_all_of_them():
    assert settings_named((), {"even": 1, "weak": 2}) == ("even", "weak")
    assert settings_named(("weak",), {"even": 1, "weak": 2}) == ("weak",)
    with refused(InputError, "odd", "even", "weak"):
        settings_named(("odd",), {"even": 1, "weak": 2})


def _block(unit, rng):
    name, number, repetitions = unit
    return {"drawn": [float(rng.random()) for _ in range(repetitions)], "told": [(name, number)] * repetitions}


def test_repetitions_are_done_in_blocks_and_gathered_by_key():
    keys = [("a", 1), ("b", 2)]
    done = repeated(_block, keys, 5, 2, seed=3, executor=None, progress="testing")
    assert [len(result["drawn"]) for result in done["a", 1]] == [2, 2, 1]
    rows = by_method(done)
    assert rows["b", 2, "told"] == [("b", 2)] * 5
    assert len(set(rows["a", 1, "drawn"] + rows["b", 2, "drawn"])) == 10  # every block has a seed of its own
    assert by_method(repeated(_block, keys, 5, 2, seed=3, executor=None, progress="testing")) == rows


def test_judges_beside_gold():
    runs = Runs.from_dict({"s": {"q": {"d": 1.0}}})
    labels = Judgments.from_dict({"ann": {"q": {"d": 1}}, "bob": {"q": {"d": 0}}})
    assert GoldStandard(runs, labels, "ann").others() == ("bob",)
    with refused(InputError, "eve", "ann, bob"):
        GoldStandard(runs, labels, "eve").others()
    with refused(InputError, "ann"):
        GoldStandard(runs, labels.select(assessors=["ann"]), "ann").others()


def test_a_simulated_judge_errs_as_often_as_it_should():
    rng, gold = np.random.default_rng(1), np.repeat([1, 0, 0], 20_000)
    said = ErringJudge(0.9, 0.7).labels(gold, rng, np.repeat([0.0, 0.0, 0.2], 20_000))
    assert said.reshape(3, -1).mean(axis=1) == pytest.approx([0.9, 0.3, 0.5], abs=0.02)
