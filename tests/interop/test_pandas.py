"""Tables for pandas."""

from __future__ import annotations

import pytest
from random_collections import random_dicts

import dissensus as ds


def test_frames_go_out_and_come_back():
    from dissensus.interop.pandas import judgments_frame, runs_frame, scores_frame

    judged, runs = random_dicts(5)
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged)
    frame = runs_frame(r)
    assert frame["rank"].max() > 0
    one = frame[frame["name"] == r.systems[0]]
    scores = ds.evaluate(one.drop(columns="name"), judgments_frame(j), ["AP"])
    assert scores["AP"].values.ravel().tolist() == pytest.approx(
        ds.evaluate(r.select(systems=[r.systems[0]]), j, ["AP"])["AP"].values.ravel().tolist(), nan_ok=True
    )
    assert set(scores_frame(scores).columns) == {"assessor", "name", "qid", "measure", "value"}
