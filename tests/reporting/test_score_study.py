"""A report on a table of scores: which measures, whose leaderboard, what is packed for the page."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from refusals import refused

from dissensus.errors import InputError
from dissensus.reporting.build import build
from dissensus.reporting.score_study import ScoreStudy, chosen_measures


def table(judges: tuple[str, ...] = ("ann",)) -> xr.Dataset:
    rng = np.random.default_rng(0)
    shape = (len(judges), 3, 15)
    values = 0.4 + 0.2 * np.arange(3)[None, :, None] + 0.05 * rng.random(shape)
    coords = {"assessor": list(judges), "system": list("abc"), "topic": [f"q{t}" for t in range(15)]}
    dims = ("assessor", "system", "topic")
    return xr.Dataset({"AP": (dims, values), "own score": (dims, values**2)}, coords=coords)


def test_measures_are_those_asked_for_or_those_there_are() -> None:
    usual = ("nDCG@10", "AP")
    assert chosen_measures(table(), usual, usual) == ("AP",)
    assert chosen_measures(table(), ["own score", "map"], usual) == ("own score", "AP")
    assert chosen_measures(table().drop_vars("AP"), usual, usual) == ("own score",)
    with refused(InputError, 'measures="RBP"'):
        chosen_measures(table(), ["RBP"], usual)


def test_several_leaderboards_need_a_name() -> None:
    with refused(InputError, 2, "ann"):
        ScoreStudy(table(("ann", "llm")), ("AP",))
    with refused(InputError, 'assessor="zoe"'):
        ScoreStudy(table(("ann", "llm")), ("AP",), "zoe")


def test_the_verdict_and_every_section_come_from_the_scores_alone() -> None:
    study = ScoreStudy(table(("ann", "llm")), ("AP", "own score"), "llm")
    built = build(study)
    assert built.answer.order == ["c", "b", "a"]
    assert [s.key for s in built.sections] == ["answer", "differences", "scores", "leaderboards", "measures", "data"]
    assert not [s.missing for s in built.sections if s.missing]
    means = np.asarray(study.scores["AP"].sel(assessor="llm").mean("topic").values)
    assert built.answer.scores["score"].to_list() == pytest.approx(sorted(means.tolist(), reverse=True))
    packed = study.explorer(built.answer.order)
    assert packed.header["order"] == ["c", "b", "a"]
    assert not packed.header["documents"]
    assert len(packed.header["specifications"]) == 4
